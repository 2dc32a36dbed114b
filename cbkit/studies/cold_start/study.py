"""The appendix "Smoothing and MAB-first, many-armed bandits" as experiments."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from cbkit.datasets import load_dataset
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.experiment import Experiment

POLICIES = ("EpsilonGreedy", "BootstrappedTS", "BootstrappedUCB")
SHARING_POLICIES = ("EpsilonGreedy", "Greedy", "OnlineBootstrappedUCB")
NEITHER, PLAIN, EXCLUSIVE = "no cold start", "plain", "exclusive rewards"
FAMILIES = ("MAB-first", "smoothing")
ARM_SHARES = (1 / 8, 1 / 4, 1 / 2, 1)
_ONE_LABEL = 1.5  # labels per row, up to which a set needs no subset


def _named(family: str, **constants: Any) -> tuple[str, dict[str, Any]]:
    part = {"MAB-first": "MABFirst", "smoothing": "Smoothing"}[family]
    return f"{family} ({', '.join(map(str, constants.values()))})", {part: constants}


# The paper suggests three sets for MAB-first; smoothing's have the same expectation a / (a + b),
# as nearly as the form 5/k allows.
SUGGESTED = dict(
    [
        _named("MAB-first", a=1, b=1, m=2),
        _named("MAB-first", a=3, b=7, m=3),
        _named("MAB-first", a="5/k", b=4, m=2),
        _named("smoothing", a=1, b=2),
        _named("smoothing", a=3, b=10),
        _named("smoothing", a="5/k", b=4),
    ]
)
WIDER = dict(
    [
        _named("MAB-first", a=3, b=7, m=2),
        _named("MAB-first", a=1, b=10, m=2),
        _named("MAB-first", a="5/k", b=4, m=1),
        _named("MAB-first", a="5/k", b=40, m=2),
        _named("smoothing", a=1, b=10),
        _named("smoothing", a=1, b=100),
        _named("smoothing", a="5/k", b=40),
    ]
)
COLD_STARTS: dict[str, Any] = {NEITHER: None} | SUGGESTED | WIDER
_PARTS = {"MABFirst": "MAB-first", "Smoothing": "smoothing"}
FAMILY = {label: _PARTS[next(iter(one))] if one else NEITHER for label, one in COLD_STARTS.items()}
MANY_ARMS_COLD_STARTS = ("MAB-first (5/k, 4, 2)", "MAB-first (3, 7, 2)", "smoothing (1, 10)")


def arm_subset(*, name: str, n_arms: int, seed: int) -> MultilabelDataset:
    """Load a data set and keep some arms, drawn at random by `seed`.

    Parameters as for `load_dataset` and `MultilabelDataset.subset_arms`.

    Examples
    --------
    >>> arm_subset(name="demo", n_arms=20, seed=0)
    MultilabelDataset('demo[arms=20]': 3000 rows, 120 features, 20 arms)
    """
    return load_dataset(name).subset_arms(n_arms, seed)


def grid_experiment(
    name: str, *, folder: str, n_replicates: int, n_rounds: int | None = None, seed: int = 0
) -> Experiment:
    """Return the experiment on constants: three policies under every cold start and under none.

    Parameters
    ----------
    name : str
        Name for `load_dataset`.
    folder, n_replicates, n_rounds, seed
        As for `Experiment`.

    Returns
    -------
    Experiment

    Examples
    --------
    >>> experiment = grid_experiment("demo", folder="outputs/try", n_replicates=2)
    >>> len(experiment.variants), len(experiment.policies)
    (14, 3)
    """
    return Experiment(
        datasets=[name],
        policies=POLICIES,
        variants={label: {"cold_start": constants} for label, constants in COLD_STARTS.items()},
        folder=folder,
        n_replicates=n_replicates,
        n_rounds=n_rounds,
        seed=seed,
    )


def many_arms_experiments(
    name: str, *, folder: str, n_replicates: int, n_rounds: int | None = None, seed: int = 0
) -> list[Experiment]:
    """Return the experiments on random arm subsets, one per replicate, each with its own subsets.

    Constants are fewer than the grid's; runs with all arms are the grid's in the same folder.
    Parameters as for `grid_experiment`.

    Examples
    --------
    >>> experiments = many_arms_experiments("demo", folder="outputs/try", n_replicates=2)
    >>> list(experiments[0].datasets)
    ['8 arms', '15 arms', '30 arms', '60 arms']
    """
    k = load_dataset(name).n_arms
    sizes = sorted({max(2, round(share * k)) for share in ARM_SHARES})
    return [
        Experiment(
            datasets={
                f"{n} arms": name if n == k else partial(arm_subset, name=name, n_arms=n, seed=one)
                for n in sizes
            },
            policies=POLICIES,
            variants={label: {"cold_start": COLD_STARTS[label]} for label in MANY_ARMS_COLD_STARTS},
            folder=folder,
            n_replicates=1,
            n_rounds=n_rounds,
            seed=one,
        )
        for one in range(seed, seed + n_replicates)
    ]


def one_label_arms(dataset: MultilabelDataset) -> int:
    """Return the number of random arms that leave a row about one label on average.

    Examples
    --------
    >>> one_label_arms(load_dataset("digits")), one_label_arms(load_dataset("demo"))
    (10, 33)
    """
    return max(2, round(dataset.n_arms / dataset.describe()["labels_per_observation"]))


def sharing_experiment(
    name: str,
    *,
    folder: str,
    n_replicates: int,
    n_rounds: int | None = None,
    seed: int = 0,
    policies: tuple[str, ...] = SHARING_POLICIES,
) -> Experiment:
    """Return the experiment on `exclusive_rewards`, on and off, under the paper's constants.

    A set with more than 1.5 labels per row is played whole and with as many random arms (drawn
    once) as leave a row about one label on average. Parameters as for `grid_experiment`, and the
    registry names of `policies`.

    Examples
    --------
    >>> list(sharing_experiment("demo", folder="outputs/try", n_replicates=2).datasets)
    ['demo', 'demo[arms=33]']
    """
    dataset = load_dataset(name)
    datasets: dict[str, Any] = {name: name}
    if dataset.describe()["labels_per_observation"] > _ONE_LABEL:
        few = partial(arm_subset, name=name, n_arms=one_label_arms(dataset), seed=0)
        datasets[few().name] = few
    return Experiment(
        datasets=datasets,
        policies=policies,
        variants={PLAIN: {"exclusive_rewards": False}, EXCLUSIVE: {"exclusive_rewards": True}},
        folder=folder,
        n_replicates=n_replicates,
        n_rounds=n_rounds,
        seed=seed,
    )


RUN_COLUMNS = [
    *("dataset", "policy", "variant", "seed", "n_rounds", "checksum", "row_order"),
    *("mean_reward", "explored_share", "cold_start_share", "n_fitted_arms"),
]


def grid_table(finals: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of `grid_experiment` with the family of their cold start."""
    table = finals[RUN_COLUMNS].copy()
    table.insert(3, "family", table["variant"].map(FAMILY))
    return table


def many_arms_table(finals: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the runs with the data set's name, and their number of arms in a column."""
    n_arms = finals["dataset"].str.removesuffix(" arms").astype(int)
    table = finals[RUN_COLUMNS].assign(dataset=name)
    table.insert(1, "n_arms", n_arms)
    return table.sort_values(["n_arms", "policy", "variant", "seed"], ignore_index=True)


def sharing_table(finals: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return the runs with each data set's number of arms and of labels per row."""
    table = finals[RUN_COLUMNS].copy()
    sources = {run.dataset: run.task.source for run in experiment.runs()}
    sets = {label: source.load() for label, source in sources.items()}
    table.insert(1, "n_arms", table["dataset"].map({label: s.n_arms for label, s in sets.items()}))
    per_row = {label: s.labels.nnz / s.n_rows for label, s in sets.items()}
    table.insert(2, "labels_per_row", table["dataset"].map(per_row))
    return table
