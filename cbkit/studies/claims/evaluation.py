"""The paper's claims on the evaluation, each with the comparisons that test it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from cbkit.studies.claims.verdicts import PAPER, TUNED, Claim, UntestableError, compare_runs
from cbkit.studies.evaluation.tables import ADDED

LITTLE = 0.10  # of the reference's reward: what counts as little, and what is more counts as much

ADAPTIVE = "ContextualAdaptiveGreedy"
_MINI = "mini-batch"
_UCB = ("BootstrappedUCB", "OnlineBootstrappedUCB")

Rows = list[dict[str, Any]]


def settings(finals: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """Yield the full refits of each data set, under the paper's constants and the tuned ones.

    Policies without a prior have no tuned one; theirs are the same runs in both.
    """
    for dataset, runs in finals.groupby("dataset", sort=False):
        full = runs[runs["variant"] == "full refit"]
        tuned = runs[runs["variant"] == TUNED]
        yield {"dataset": dataset, "setting": PAPER}, full
        if len(tuned):
            without = full[~full["policy"].isin(tuned["policy"])]
            yield {"dataset": dataset, "setting": TUNED}, pd.concat([tuned, without])


def paper_policies(runs: pd.DataFrame, without: Iterable[str] = ()) -> list[str]:
    """Policies of the paper's comparison: not the best arms, a random one or plain greedy."""
    return [name for name in runs["policy"].unique() if name not in {*ADDED, *without}]


def runs_of(runs: pd.DataFrame, policies: str | Iterable[str]) -> pd.DataFrame:
    """One row per replicate: a policy's runs, or the mean over several policies.

    Raises
    ------
    UntestableError
        If a policy is not among the runs.
    ValueError
        If the policies did not all play the same replicates.
    """
    names = [policies] if isinstance(policies, str) else list(policies)
    chosen = runs[runs["policy"].isin(names)]
    absent = sorted(set(names) - set(chosen["policy"]))
    if absent or not names:
        raise UntestableError(f"there are no runs of {', '.join(absent) or 'other policies'}")
    by_seed = chosen.groupby("seed")
    if (by_seed.size() != len(names)).any():
        raise ValueError(f"{', '.join(names)} did not play the same replicates once each")
    same = [name for name in ("checksum", "n_rounds", "row_order") if name in runs.columns]
    return by_seed.agg({"mean_reward": "mean"} | dict.fromkeys(same, "first")).reset_index()


def best_of(runs: pd.DataFrame, policies: Iterable[str]) -> str:
    """The policy with the highest mean over replicates; the first of equals."""
    means = {name: runs_of(runs, name)["mean_reward"].mean() for name in policies}
    if not means:
        raise UntestableError("there are no other policies to compare with")
    return max(means, key=means.get)


def compare_policies(
    runs: pd.DataFrame, first: str, second: str, claimed: str, *, policy: str = "", **rest: Any
) -> dict[str, Any]:
    """Compare the runs of two policies, or of two variants that stand in the place of policies.

    The other arguments are those of `compare_runs`; `policy` is the one that has the variants.
    """
    difference = f"{first} minus {second}"
    return compare_runs(
        runs_of(runs, first),
        runs_of(runs, second),
        claimed,
        comparison=f"{policy}, {difference}" if policy else difference,
        **rest,
    )


def _ucb_is_good(finals: pd.DataFrame) -> Rows:
    rows = []
    for labels, runs in settings(finals):
        others = runs_of(runs, paper_policies(runs, without=_UCB))
        for name in _UCB:
            mean = f"{name} minus mean of the other policies"
            rows.append(
                compare_runs(runs_of(runs, name), others, "above", comparison=mean, **labels)
            )
            rows.append(compare_policies(runs, name, "BestArmOnline", "above", **labels))
    return rows


def _adaptive_is_best(finals: pd.DataFrame) -> Rows:
    return [
        compare_policies(
            runs, ADAPTIVE, best_of(runs, paper_policies(runs, [ADAPTIVE])), "above", **labels
        )
        for labels, runs in settings(finals)
    ]


