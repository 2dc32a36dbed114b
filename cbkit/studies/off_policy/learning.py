"""Learning from a log against learning online at equal rounds, and what a warm start buys."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.datasets import MultilabelDataset
from cbkit.off_policy.learning import DoublyRobustLearner, ImportanceWeightedLearner
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.planted import true_value
from cbkit.off_policy.reward_models import RidgeRewards
from cbkit.off_policy.targets import greedy_target
from cbkit.off_policy.warm_start import warm_start
from cbkit.policies.cold_start import Smoothing
from cbkit.policies.policy import Policy
from cbkit.policies.registry import make_policy
from cbkit.simulate.loop import simulate

_SMOOTHING = Smoothing(a=1, b=2)
LOGGERS = {
    "random": ("RandomArm", {}),
    "epsilon-greedy": (
        "EpsilonGreedy",
        {"explore_probability": 0.2, "decay": 1.0, "cold_start": _SMOOTHING},
    ),
}
_MOST_CELLS = 2_000_000  # rounds times arms up to which one-vs-rest over all rounds is affordable


def _online(dataset: MultilabelDataset) -> Policy:
    return make_policy("Greedy", dataset, cold_start=_SMOOTHING)


def run_learning(
    dataset: MultilabelDataset, *, n_rounds: int, n_after: int, seed: int
) -> pd.DataFrame:
    """Learn from the same rounds in several ways, and value what was learned on other rows.

    Parameters
    ----------
    dataset : MultilabelDataset
        A random half is played, the other is what policies are valued on.
    n_rounds : int
        Rounds of the log, or of learning online.
    n_after : int
        Rounds that are played after a warm or a cold start, with rows not logged before.
    seed : int
        Of the split and of all runs.

    Returns
    -------
    DataFrame
        One row per log and way of learning: ``value`` per round of what was learned, without
        exploring, on the held-out rows; ``earned`` per round while learning; and for the log, mean
        rewards of the policy in the rounds after it (``after_warm``), against a fresh one that
        plays the same rows (``after_cold``).
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(dataset.n_rows)
    half = dataset.n_rows // 2
    played, held_out = _rows(dataset, order[:half]), _rows(dataset, order[half:])
    logged = _rows(played, np.arange(min(n_rounds, half - n_after)))
    later = _rows(played, np.arange(half - n_after, half))

    def value(policy: Policy) -> float:
        return true_value(held_out, greedy_target(policy)(held_out.features))

    online = _online(dataset)
    run = simulate(online, logged, seed=seed)
    rows = [{"log": "none", "learned": "online", "value": value(online), "earned": run.mean_reward}]
    cold = simulate(_online(dataset), later, seed=seed).mean_reward
    for name, (registered, parameters) in LOGGERS.items():
        run = simulate(make_policy(registered, dataset, **parameters), logged, seed=seed)
        log = LoggedRounds.from_run(run, logged)
        facts = {"log": name, "earned": run.mean_reward}
        warm = _online(dataset)
        warm_start(warm, log, rng)
        row = {"learned": "one oracle per arm", "value": value(warm), "after_cold": cold}
        after = simulate(warm, later, seed=seed, warm_start=True).mean_reward
        rows.append(facts | row | {"after_warm": after})
        if log.rewards.any():
            policy = ImportanceWeightedLearner().fit(log, rng)
            rows.append(facts | {"learned": "importance weighted", "value": value(policy)})
        if log.n_rounds * log.n_arms <= _MOST_CELLS:
            policy = DoublyRobustLearner(model=RidgeRewards()).fit(log, rng)
            rows.append(facts | {"learned": "doubly robust", "value": value(policy)})
    best = np.arange(dataset.n_arms) == played.best_arm
    fixed = true_value(held_out, np.tile(best, (held_out.n_rows, 1)))
    table = pd.DataFrame(rows).assign(best_fixed_arm=fixed)
    return table.assign(dataset=dataset.name, n_rounds=logged.n_rows, n_after=n_after, seed=seed)


def _rows(dataset: MultilabelDataset, rows: np.ndarray) -> MultilabelDataset:
    return MultilabelDataset(
        features=dataset.features[rows],
        labels=dataset.labels[rows],
        arm_names=dataset.arm_names,
        name=dataset.name,
        provenance=dataset.provenance,
    )


def reduced(dataset: MultilabelDataset, n_components: int = 30, seed: int = 0) -> MultilabelDataset:
    """Return a data set with a few components of its contexts, which all ways of learning get.

    Parameters
    ----------
    dataset : MultilabelDataset
        Contexts of all its rows are used, rewards of none.
    n_components : int, default=30
        Number of components, by a truncated singular value decomposition.
    seed : int, default=0
        Of the decomposition.
    """
    from sklearn.decomposition import TruncatedSVD

    if dataset.n_features > n_components:
        svd = TruncatedSVD(n_components, random_state=seed)
        features = svd.fit_transform(dataset.features)
        features = features / features.std(axis=0)
    else:
        features = dataset.features
    return MultilabelDataset(
        features=features,
        labels=dataset.labels,
        arm_names=dataset.arm_names,
        name=dataset.name,
        provenance=f"{dataset.provenance}; {n_components} components",
    )
