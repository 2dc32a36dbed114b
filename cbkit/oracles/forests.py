"""Trees as their own resamples: upper bounds that need no further bootstrap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import beta
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import Matrix, check_percentile
from cbkit.oracles.guards.door import check_classifier
from cbkit.oracles.guards.few_rows import fit_guarded
from cbkit.oracles.guards.fitting import for_classifiers, seeded_clone
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.guards.wording import arm_in_words, in_words
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.resampling import Resampling

_FORESTS = (RandomForestClassifier, ExtraTreesClassifier)


def _check_trees(oracle: str, given: Any, kinds: tuple[type, ...]) -> None:
    """Raise an error for what is not one of `kinds`, or cannot be copied."""
    if not isinstance(given, kinds):
        names = " or ".join(f"{kind.__name__}()" for kind in kinds)
        raise ValueError(f"{oracle} needs {names}, got {given!r:.80}")
    check_classifier(given, "fit", None)


@suggest_keywords
@dataclass(kw_only=True)
class ForestOracle:
    """A random forest per arm whose trees serve as the arm's resamples.

    The paper names this and leaves it open (section "Obtaining upper confidence bounds"): each
    tree was grown on a bootstrap resample, so percentiles over trees need no bootstrap of forests.

    Parameters
    ----------
    forest : RandomForestClassifier or ExtraTreesClassifier, default=RandomForestClassifier(10)
        Cloned for each arm. Its ``n_estimators`` is the number of resamples, whatever number the
        policy asks for.

    Examples
    --------
    >>> from cbkit import BootstrappedUCB
    >>> policy = BootstrappedUCB(5, oracle=ForestOracle(forest=RandomForestClassifier(20)))
    >>> policy.oracle.n_resamples
    20
    """

    forest: Any = field(default_factory=lambda: RandomForestClassifier(n_estimators=10))
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        _check_trees("ForestOracle", self.forest, _FORESTS)
        self._forests: PerArm[Any] = PerArm()

    @property
    def n_resamples(self) -> int:
        """Number of trees."""
        return self.forest.n_estimators

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return self._forests.arms

    def with_resampling(self, resampling: Resampling | None) -> ForestOracle:
        """Return a fresh copy; the trees are its resamples."""
        return ForestOracle(forest=self.forest)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Grow the arm's forest anew on its whole history. Parameters as for `Oracle.learn`."""
        counts = np.bincount(np.asarray(rewards, dtype=np.int64), minlength=2)
        with in_words(arm_in_words(arm, counts), self.forest):
            self._forests[arm] = fit_guarded(self.forest, for_classifiers(X), rewards, None, rng)

    def score(self, X: Matrix) -> np.ndarray:
        """Return each tree's expected rewards, shape (n_rounds, n_fitted_arms, n_trees)."""
        X = for_classifiers(X).astype(np.float32)  # what trees split on; once for all of them
        scores = np.empty((X.shape[0], len(self._forests), self.n_resamples))
        for position, forest in enumerate(self._forests.values()):
            for resample, tree in enumerate(getattr(forest, "estimators_", [forest])):
                scores[:, position, resample:] = positive_probability(tree, X)[:, None]
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._forests.drop_arm(arm)


@suggest_keywords
@dataclass(kw_only=True)
class TreeLeafOracle:
    """A decision tree or forest per arm that scores by an upper bound from its leaves' counts.

    The bound is the percentile of ``Beta(1 + rewards, 1 + non-rewards)`` with the counts of the
    leaf that the context falls into, means over trees in a forest (section "Obtaining upper
    confidence bounds", left open there).

    Parameters
    ----------
    tree : DecisionTreeClassifier, default=DecisionTreeClassifier(min_samples_leaf=5)
        Cloned for each arm; or a RandomForestClassifier or ExtraTreesClassifier, in whose leaves
        all of the arm's observations count, also those that a tree was not grown on.
    percentile : float, default=80
        In percent (0-100); 50 is about the leaf's mean, without any bonus for few observations.

    Examples
    --------
    >>> oracle = TreeLeafOracle(tree=DecisionTreeClassifier(max_depth=1), percentile=80)
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> oracle.learn(0, X, np.array([0, 0, 1, 1]), np.random.default_rng(0))
    >>> oracle.score(X[[0, 3]])[:, 0, 0].round(2)             # Beta(1, 3) and Beta(3, 1)
    array([0.42, 0.93])
    """

    tree: Any = field(default_factory=lambda: DecisionTreeClassifier(min_samples_leaf=5))
    percentile: float = 80
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        check_percentile(self.percentile)
        _check_trees("TreeLeafOracle", self.tree, (DecisionTreeClassifier, *_FORESTS))
        self._trees: PerArm[tuple[Any, list[np.ndarray]]] = PerArm()

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return self._trees.arms

    def with_resampling(self, resampling: Resampling | None) -> TreeLeafOracle:
        """Return a fresh copy, without resamples: the bound comes from the leaves."""
        if resampling is not None:
            raise ValueError(
                "TreeLeafOracle takes its bound from the leaves and has no resamples; "
                "use it with Greedy, or ForestOracle with BootstrappedUCB"
            )
        return TreeLeafOracle(tree=self.tree, percentile=self.percentile)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Grow the arm's trees anew and count the rewards in each of their leaves.

        Parameters as for `Oracle.learn`.
        """
        X, rewards = for_classifiers(X), np.asarray(rewards, dtype=np.int64)
        with in_words(arm_in_words(arm, np.bincount(rewards, minlength=2)), self.tree):
            tree = seeded_clone(self.tree, rng).fit(X, rewards)
        labels = np.stack([1 - rewards, rewards])
        counts = [
            np.stack([np.bincount(nodes, weights=label) for label in labels])
            for nodes in _leaves(tree, X)
        ]
        self._trees[arm] = tree, counts

    def score(self, X: Matrix) -> np.ndarray:
        """Return upper bounds of the expected rewards, shape (n_rounds, n_fitted_arms, 1)."""
        X = for_classifiers(X)
        scores = np.empty((X.shape[0], len(self._trees), 1))
        for position, (tree, counts) in enumerate(self._trees.values()):
            per_tree = [c[:, nodes] for c, nodes in zip(counts, _leaves(tree, X), strict=True)]
            negatives, positives = np.mean(per_tree, axis=0)
            scores[:, position, 0] = beta.ppf(self.percentile / 100, 1 + positives, 1 + negatives)
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._trees.drop_arm(arm)


def _leaves(tree: Any, X: Matrix) -> np.ndarray:
    """Return the leaf that each context falls into, shape (n_trees, n_rounds)."""
    return np.atleast_2d(tree.apply(X.astype(np.float32)).T)
