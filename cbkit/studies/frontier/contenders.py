"""Greedy with smoothing, and the changes to it that were tried, one by one and together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import sparse

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.experiment import Experiment
from cbkit.experiments.run import run_experiment
from cbkit.oracles.logistic import LogisticOracle
from cbkit.policies.named.smoothed_greedy import SMOOTHED, SmoothedGreedy
from cbkit.policies.policy import Policy
from cbkit.policies.refits import Refit
from cbkit.studies.frontier.blend import BlendedGreedy
from cbkit.studies.frontier.contexts import (
    greedy_on_lsa,
    greedy_on_tfidf,
    greedy_penalised_less,
)
from cbkit.studies.frontier.hit_rate import HitRateGreedy
from cbkit.studies.oracles.experiment import REAL_SETS, finals_with_seconds

REFERENCE, HIT_RATE = "SmoothedGreedy", "hit rate"
WITHOUT, BEST_ARM = "without contexts", "BestArmInHindsight"
REFITS = Refit.geometric()  # for all, to save time
N_REPLICATES = 20  # of all on each real set; constants were chosen on the seeds 0 to 9
FIRST_ROUNDS = {"delicious": 4000, "tmc2007": 4000}  # of the two large sets
FIRST_SEED = 100


def smoothed(dataset: MultilabelDataset) -> Policy:
    """Return the reference."""
    return replace(SmoothedGreedy(dataset.n_arms), refits=REFITS)


def hit_rate(dataset: MultilabelDataset, kind: type[HitRateGreedy] = HitRateGreedy) -> Policy:
    """Return the reference with a hope for new arms that follows their hit rate."""
    parts: dict[str, Any] = {"oracle": LogisticOracle(), "refits": REFITS}
    return kind(n_arms=dataset.n_arms, name=kind.__name__, **parts)


def blended(dataset: MultilabelDataset) -> Policy:
    """Return `hit_rate` with scores mixed of model and base rate."""
    return hit_rate(dataset, kind=BlendedGreedy)


def prepared(
    dataset: MultilabelDataset, *, how: Callable[[MultilabelDataset], Policy] = greedy_on_lsa
) -> Policy:
    """Return the reference on tf-idf and LSA of contexts that are mostly zeros, else itself."""
    if not is_mostly_zeros(dataset):
        return smoothed(dataset)
    return replace(how(dataset), refits=REFITS)


def prepared_hit_rate(dataset: MultilabelDataset) -> Policy:
    """Return `prepared` and `hit_rate` in one."""
    like = prepared(dataset)
    policy = hit_rate(dataset)
    return replace(policy, oracle=like.oracle, context_transform=like.context_transform)


def without_contexts(dataset: MultilabelDataset) -> Policy:
    """Return the reference without contexts: arms score their smoothed mean reward."""
    return Policy(n_arms=dataset.n_arms, oracle=None, cold_start=SMOOTHED, name=WITHOUT)


def is_mostly_zeros(dataset: MultilabelDataset) -> bool:
    """Return whether fewer than half of the contexts' entries are filled, as in texts."""
    features = dataset.features
    n_filled = features.nnz if sparse.issparse(features) else (features != 0).sum()
    return bool(2 * n_filled < features.shape[0] * features.shape[1])


CHANGES: dict[str, Callable[[MultilabelDataset], Policy]] = {
    HIT_RATE: hit_rate,
    "hit rate, blended": blended,
    "C = 10": partial(prepared, how=greedy_penalised_less),
    "tf-idf, C = 10": partial(prepared, how=greedy_on_tfidf),
    "prepared contexts": prepared,
    "hit rate, prepared contexts": prepared_hit_rate,
}
CONTENDERS: dict[str, str | Callable[[MultilabelDataset], Policy]] = {
    REFERENCE: smoothed,
    **CHANGES,
    WITHOUT: without_contexts,
    BEST_ARM: BEST_ARM,
}


def play_all(folder: str | Path) -> pd.DataFrame:
    """Play what the committed tables hold; returned and resumed as by `play`."""
    return play(dict.fromkeys(REAL_SETS, N_REPLICATES), folder=folder)


def play(
    replicates: Mapping[str, int],
    *,
    folder: str | Path,
    seed: int = FIRST_SEED,
    n_rounds: int | None = None,
) -> pd.DataFrame:
    """Play all contenders on data sets; runs that have a result in `folder` are not repeated.

    Parameters
    ----------
    replicates : mapping of str to int
        Data sets, by names for `load_dataset`, and numbers of replicates.
    folder : path
        Where results go, a folder per data set.
    seed : int, default=100
        The first replicate's.
    n_rounds : int, optional
        By default all rows, and `FIRST_ROUNDS` of the large sets.

    Returns
    -------
    DataFrame
        One row per run: ``dataset, policy, seed, n_rounds, mean_reward`` and CPU ``seconds``.
    """
    found = []
    for name, n_replicates in replicates.items():
        experiment = Experiment(
            datasets=[name],
            policies=CONTENDERS,
            folder=f"{folder}/{name}",
            n_replicates=n_replicates,
            n_rounds=n_rounds or FIRST_ROUNDS.get(name),
            seed=seed,
        )
        finals = finals_with_seconds(run_experiment(experiment))
        found.append(finals[["dataset", "policy", "seed", "n_rounds", "mean_reward", "seconds"]])
    return pd.concat(found, ignore_index=True)