def _active_adds_little(finals: pd.DataFrame) -> Rows:
    return [
        compare_policies(runs, "ActiveAdaptiveGreedy", base, "near", share=LITTLE, **labels)
        for labels, runs in settings(finals)
        for base in ("ContextualAdaptiveGreedy2", ADAPTIVE)
    ]


def _threshold_beats_percentile(finals: pd.DataFrame) -> Rows:
    return [
        compare_policies(runs, ADAPTIVE, "ContextualAdaptiveGreedy2", "above", **labels)
        for labels, runs in settings(finals)
    ]


def _mini_batches_are_worse(finals: pd.DataFrame) -> Rows:
    rows = []
    for dataset, runs in finals.groupby("dataset", sort=False):
        labels = {"dataset": dataset, "setting": PAPER}
        full, mini = (runs[runs["variant"] == name] for name in ("full refit", _MINI))
        both = [name for name in paper_policies(mini) if name in set(full["policy"])]
        losses = {
            name: compare_runs(
                runs_of(mini, name),
                runs_of(full, name),
                "below",
                share=LITTLE,
                comparison=f"{name}, mini-batch minus full refit",
                **labels,
            )
            for name in both
        }
        if not losses:
            raise UntestableError(f"there are no mini-batch runs on {dataset}")
        mean = "mean of all policies, mini-batch minus full refit"
        least = max(losses.values(), key=lambda row: row["difference"])
        rows += [
            compare_runs(
                runs_of(mini, both),
                runs_of(full, both),
                "below",
                share=LITTLE,
                comparison=mean,
                **labels,
            ),
            least | {"comparison": f"least harmed: {least['comparison']}"},
        ]
        best = best_of(mini, both)
        for arm in ("BestArmOnline", "BestArmInHindsight"):
            row = compare_policies(mini, best, arm, "below", **labels)
            rows.append(row | {"comparison": f"best of mini-batch: {row['comparison']}"})
    return rows


_ALL = "supported on a data set where the whole interval lies"

EVALUATION_CLAIMS = (
    Claim(
        number=1,
        text="Upper confidence bounds are reasonably good on all data sets.",
        test="BootstrappedUCB and OnlineBootstrappedUCB against the mean of the paper's other "
        f"policies and against the best arm without context, learned online; {_ALL} above 0.",
        needs="evaluation/finals",
        compare=_ucb_is_good,
    ),
    Claim(
        number=2,
        text="ContextualAdaptiveGreedy is the best policy overall.",
        test="It against the paper's other policy of highest mean (which favours that one); "
        f"{_ALL} above 0.",
        needs="evaluation/finals",
        compare=_adaptive_is_best,
    ),
    Claim(
        number=3,
        text="Active learning adds little to adaptive greedy.",
        test="ActiveAdaptiveGreedy against ContextualAdaptiveGreedy2, which it is but for active "
        "learning, and against ContextualAdaptiveGreedy, as the paper words it; "
        f"{_ALL} within 10% of the latter's reward from 0.",
        needs="evaluation/finals",
        compare=_active_adds_little,
    ),
    Claim(
        number=4,
        text="A given initial threshold beats a moving percentile.",
        test=f"ContextualAdaptiveGreedy against ContextualAdaptiveGreedy2; {_ALL} above 0.",
        needs="evaluation/finals",
        compare=_threshold_beats_percentile,
    ),
    Claim(
        number=5,
        text="Mini-batch updates are much worse than full refits for every policy, and none beats "
        "the best arm without context.",
        test="Mini-batch against full refit, the mean of all policies and the least harmed one: "
        f"{_ALL} below -10% of the full refit's reward. The best mini-batch policy against the "
        "best arm without context, learned online and in hindsight: below 0.",
        needs="evaluation/finals",
        compare=_mini_batches_are_worse,
    ),
)
