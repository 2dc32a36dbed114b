"""Populations whose truth is known: a data set's half, logging policies, and targets to evaluate.

One half of the rows is what policies learn from; the other is the population that logs are drawn
from. Multilabel data say what every arm would have earned there, so every policy's value is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from cbkit.datasets import MultilabelDataset
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.targets import (
    epsilon_greedy_probabilities,
    greedy_probabilities,
    softmax_probabilities,
)
from cbkit.policies.indices import UpperPercentile
from cbkit.policies.registry import make_policy
from cbkit.simulate.loop import simulate
from cbkit.studies.off_policy.beta_propensities import highest_of_draws

LOGS = ("random", "epsilon-greedy", "softmax", "MAB-first UCB")
TARGETS = ("random arm", "best fixed arm", "greedy", "softmax")
_N_COMPONENTS = 30  # contexts of the reward models and scorers
_WEAK_SHARE = 0.1  # of the learning half: what the logging policies' scores come from
_MULTIPLIER = 2.0  # the paper's for SoftmaxExplorer
_EPSILON = 0.2  # the paper's for EpsilonGreedy


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """Rows that logs are drawn from, and what is known of them.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : ndarray, shape (n_rows, n_components)
        Contexts.
    labels : csr_array, shape (n_rows, n_arms)
        Rewards of all arms.
    logging : dict of str to ndarray, shape (n_rows, n_arms)
        Probabilities of the logging policies.
    targets : dict of str to ndarray, shape (n_rows, n_arms)
        Probabilities of the policies to evaluate.
    ladder : dict of str to ndarray, shape (n_rows * n_arms,)
        Of the logging policy that was drawn from last: row number plus cumulative probability,
        rising, so that one search finds a row's arm.
    """

    name: str
    X: np.ndarray
    labels: sparse.csr_array
    logging: dict[str, np.ndarray]
    targets: dict[str, np.ndarray]
    ladder: dict[str, np.ndarray] = field(default_factory=dict, init=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.labels.shape[0]

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return self.labels.shape[1]

    def value(self, probabilities: np.ndarray) -> float:
        """Return the true value of a policy, given its probabilities (n_rows, n_arms)."""
        return float(self.labels.multiply(probabilities).sum() / self.n_rows)

    def draw(
        self, log: str, n_rounds: int, rng: np.random.Generator
    ) -> tuple[LoggedRounds, np.ndarray]:
        """Draw a log, rows with replacement, and return it with the rows' numbers."""
        if log not in self.ladder:  # one at a time: each is as large as the labels made dense
            self.ladder.clear()
            cumulative = np.cumsum(self.logging[log], axis=1)
            cumulative /= cumulative[:, -1:]
            cumulative[:, -1] = 1.0
            self.ladder[log] = (cumulative + np.arange(self.n_rows)[:, None]).ravel()
        rows = rng.integers(self.n_rows, size=n_rounds)
        steps = np.searchsorted(self.ladder[log], rows + rng.random(n_rounds), side="right")
        arms = steps - rows * self.n_arms
        drawn = LoggedRounds(
            X=self.X[rows],
            arms=arms,
            rewards=self.labels[rows, arms],
            propensities=self.logging[log][rows, arms],
            n_arms=self.n_arms,
            name=f"{log} on {self.name}",
        )
        return drawn, rows


def make_population(dataset: MultilabelDataset, *, seed: int, n_played: int = 2000) -> Population:
    """Split a data set, learn logging policies and targets from one half, keep the other.

    Parameters
    ----------
    dataset : MultilabelDataset
        The data set.
    seed : int
        Of the split, of the contexts' reduction and of the run of the MAB-first policy.
    n_played : int, default=2000
        Rounds that the MAB-first policy has played, on the learning half, when it is frozen.

    Returns
    -------
    Population
        Of the other half's rows.
    """
    order = np.random.default_rng(seed).permutation(dataset.n_rows)
    half = dataset.n_rows // 2
    learning, kept = order[:half], order[half:]
    reduced = _reduced(dataset.features, learning, seed)
    strong = _scores(reduced, dataset.labels, learning, kept)
    weak = _scores(reduced, dataset.labels, learning[: int(_WEAK_SHARE * half)], kept)
    n_rows, n_arms = strong.shape
    uniform = np.full((n_rows, n_arms), 1.0 / n_arms)
    best = np.asarray(dataset.labels[learning].sum(axis=0)).ravel().argmax()
    return Population(
        name=dataset.name,
        X=reduced[kept],
        labels=dataset.labels[kept],
        logging={
            "random": uniform,
            "epsilon-greedy": epsilon_greedy_probabilities(weak, _EPSILON),
            "softmax": softmax_probabilities(weak, _MULTIPLIER),
            "MAB-first UCB": _frozen_ucb(dataset, learning, kept, min(n_played, half), seed),
        },
        targets={
            "random arm": uniform,
            "best fixed arm": np.tile(np.arange(n_arms) == best, (n_rows, 1)).astype(float),
            "greedy": greedy_probabilities(strong),
            "softmax": softmax_probabilities(strong, _MULTIPLIER),
        },
    )


def _reduced(features: np.ndarray, learning: np.ndarray, seed: int) -> np.ndarray:
    """Return a few components of the contexts and a constant, fitted on the learning half."""
    n_components = min(_N_COMPONENTS, features.shape[1] - 1)
    svd = TruncatedSVD(n_components, random_state=seed).fit(features[learning])
    components = svd.transform(features)
    components /= components[learning].std(axis=0)
    return np.column_stack([components, np.ones(len(components))])


def _scores(
    X: np.ndarray, labels: sparse.csr_array, learning: np.ndarray, kept: np.ndarray
) -> np.ndarray:
    """Return expected rewards of all arms in the kept rows, by ridge regressions on all labels."""
    gram = X[learning].T @ X[learning] + np.eye(X.shape[1])
    coefficients = np.linalg.solve(gram, (labels[learning].T @ X[learning]).T)
    return np.clip(X[kept] @ coefficients, 1e-3, 1 - 1e-3)


def _frozen_ucb(
    dataset: MultilabelDataset, learning: np.ndarray, kept: np.ndarray, n_played: int, seed: int
) -> np.ndarray:
    """Play BootstrappedUCB with MAB-first (3, 7, 2), freeze it, return its exact probabilities."""
    part = MultilabelDataset(
        features=dataset.features[learning],
        labels=dataset.labels[learning],
        arm_names=dataset.arm_names,
        name=dataset.name,
    )
    policy = make_policy("BootstrappedUCB", part, cold_start={"MABFirst": {"a": 3, "b": 7}})
    simulate(policy, part, seed=seed, n_rounds=n_played)
    scores = policy.score(dataset.features[kept])
    warm = ~np.isnan(scores[0, :, 0])
    assert isinstance(policy.index, UpperPercentile)
    indices = np.percentile(scores[:, warm], policy.index.percentile, axis=2)
    counts = policy.history_
    probabilities = np.zeros((len(kept), dataset.n_arms))
    best = indices.max(axis=1) if warm.any() else np.zeros(len(kept))
    a, b = 3 + counts.positives[~warm], 7 + counts.negatives[~warm]
    probabilities[:, ~warm] = highest_of_draws(a, b, best)
    if warm.any():
        is_best = indices == best[:, None]
        left = 1 - probabilities.sum(axis=1)
        probabilities[:, warm] = is_best * (left / is_best.sum(axis=1))[:, None]
    return probabilities
