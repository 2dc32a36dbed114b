"""The appendix "Gradient norms in active learning": three criteria compared, round by round."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.experiment import Experiment
from cbkit.experiments.stats import holm, paired_differences
from cbkit.plots.style import colour_of
from cbkit.policies.choosers.chooser import Chooser
from cbkit.policies.choosers.exploration import ActiveExplore, Context
from cbkit.policies.registry import make_policy
from cbkit.simulate import simulate
from cbkit.studies.evaluation.experiment import TUNED_PRIOR
from cbkit.studies.noted import Noted

CRITERIA = ("weighted", "min", "max")
POLICIES = ("ActiveExplorer", "ActiveAdaptiveGreedy")
PRIORS = {
    "prior 3, 7, 2": {"MABFirst": {"a": 3, "b": 7, "m": 2}},
    "prior 5/k, 4, 2": TUNED_PRIOR,
}


def criteria_experiment(
    dataset: str, *, folder: str, n_replicates: int, seed: int = 0, n_rounds: int | None = None
) -> Experiment:
    """Return the experiment: both active policies with each criterion, and Greedy, per prior.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    folder, n_replicates, seed, n_rounds
        As for `Experiment`.

    Returns
    -------
    Experiment

    Examples
    --------
    >>> list(criteria_experiment("demo", folder="outputs/try", n_replicates=1).policies)[:2]
    ['Greedy', 'ActiveExplorer, weighted']
    """
    active = {
        f"{policy}, {criterion}": {"policy": policy, "explore": criterion}
        for policy in POLICIES
        for criterion in CRITERIA
    }
    return Experiment(
        datasets=[dataset],
        policies={"Greedy": "Greedy"} | active,
        variants={prior: {"cold_start": cold_start} for prior, cold_start in PRIORS.items()},
        folder=folder,
        n_replicates=n_replicates,
        n_rounds=n_rounds,
        seed=seed,
    )


def tidy(finals: pd.DataFrame) -> pd.DataFrame:
    """Split the policies' labels into policy and criterion, and keep what comparisons need.

    Parameters
    ----------
    finals : DataFrame
        Of the results of `criteria_experiment`.

    Returns
    -------
    DataFrame
        dataset, prior, policy, criterion (empty for Greedy), seed, n_rounds, checksum, row_order,
        mean_reward, explored_share, cold_start_share, n_refits.
    """
    parts = finals["policy"].str.partition(", ")
    table = finals.rename(columns={"variant": "prior"}).assign(policy=parts[0], criterion=parts[2])
    columns = ["dataset", "prior", "policy", "criterion", "seed", "n_rounds", "checksum"]
    facts = ["row_order", "mean_reward", "explored_share", "cold_start_share", "n_refits"]
    return table[columns + facts]


def against_weighted(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare min and max with weighted, for each policy and prior on the same replicates.

    Parameters
    ----------
    finals : DataFrame
        Of the results of `criteria_experiment`.

    Returns
    -------
    DataFrame
        As from `paired_differences`, corrected for all comparisons of the table.
    """
    parts = [
        paired_differences(finals[finals["policy"].str.startswith(policy)], f"{policy}, weighted")
        for policy in POLICIES
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(p_holm=holm(table["p_t"]), reference="the same policy, weighted")


def criteria_picks(chooser: Chooser, values: np.ndarray, context: Context) -> tuple[int, ...]:
    """Return the arm that each criterion would explore, and the best arm.

    Parameters
    ----------
    chooser : Chooser
        Not looked at; there so that `Noted` can take this as its ``note``.
    values, context
        As for `Chooser.choose`.

    Returns
    -------
    tuple of int
        An arm for each of `CRITERIA`, and the best; of tied arms the first.

    Examples
    --------
    >>> context = Context(np.zeros((1, 1)), 0)
    >>> criteria_picks(None, np.array([0.1, 0.6, 0.8]), context)   # weighted, min, max, best
    (1, 1, 0, 2)
    """
    picks = [ActiveExplore(criterion=name).candidates(values, context)[0] for name in CRITERIA]
    return (*map(int, picks), int(values.argmax()))


def noted_run(
    dataset: MultilabelDataset, policy: str, *, seed: int, n_rounds: int | None, **parameters: Any
) -> pd.DataFrame:
    """Simulate a policy and add to its rounds what each criterion would explore, and the best arm.

    Parameters
    ----------
    dataset, seed, n_rounds
        As for `cbkit.simulate`.
    policy, **parameters
        A registry name and its parameters, as for `make_policy`.

    Returns
    -------
    DataFrame
        The log's rounds with the columns ``weighted``, ``min``, ``max`` and ``best``.
    """
    player = make_policy(policy, dataset, **parameters)
    noted = player.chooser = Noted(chooser=player.chooser, note=criteria_picks)
    log = simulate(player, dataset, seed=seed, n_rounds=n_rounds)
    return log.rounds.assign(**dict(zip([*CRITERIA, "best"], np.array(noted.notes).T, strict=True)))


AGREEMENTS = {
    "min_is_weighted": "min and weighted would explore\nthe same arm (all rounds)",
    "same_arm_min": "the runs of min and weighted\nchose the same arm (all rounds)",
    "same_arm_max": "the runs of max and weighted\nchose the same arm (all rounds)",
    "weighted_is_best": "weighted explored the best arm\n(its exploring rounds)",
    "max_is_best": "max explored the best arm\n(its exploring rounds)",
}


def agreement(
    dataset: MultilabelDataset, *, n_logs: int, seed: int = 0, n_rounds: int | None = None
) -> pd.DataFrame:
    """Compare the logs of the three criteria round by round.

    Parameters
    ----------
    dataset : MultilabelDataset
    n_logs : int
        Replicates, from `seed` on.
    seed : int, default=0
    n_rounds : int, optional

    Returns
    -------
    DataFrame
        Per prior, policy and seed: ``n_rounds``, ``n_explored`` by the run of weighted, and the
        shares that `AGREEMENTS` describes.
    """
    rows = []
    for prior, cold_start in PRIORS.items():
        for policy in POLICIES:
            for replicate in range(seed, seed + n_logs):
                play = {"seed": replicate, "n_rounds": n_rounds, "cold_start": cold_start}
                weighted, low, high = (
                    noted_run(dataset, policy, explore=name, **play) for name in CRITERIA
                )
                explored = weighted[weighted["explored"]], high[high["explored"]]
                rows.append(
                    {
                        "prior": prior,
                        "policy": policy,
                        "seed": replicate,
                        "n_rounds": len(weighted),
                        "n_explored": len(explored[0]),
                        "min_is_weighted": (weighted["min"] == weighted["weighted"]).mean(),
                        "same_arm_min": (weighted["arm"] == low["arm"]).mean(),
                        "same_arm_max": (weighted["arm"] == high["arm"]).mean(),
                        "weighted_is_best": (explored[0]["arm"] == explored[0]["best"]).mean(),
                        "max_is_best": (explored[1]["arm"] == explored[1]["best"]).mean(),
                    }
                )
    return pd.DataFrame(rows)


def agreement_reading(table: pd.DataFrame) -> list[str]:
    """Count the rounds in which min and weighted agree, and the exploring ones that exploited."""
    rounds = table["n_rounds"].sum()
    alike, same_run = (
        (table[column] * table["n_rounds"]).sum() for column in ("min_is_weighted", "same_arm_min")
    )
    lines = [
        f"Min would have explored the same arm as weighted in **{alike:,.0f} of {rounds:,}** "
        "rounds of the runs of weighted. Runs with min and with weighted, each left to itself, "
        f"chose the same arm in **{same_run:,.0f} of {rounds:,}** rounds."
    ]
    means = table.groupby(["policy", "prior"], sort=False)[["weighted_is_best", "max_is_best"]]
    for (policy, prior), row in means.mean().iterrows():
        lines.append(
            f"{policy}, {prior}: the explored arm was the best arm itself in "
            f"{row['weighted_is_best']:.0%} of the exploring rounds with weighted and in "
            f"{row['max_is_best']:.0%} with max."
        )
    return lines


def agreement_dots(table: pd.DataFrame) -> np.ndarray:
    """Draw the shares of `agreement`, a panel per prior; dots are replicates.

    Parameters
    ----------
    table : DataFrame
        From `agreement`.

    Returns
    -------
    ndarray of Axes, shape (n_priors,)
    """
    priors = list(table["prior"].unique())
    shape = {"figsize": (3.2 + 3.4 * len(priors), 3.9), "sharey": True, "squeeze": False}
    fig, axes = plt.subplots(1, len(priors), **shape, layout="constrained")
    looks = {
        policy: {"color": colour_of(policy), "marker": marker, "mfc": face, "ls": ""}
        for policy, marker, face in zip(
            POLICIES, "os", [colour_of(POLICIES[0]), "white"], strict=True
        )
    }
    for prior, ax in zip(priors, axes[0], strict=True):
        for policy, look in looks.items():
            runs = table[(table["prior"] == prior) & (table["policy"] == policy)]
            for height, column in enumerate(reversed(AGREEMENTS)):
                at = height + (0.15 if policy == POLICIES[0] else -0.15)
                ax.plot(runs[column], [at] * len(runs), **look, clip_on=False)
        ax.set(xlim=(0, 1), title=prior, xlabel="share of the rounds")
    axes[0, 0].set_yticks(range(len(AGREEMENTS)), list(AGREEMENTS.values())[::-1])
    handles = [Line2D([], [], **look) for look in looks.values()]
    fig.legend(handles, list(looks), loc="outside upper right", ncols=2, frameon=False)
    fig.get_layout_engine().set(w_pad=0.14)
    return axes[0]
