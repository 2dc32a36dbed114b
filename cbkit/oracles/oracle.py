"""Reward oracles: any scikit-learn-like binary classifier, one per arm and resample."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from cbkit._validation import Matrix
from cbkit.oracles.guards import (
    check_classifier,
    fit_guarded,
    partial_fit,
    positive_probability,
    seeded_clone,
    smoothed_share,
    without_arm,
)
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle, check_streaming_resampling


class Oracle(Protocol):
    """Expected rewards of the arms that have been learned, per resample.

    ``streaming`` says what `learn` is given: the rows since the last call, or the whole history.
    """

    streaming: bool
    resampling: Resampling | None

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that `score` scores, in the order of its second axis."""

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Learn from observations of `arm`.

        Parameters
        ----------
        arm : int
            The arm.
        X : csr_array or ndarray, shape (n_observations, n_features)
            Contexts of its observations: the new ones if ``streaming``, else all.
        rewards : ndarray of float, shape (n_observations,)
            Its rewards in them, 0 or 1.
        rng : numpy.random.Generator
            Source of the resample weights and of the models' seeds.
        """

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""


@dataclass(kw_only=True)
class ClassifierOracle:
    """Any classifier as reward oracle, refit on the whole history of an arm.

    Parameters
    ----------
    classifier : scikit-learn-like classifier
        Cloned for each arm and resample, never changed.
    resampling : Resampling or None, default=None
        Weights of the resamples; ``None`` fits one model per arm. Classifiers without sample
        weights take whole weights (multinomial, Poisson) as repeated rows.
    probability : {"sigmoid", "calibrated"}, default="sigmoid"
        For classifiers without ``predict_proba``: the sigmoid of ``decision_function``, or
        Platt's calibration by cross-validation.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> oracle = ClassifierOracle(classifier=GaussianNB())
    >>> X = np.array([[0.0], [0.5], [2.0], [2.5]])
    >>> oracle.learn(1, X, np.array([0, 0, 1, 1]), np.random.default_rng(0))
    >>> oracle.score(X[[0, 3]])[:, 0, 0].round(2)
    array([0., 1.])
    """

    classifier: Any
    resampling: Resampling | None = None
    probability: str = "sigmoid"
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.probability not in ("sigmoid", "calibrated"):
            raise ValueError(f"probability must be sigmoid or calibrated, got {self.probability!r}")
        check_classifier(self.classifier, "fit", self.resampling)
        self._models: dict[int, list[Any]] = {}
        self._weights: dict[int, np.ndarray] = {}

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return np.array(list(self._models), dtype=np.int64)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Refit `arm` on its whole history, one model per resample.

        Parameters as for `Oracle.learn`.
        """
        weights = None
        if self.resampling:
            weights = self.resampling.update(self._weights.get(arm), len(rewards), rng)
            if self.resampling.kept:
                self._weights[arm] = weights
        columns = [None] if weights is None else weights.T
        self._models[arm] = [
            fit_guarded(self.classifier, X, rewards, column, rng, self.probability)
            for column in columns
        ]

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        n_resamples = self.resampling.n_resamples if self.resampling else 1
        scores = np.empty((X.shape[0], len(self._models), n_resamples))
        for position, models in enumerate(self._models.values()):
            for resample, model in enumerate(models):
                scores[:, position, resample] = positive_probability(model, X)
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._models = without_arm(arm, self._models)
        self._weights = without_arm(arm, self._weights)


