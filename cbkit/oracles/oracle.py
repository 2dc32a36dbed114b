"""Reward oracles: what a policy asks of one, and how it gets one."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from typing import Any, Protocol

import numpy as np

from cbkit._base.keywords import did_you_mean
from cbkit._base.validation import Matrix
from cbkit.oracles.classifiers import ClassifierOracle
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.posteriors.streaming_laplace import StreamingLaplaceOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle


class Oracle(Protocol):
    """Expected rewards of the arms that have been learned, per resample.

    ``streaming`` says what `learn` is given: the rows since the last call, or the whole history.
    """

    streaming: bool

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


NAMED_ORACLES = {
    "logistic": LogisticOracle,
    "streaming-logistic": StreamingLogisticOracle,
    "streaming-laplace": StreamingLaplaceOracle,
}


def as_oracle(oracle: Any, resampling: Resampling | None = None) -> Oracle:
    """Return a fresh oracle of what a user gave, with the resamples that a policy needs.

    Parameters
    ----------
    oracle : str, mapping, classifier or Oracle
        A name of `NAMED_ORACLES`, ``{"logistic": {"C": 10.0}}``, any
        scikit-learn-like classifier, or an oracle whose parameters are used.
    resampling : Resampling or None
        The policy's resamples.

    Returns
    -------
    Oracle
        Without any state of the one that was given.

    Raises
    ------
    ValueError
        If it is no oracle and no classifier that can learn with these resamples.

    Examples
    --------
    >>> as_oracle({"logistic": {"C": 10.0}})
    LogisticOracle(C=10.0, resampling=None, tol=0.0001)
    """
    if isinstance(oracle, type):
        raise ValueError(f"oracle must be an instance; write {oracle.__name__}(...)")
    if isinstance(oracle, str):
        oracle = {oracle: {}}
    if isinstance(oracle, dict):
        name, parameters = next(iter(oracle.items()), (None, None))
        if len(oracle) != 1 or name not in NAMED_ORACLES:
            raise ValueError(
                f"unknown oracle {name!r}; {did_you_mean(name, NAMED_ORACLES)}, a classifier, "
                "or an oracle such as ClassifierOracle(classifier=...)"
            )
        return NAMED_ORACLES[name](resampling=resampling, **(parameters or {}))
    if hasattr(oracle, "with_resampling"):
        return oracle.with_resampling(resampling)
    if hasattr(oracle, "learn"):
        if not (is_dataclass(oracle) and hasattr(oracle, "resampling")):
            raise ValueError(
                f"cannot make fresh copies of {oracle!r:.80}; write a method "
                "with_resampling(resampling) that returns one"
            )
        if resampling and oracle.resampling not in (None, resampling):
            raise ValueError(
                f"the oracle has {oracle.resampling}, the policy {resampling}; give the resamples "
                "once, to the policy (n_resamples, weights, kept)"
            )
        return replace(oracle, resampling=resampling or oracle.resampling)  # type: ignore
    return ClassifierOracle(classifier=oracle, resampling=resampling)
