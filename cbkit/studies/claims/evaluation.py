"""The paper's claims on the evaluation, each with the comparisons that test it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import pandas as pd

from cbkit.studies.claims.comparisons import (
    UntestableError,
    by_seed,
    compare,
    elsewhere,
    mean_of,
    taken,
    values_of,
)
from cbkit.studies.claims.verdicts import Claim
from cbkit.studies.evaluation.experiment import AUTHORS, LAPLACE, PAPERS, SGD, TUNED
from cbkit.studies.evaluation.tables import ADDED

MUCH = 0.10  # of the reference: what "much" and "greatly" are at least

ADAPTIVE = "ContextualAdaptiveGreedy"
_UCB = ("BootstrappedUCB", "OnlineBootstrappedUCB")
_TS = ("BootstrappedTS", "OnlineBootstrappedTS")
_REWARD = "mean_reward"

Rows = list[dict[str, Any]]


def settings(finals: pd.DataFrame, value: str = _REWARD) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield a value in each setting, a row per seed and a column per policy.

    Policies that a setting leaves out, such as the best arm in hindsight or those without a prior,
    have the same runs in all.
    """
    papers = finals[finals["variant"] == PAPERS]
    if papers.empty:
        raise UntestableError(f"there are no runs of {PAPERS}")
    for setting in (PAPERS, AUTHORS, TUNED):
        runs = finals[finals["variant"] == setting]
        if len(runs):
            others = papers[~papers["policy"].isin(runs["policy"])]
            yield setting, by_seed(pd.concat([runs, others]), "policy", value)


def paper_policies(table: pd.DataFrame, without: Iterable[str] = ()) -> list[str]:
    """Policies of the paper's comparison: not the best arms, a random one or plain greedy."""
    return [name for name in table if name not in {*ADDED, *without}]


def _against_levels(
    table: pd.DataFrame, first: str | pd.Series, claimed: str, **labels: Any
) -> Rows:
    """Compare with the best arm in hindsight, and beside the verdict with the one learned online.

    The paper's line is the first, as its author's code has it.
    """
    setting = labels["setting"]
    online = labels | {"setting": f"{setting}, online", "question": "minus best arm, online"}
    labels["question"] = "minus best arm in hindsight"
    return [
        compare(table, first, "BestArmInHindsight", claimed, **labels),
        compare(table, first, "BestArmOnline", claimed, **online),
    ]


def _ucb_is_good(finals: pd.DataFrame) -> Rows:
    rows = []
    for setting, table in settings(finals):
        others = mean_of(table, paper_policies(table, without=_UCB), "mean of the others")
        labels: dict[str, Any] = {"question": "minus mean of the others", "setting": setting}
        for name in _UCB:
            rows.append(compare(table, name, others, "above", **labels))
            rows += _against_levels(table, name, "above", setting=setting)
    return rows


def _adaptive_is_best(finals: pd.DataFrame) -> Rows:
    rows = []
    for setting, table in settings(finals):
        rival = taken(table, elsewhere(table, paper_policies(table, [ADAPTIVE])))
        labels: dict[str, Any] = {"question": "minus best of the others", "setting": setting}
        rows.append(compare(table, ADAPTIVE, rival, "above", **labels))
    return rows


def _against(finals: pd.DataFrame, first: str, seconds: tuple[str, ...], claimed: str) -> Rows:
    return [
        compare(table, first, second, claimed, question=f"minus {second}", setting=setting)
        for setting, table in settings(finals)
        for second in seconds
    ]


def _mini_batches_are_worse(finals: pd.DataFrame) -> Rows:
    rows = []
    _, full = next(settings(finals))
    updates = {SGD: PAPERS, LAPLACE: f"{PAPERS}, Laplace"}
    played = [variant for variant in updates if variant in set(finals["variant"])]
    if SGD not in played:
        raise UntestableError(f"there are no runs of {SGD}")
    for variant in played:
        setting = updates[variant]
        mini = by_seed(finals[finals["variant"] == variant], "policy")
        names = [name for name in paper_policies(mini) if name in full]
        whole = mean_of(full, names, "full refits")
        labels: dict[str, Any] = {"setting": setting, "share": MUCH}
        question = "mean of all policies, minus full refits"
        mean = mean_of(mini, names, "mini-batches")
        rows.append(compare(mini, mean, whole, "below", question=question, **labels))
        labels |= {"question": "least harmed policy, minus full refits", "who": "least harmed"}
        least = elsewhere(values_of(mini, names) / full.reindex(mini.index)[names].mean(), names)
        first, second = (taken(runs, least) for runs in (mini, full))
        rows.append(compare(full, first, second, "below", **labels))
        best = taken(mini, elsewhere(mini, names))
        labels = {"setting": setting, "who": "best of mini-batches"}
        rows += _against_levels(full, best, "below", **labels)
    return rows