@dataclass(kw_only=True)
class StreamingOracle:
    """A classifier with ``partial_fit`` per arm and resample, updated with each block's rows.

    Parameters
    ----------
    classifier : scikit-learn-like classifier with ``partial_fit``
        Cloned for each arm and resample, never changed.
    resampling : Resampling or None, default=None
        Weights of the new rows in each resample, of a kind other than multinomial.

    Notes
    -----
    An arm counts as fitted once it has learned from both kinds of reward; a resample whose weights
    left it with one of them predicts its smoothed share until then.

    Examples
    --------
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> oracle = StreamingOracle(classifier=BernoulliNB())
    >>> rng = np.random.default_rng(0)
    >>> oracle.learn(0, np.array([[1.0, 0.0]]), np.array([1]), rng)
    >>> len(oracle.fitted_arms)
    0
    >>> oracle.learn(0, np.array([[0.0, 1.0]]), np.array([0]), rng)
    >>> oracle.score(np.array([[1.0, 0.0]]))[0, 0].round(2)
    array([0.8])
    """

    classifier: Any
    resampling: Resampling | None = None
    streaming: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        if not hasattr(self.classifier, "partial_fit"):
            raise ValueError(
                f"{type(self.classifier).__name__} has no partial_fit; write SGDClassifier or "
                "another incremental classifier, or ClassifierOracle for full refits"
            )
        check_classifier(self.classifier, "partial_fit", self.resampling)
        check_streaming_resampling(self.resampling)
        self._models: dict[int, list[Any]] = {}
        self._labels: dict[int, np.ndarray] = {}
        self._seen: dict[int, set[int]] = {}

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have seen both kinds of reward, in the order of `score`'s second axis."""
        return np.array([arm for arm in self._models if len(self._seen[arm]) == 2], dtype=np.int64)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Update `arm` with new rows, each weighted anew in each resample.

        Parameters as for `Oracle.learn`.
        """
        n_resamples = self.resampling.n_resamples if self.resampling else 1
        if arm not in self._models:
            self._models[arm] = [seeded_clone(self.classifier, rng) for _ in range(n_resamples)]
            self._labels[arm] = np.zeros((2, n_resamples))
            self._seen[arm] = set()
        self._seen[arm].update(np.asarray(rewards, dtype=np.int64).tolist())
        weights = self.resampling.update(None, len(rewards), rng) if self.resampling else None
        for resample, model in enumerate(self._models[arm]):
            column = None if weights is None else weights[:, resample]
            partial_fit(model, X, rewards, column)
        weights = np.ones((len(rewards), 1)) if weights is None else weights
        self._labels[arm] += np.array([1.0 - rewards, rewards]) @ weights

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        n_resamples = self.resampling.n_resamples if self.resampling else 1
        arms = self.fitted_arms
        scores = np.empty((X.shape[0], len(arms), n_resamples))
        for position, arm in enumerate(arms):
            negative, positive = self._labels[arm]
            scores[:, position] = smoothed_share(positive, positive + negative)
            for resample in np.flatnonzero((positive > 0) & (negative > 0)):
                model = self._models[arm][resample]
                scores[:, position, resample] = positive_probability(model, X)
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._models = without_arm(arm, self._models)
        self._labels = without_arm(arm, self._labels)
        self._seen = without_arm(arm, self._seen)


NAMED_ORACLES = {"logistic": LogisticOracle, "streaming-logistic": StreamingLogisticOracle}


def as_oracle(oracle: Any, resampling: Resampling | None = None) -> Oracle:
    """Make a fresh oracle of what a user gave, with the resamples that a policy needs.

    Parameters
    ----------
    oracle : str, mapping, classifier or Oracle
        ``"logistic"`` or ``"streaming-logistic"``, ``{"logistic": {"C": 10.0}}``, any
        scikit-learn-like classifier, or an oracle whose parameters are used.
    resampling : Resampling or None
        The policy's resamples.

    Returns
    -------
    Oracle
        Without any state of the one that was given.

    Examples
    --------
    >>> as_oracle({"logistic": {"C": 10.0}})
    LogisticOracle(C=10.0, resampling=None, tol=0.0001)
    """
    if isinstance(oracle, str):
        oracle = {oracle: {}}
    if isinstance(oracle, dict):
        name, parameters = next(iter(oracle.items()), (None, None))
        if len(oracle) != 1 or name not in NAMED_ORACLES:
            raise ValueError(
                f"unknown oracle {oracle!r}; write one of {', '.join(NAMED_ORACLES)}, "
                "a classifier, or an oracle such as ClassifierOracle(classifier=...)"
            )
        return NAMED_ORACLES[name](resampling=resampling, **(parameters or {}))
    if hasattr(oracle, "with_resampling"):
        return oracle.with_resampling(resampling)
    if hasattr(oracle, "learn") and hasattr(oracle, "resampling"):
        if resampling and oracle.resampling not in (None, resampling):
            raise ValueError(
                f"the oracle has {oracle.resampling}, the policy {resampling}; give the resamples "
                "once, to the policy (n_resamples, weights, kept)"
            )
        return replace(oracle, resampling=resampling or oracle.resampling)
    return ClassifierOracle(classifier=oracle, resampling=resampling)
