"""Reward models: expected rewards of all arms, learned from a log's played arms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix, check_generator, check_number, check_whole
from cbkit.off_policy.evidence import Predict
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.oracles.oracle import as_oracle

Fitted = Callable[[Matrix], np.ndarray]


class RewardModel(Protocol):
    """Learns expected rewards of all arms from rounds that show one arm's each."""

    def fit(self, log: LoggedRounds, rng: np.random.Generator) -> Fitted:
        """Return a function from contexts to expected rewards, shape (n_rounds, n_arms)."""


def shrunk_means(log: LoggedRounds, shrinkage: float) -> np.ndarray:
    """Return each arm's mean reward, drawn towards that of all arms.

    ``(rewards of the arm + s * overall mean) / (rounds of the arm + s)``

    Parameters
    ----------
    log : LoggedRounds
        The log.
    shrinkage : float
        How many rounds the overall mean counts for, ``s``.

    Returns
    -------
    ndarray, shape (n_arms,)
        The means; that of all arms for an arm that was never played.
    """
    played = np.bincount(log.arms, minlength=log.n_arms)
    rewarded = np.bincount(log.arms, weights=log.rewards, minlength=log.n_arms)
    return (rewarded + shrinkage * log.rewards.mean()) / (played + shrinkage)


def _check_positive(name: str, value: float) -> None:
    check_number(name, value)
    if value <= 0:
        raise ValueError(f"{name} must be greater than 0, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class MeanRewards:
    """Each arm's mean reward, whatever the context, drawn towards that of all arms.

    Parameters
    ----------
    shrinkage : float, default=20
        How many rounds the overall mean counts for.

    Examples
    --------
    >>> log = LoggedRounds(
    ...     X=[[0.0]] * 4, arms=[0, 0, 1, 1], rewards=[1, 1, 0, 0], propensities=[0.5] * 4, n_arms=3
    ... )
    >>> predict = MeanRewards(shrinkage=2).fit(log, np.random.default_rng(0))
    >>> predict(log.X)[0]                                # (2 + 1) / 4, (0 + 1) / 4, overall mean
    array([0.75, 0.25, 0.5 ])
    """

    shrinkage: float = 20.0

    def __post_init__(self) -> None:
        _check_positive("shrinkage", self.shrinkage)

    def fit(self, log: LoggedRounds, rng: np.random.Generator) -> Fitted:
        """Return the fitted model. Parameters as for `RewardModel.fit`."""
        means = shrunk_means(log, self.shrinkage)
        return lambda X: np.tile(means, (X.shape[0], 1))


@dataclass(frozen=True, kw_only=True)
class RidgeRewards:
    """A ridge regression per arm on what its mean reward leaves open; predicts within [0, 1].

    The cheap model: solved in closed form, in features or in observations, whichever are fewer.

    Parameters
    ----------
    penalty : float, default=1.0
        Weight of the squared coefficients.
    shrinkage : float, default=20
        As for `MeanRewards`.

    Examples
    --------
    >>> X = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> log = LoggedRounds(
    ...     X=X, arms=[0, 0, 0, 0], rewards=[0, 1, 0, 1], propensities=[0.5] * 4, n_arms=2
    ... )
    >>> predict = RidgeRewards(penalty=1.0).fit(log, np.random.default_rng(0))
    >>> predict(X[:2])                                   # .5 + x * 2 / (4 + 1)
    array([[0.1, 0.5],
           [0.9, 0.5]])
    """

    penalty: float = 1.0
    shrinkage: float = 20.0

    def __post_init__(self) -> None:
        _check_positive("penalty", self.penalty)
        _check_positive("shrinkage", self.shrinkage)

    def fit(self, log: LoggedRounds, rng: np.random.Generator) -> Fitted:
        """Return the fitted model. Parameters as for `RewardModel.fit`."""
        means = shrunk_means(log, self.shrinkage)
        coefficients = np.zeros((log.X.shape[1], log.n_arms))
        by_arm = np.argsort(log.arms, kind="stable")
        X, residuals = log.X[by_arm], (log.rewards - means[log.arms])[by_arm]
        arms, starts = np.unique(log.arms[by_arm], return_index=True)
        for arm, start, end in zip(arms, starts, [*starts[1:], len(by_arm)], strict=True):
            coefficients[:, arm] = self._solve(X[start:end], residuals[start:end])

        def predict(X: Matrix) -> np.ndarray:
            expected = X @ coefficients
            expected += means
            return np.clip(expected, 0.0, 1.0, out=expected)

        return predict

    def _solve(self, X: Matrix, residuals: np.ndarray) -> np.ndarray:
        few = X.shape[0] < X.shape[1]
        gram = X @ X.T if few else X.T @ X
        gram = gram.toarray() if sparse.issparse(gram) else gram
        gram.flat[:: len(gram) + 1] += self.penalty  # the diagonal
        if few:
            return X.T @ np.linalg.solve(gram, residuals)
        return np.linalg.solve(gram, X.T @ residuals)


@dataclass(frozen=True, kw_only=True)
class ClassifierRewards:
    """Any classifier per arm, as in the policies; arms with one kind of reward predict their mean.

    Parameters
    ----------
    classifier : str, mapping, classifier or Oracle, default="logistic"
        As for a policy's ``oracle``.
    shrinkage : float, default=20
        As for `MeanRewards`, for arms without a classifier.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> log = LoggedRounds(
    ...     X=X, arms=[0, 0, 0, 1], rewards=[0, 1, 0, 1], propensities=[0.5] * 4, n_arms=2
    ... )
    >>> model = ClassifierRewards(classifier=DecisionTreeClassifier())
    >>> model.fit(log, np.random.default_rng(0))(X[:2]).round(2)
    array([[0.  , 0.52],
           [1.  , 0.52]])
    """

    classifier: Any = "logistic"
    shrinkage: float = 20.0

    def __post_init__(self) -> None:
        _check_positive("shrinkage", self.shrinkage)

    def fit(self, log: LoggedRounds, rng: np.random.Generator) -> Fitted:
        """Return the fitted model. Parameters as for `RewardModel.fit`."""
        oracle = as_oracle(self.classifier, None)
        means = shrunk_means(log, self.shrinkage)
        for arm in range(log.n_arms):
            rows = np.flatnonzero(log.arms == arm)
            rewards = log.rewards[rows].astype(np.float64)
            if len(rows) and rewards.min() < rewards.max():
                oracle.learn(arm, log.X[rows], rewards, rng)
        fitted = oracle.fitted_arms

        def predict(X: Matrix) -> np.ndarray:
            expected = np.tile(means, (X.shape[0], 1))
            if len(fitted):
                expected[:, fitted] = oracle.score(X).mean(axis=2)
            return expected

        return predict


def cross_fitted(
    log: LoggedRounds, model: RewardModel, rng: np.random.Generator, n_folds: int = 3
) -> Predict:
    """Fit a reward model so that no round is predicted from its own reward.

    That makes the doubly robust estimator exactly unbiased where rounds are independent. In the log
    of a policy that learned, later arms depend on earlier rewards; then a bias is left, which is
    small for many rounds. A model fitted to earlier rounds alone, or to another log, leaves none.

    Parameters
    ----------
    log : LoggedRounds
        The log; its pages stay in one fold.
    model : RewardModel
        What is fitted, once per fold, on the rounds outside it.
    rng : numpy.random.Generator
        Source of the folds and of the models' draws.
    n_folds : int, default=3
        Number of folds, at least 2.

    Returns
    -------
    callable
        From numbers of rounds to expected rewards of all arms in them, shape (n, n_arms), for
        `gather`.

    Examples
    --------
    >>> log = LoggedRounds(
    ...     X=[[0.0]] * 4, arms=[0, 0, 1, 1], rewards=[1, 1, 0, 0], propensities=[0.5] * 4, n_arms=2
    ... )
    >>> predict = cross_fitted(log, MeanRewards(), np.random.default_rng(0), n_folds=2)
    >>> predict(np.array([0, 2, 3])).shape
    (3, 2)
    """
    check_generator(rng)
    check_whole("n_folds", n_folds, least=2)
    pages = np.arange(log.n_rounds) if log.pages is None else log.pages
    n_pages = int(pages.max()) + 1
    if len(np.unique(pages)) < n_folds:
        raise ValueError(
            f"n_folds must be at most the number of rounds or pages, got {n_folds} for a log of "
            f"{log.n_rounds} rounds"
        )
    folds = rng.permutation(np.arange(n_pages) % n_folds)[pages]
    fitted = [model.fit(log.take(folds != fold), rng) for fold in range(n_folds)]

    def predict(rows: np.ndarray) -> np.ndarray:
        expected = np.empty((len(rows), log.n_arms))
        for fold, of_fold in enumerate(fitted):
            positions = np.flatnonzero(folds[rows] == fold)
            if len(positions):
                expected[positions] = of_fold(log.X[rows[positions]])
        return expected

    return predict
