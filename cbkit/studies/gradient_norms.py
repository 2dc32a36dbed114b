"""The appendix "Gradient norms in active learning": three criteria compared, round by round."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.experiment import Experiment
from cbkit.experiments.stats import holm, paired_differences
from cbkit.plots.curves import learning_curves
from cbkit.plots.dots import difference_dots
from cbkit.policies.choosers.chooser import Chooser
from cbkit.policies.choosers.exploration import ActiveExplore, Context
from cbkit.policies.registry import make_policy
from cbkit.simulate import simulate
from cbkit.studies.chooser_traces import Noted
from cbkit.studies.evaluation.experiment import TUNED_PRIOR

CRITERIA = ("weighted", "min", "max")
POLICIES = ("ActiveExplorer", "ActiveAdaptiveGreedy")
ACTIVE = {
    f"{policy}, {criterion}": {"policy": policy, "explore": criterion}
    for policy in POLICIES
    for criterion in CRITERIA
}
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
    return Experiment(
        datasets=[dataset],
        policies={"Greedy": "Greedy", **ACTIVE},
        variants={prior: {"cold_start": cold_start} for prior, cold_start in PRIORS.items()},
        folder=folder,
        n_replicates=n_replicates,
        n_rounds=n_rounds,
        seed=seed,
    )


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Return runs with their algorithm and criterion in columns (Greedy has no criterion)."""
    algorithm = {name: spec["policy"] for name, spec in ACTIVE.items()} | {"Greedy": "Greedy"}
    criterion = {name: spec["explore"] for name, spec in ACTIVE.items()}
    columns = {"algorithm": algorithm, "criterion": criterion}
    return table.assign(**{name: table["policy"].map(of) for name, of in columns.items()})


def against_weighted(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare min and max with weighted, for each policy and prior on the same replicates.

    Parameters
    ----------
    finals : DataFrame
        From `labelled`, of the results of `criteria_experiment`.

    Returns
    -------
    DataFrame
        As from `paired_differences`, corrected for all comparisons of the table.
    """
    parts = [
        paired_differences(finals[finals["algorithm"] == policy], f"{policy}, weighted")
        for policy in POLICIES
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(p_holm=holm(table["p_t"]), reference="the same policy, weighted")


def weighted_differences(finals: pd.DataFrame) -> Figure:
    """Draw what min and max earn more than weighted, see `against_weighted`."""
    return difference_dots(against_weighted(finals))


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
                play: dict[str, Any] = {"seed": replicate, "n_rounds": n_rounds}
                play |= {"cold_start": cold_start}
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


def agreement_dots(table: pd.DataFrame) -> Figure:
    """Draw the shares of `agreement`, a panel per prior; dots are replicates.

    Parameters
    ----------
    table : DataFrame
        From `agreement`.

    Returns
    -------
    Figure
    """
    priors = list(table["prior"].unique())
    long = table.melt(["prior", "policy", "seed"], list(AGREEMENTS), "what", "share")
    long["what"] = long["what"].map(AGREEMENTS)
    size = (3.2 + 3.2 * len(priors), 3.7)
    fig, axes = plt.subplots(1, len(priors), figsize=size, sharey=True, squeeze=False)
    for prior, ax in zip(priors, axes[0], strict=True):
        sns.stripplot(
            long[long["prior"] == prior],
            x="share",
            y="what",
            hue="policy",
            dodge=True,
            jitter=False,
            clip_on=False,
            legend=prior == priors[0],
            ax=ax,
        )
        ax.set(xlim=(0, 1), title=prior, xlabel="share of the rounds", ylabel="")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    axes[0, 0].get_legend().remove()
    fig.legend(handles, labels, loc="outside upper right", ncols=2)
    fig.supxlabel(f"dots: replicates, n = {table['seed'].nunique()}", size=10)
    return fig


def criterion_panels(curves: pd.DataFrame) -> Figure:
    """Draw mean reward over rounds, a row of panels per prior and a column per policy.

    Parameters
    ----------
    curves : DataFrame
        From `labelled`, of the results of `criteria_experiment`; one data set.

    Returns
    -------
    Figure
    """
    priors = list(curves["variant"].unique())
    size = (6.2 * len(POLICIES), 3.7 * len(priors))
    fig, axes = plt.subplots(len(priors), len(POLICIES), figsize=size, sharex=True, sharey="row")
    for prior, row in zip(priors, axes, strict=True):
        for policy, ax in zip(POLICIES, row, strict=True):
            part = curves[
                curves["algorithm"].isin([policy, "Greedy"]) & (curves["variant"] == prior)
            ]
            learning_curves(part, ax, title=prior).label_outer()
        row[0].set_ylim(0, max(ax.get_ylim()[1] for ax in row))
    return fig