def _contexts_help(finals: pd.DataFrame) -> Rows:
    rows = []
    for setting, table in settings(finals):
        names = paper_policies(table)
        for first, who in (
            (mean_of(table, names, "mean of all policies"), "mean of all policies"),
            (taken(table, elsewhere(table, names)), "best policy"),
        ):
            rows += _against_levels(table, first, "above", setting=setting, who=who)
    return rows


def _adaptive_against_bounds(
    finals: pd.DataFrame, *, value: str = _REWARD, claimed: str = "above", what: str = ""
) -> Rows:
    return [
        compare(
            table,
            ADAPTIVE,
            second,
            claimed,
            question=f"{what}minus {kind}",
            who="online bootstrap" if second.startswith("Online") else "bootstrap",
            setting=setting,
        )
        for setting, table in settings(finals, value)
        for kind, seconds in {"UCB": _UCB, "TS": _TS}.items()
        for second in seconds
    ]


_FINALS = "evaluation/finals"

EVALUATION_CLAIMS = (
    Claim(
        number=1,
        text="Upper confidence bounds are reasonably good on all data sets.",
        test="BootstrappedUCB and OnlineBootstrappedUCB against the mean of the paper's other "
        "policies and against the best arm in hindsight; above 0.",
        needs=_FINALS,
        compare=_ucb_is_good,
    ),
    Claim(
        number=2,
        text="ContextualAdaptiveGreedy is the best policy overall.",
        test="It against the best of the paper's other policies, chosen on other seeds; above 0.",
        needs=_FINALS,
        compare=_adaptive_is_best,
    ),
    Claim(
        number=3,
        text="Active learning adds little to adaptive greedy.",
        test="ActiveAdaptiveGreedy against ContextualAdaptiveGreedy2, which it is but for active "
        "learning, and against ContextualAdaptiveGreedy, as the paper words it; within 5% of 0.",
        needs=_FINALS,
        compare=partial(
            _against,
            first="ActiveAdaptiveGreedy",
            seconds=("ContextualAdaptiveGreedy2", ADAPTIVE),
            claimed="near",
        ),
    ),
    Claim(
        number=4,
        text="A given initial threshold beats a moving percentile.",
        test="ContextualAdaptiveGreedy against ContextualAdaptiveGreedy2; above 0.",
        needs=_FINALS,
        compare=partial(
            _against, first=ADAPTIVE, seconds=("ContextualAdaptiveGreedy2",), claimed="above"
        ),
    ),
    Claim(
        number=5,
        text="Mini-batch updates are much worse than full refits for every policy, and none beats "
        "the best arm without context.",
        test="The mean of all policies and the least harmed one (chosen on other replicates) "
        "against full refits: below -10%. The best with mini-batches, chosen likewise, against the "
        "best arm in hindsight: below 0.",
        needs=_FINALS,
        compare=_mini_batches_are_worse,
    ),
    Claim(
        number=12,
        text="Contextual policies beat discarding the context.",
        test="The mean of the paper's policies, and the best of them, chosen on other seeds, "
        "against the best arm in hindsight; above 0.",
        needs=_FINALS,
        compare=_contexts_help,
    ),
    Claim(
        number=13,
        text="Adaptive greedy performs better than UCB and Thompson sampling.",
        test="ContextualAdaptiveGreedy against both versions of each; above 0.",
        needs=_FINALS,
        compare=_adaptive_against_bounds,
    ),
    Claim(
        number=14,
        text="ContextualAdaptiveGreedy is faster.",
        test="CPU seconds of its runs against those of UCB and Thompson sampling; below 0.",
        needs=_FINALS,
        compare=partial(
            _adaptive_against_bounds, value="cpu_seconds", claimed="below", what="CPU seconds, "
        ),
    ),
)
