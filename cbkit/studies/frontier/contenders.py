"""Greedy with smoothing, and the changes to it that were tried, one by one and together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd
from scipy import sparse

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.experiment import Experiment
from cbkit.experiments.run import run_experiment
from cbkit.oracles.logistic import LogisticOracle
from cbkit.policies.named.smoothed_greedy import SmoothedGreedy
from cbkit.policies.policy import Policy
from cbkit.policies.refits import Refit
from cbkit.studies.frontier.blend import BlendedGreedy
from cbkit.studies.frontier.hit_rate import HitRateGreedy
from cbkit.studies.oracles.contexts import greedy_on_lsa
from cbkit.studies.oracles.experiment import finals_with_seconds

REFERENCE = "SmoothedGreedy"
BEST_ARM = "BestArmInHindsight"
REFITS = Refit.geometric()  # for all, to save time
REAL_SETS = (
    "medical",
    "mediamill-2000",
    "enron",
    "corel5k",
    "yeast",
    "bibtex",
    "tmc2007",
    "delicious",
)


def smoothed(dataset: MultilabelDataset) -> Policy:
    """Return the reference."""
    return replace(SmoothedGreedy(dataset.n_arms), refits=REFITS)


def hit_rate(dataset: MultilabelDataset, factor: float = 25.0) -> Policy:
    """Return the reference with a hope for new arms that follows their hit rate."""
    return HitRateGreedy(
        n_arms=dataset.n_arms,
        oracle=LogisticOracle(),
        factor=factor,
        refits=REFITS,
        name="HitRateGreedy",
    )


def blended(dataset: MultilabelDataset, factor: float = 25.0) -> Policy:
    """Return `hit_rate` with scores mixed of model and base rate."""
    return BlendedGreedy(
        n_arms=dataset.n_arms,
        oracle=LogisticOracle(),
        factor=factor,
        refits=REFITS,
        name="BlendedGreedy",
    )


def prepared(dataset: MultilabelDataset) -> Policy:
    """Return the reference on tf-idf and LSA of contexts that are mostly zeros, else itself."""
    if not is_mostly_zeros(dataset):
        return smoothed(dataset)
    return replace(greedy_on_lsa(dataset), refits=REFITS)


def prepared_hit_rate(dataset: MultilabelDataset) -> Policy:
    """Return `prepared` and `hit_rate` in one."""
    like = prepared(dataset)
    policy = hit_rate(dataset)
    return replace(policy, oracle=like.oracle, context_transform=like.context_transform)


def is_mostly_zeros(dataset: MultilabelDataset) -> bool:
    """Return whether fewer than half of the contexts' entries are filled, as in texts."""
    features = dataset.features
    n_filled = features.nnz if sparse.issparse(features) else (features != 0).sum()
    return bool(2 * n_filled < features.shape[0] * features.shape[1])


CONTENDERS: dict[str, Callable[[MultilabelDataset], Policy] | str] = {
    REFERENCE: smoothed,
    "hit rate": hit_rate,
    "hit rate, blended": blended,
    "prepared contexts": prepared,
    "hit rate, prepared contexts": prepared_hit_rate,
    BEST_ARM: BEST_ARM,
}


def play(
    datasets: Mapping[str, int | None],
    *,
    folder: str,
    n_replicates: int,
    seed: int,
    contenders: tuple[str, ...] = tuple(CONTENDERS),
) -> pd.DataFrame:
    """Play contenders on data sets; runs that have a result in `folder` are not repeated.

    Parameters
    ----------
    datasets : mapping of str to int or None
        Names for `load_dataset` and numbers of rounds, None for all rows.
    folder : str
        Where results go, a folder per data set.
    n_replicates, seed : int
        Number of replicates and the first one's seed.
    contenders : tuple of str
        Names in `CONTENDERS`, all by default.

    Returns
    -------
    DataFrame
        One row per run: ``dataset, policy, seed, n_rounds, mean_reward`` and CPU ``seconds``.
    """
    found = []
    for name, n_rounds in datasets.items():
        experiment = Experiment(
            datasets=[name],
            policies={label: CONTENDERS[label] for label in contenders},
            folder=f"{folder}/{name}",
            n_replicates=n_replicates,
            n_rounds=n_rounds,
            seed=seed,
        )
        finals = finals_with_seconds(run_experiment(experiment))
        found.append(finals[["dataset", "policy", "seed", "n_rounds", "mean_reward", "seconds"]])
    return pd.concat(found, ignore_index=True)
