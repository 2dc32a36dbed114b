"""The fast oracle: weighted logistic regressions of an arm's resamples, solved together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logit

from cbkit.bootstrap import Resampling
from cbkit.classifiers import smoothed_share, without_arm
from cbkit.coefficients import StackedCoefficients
from cbkit.history import Matrix
from cbkit.newton import solve_logistic


@dataclass(kw_only=True)
class LogisticOracle:
    """L2-regularised logistic regression per arm and resample, refit on the whole history.

    Each minimises scikit-learn's objective, ``|w|^2 / 2 + C * sum_i s_i * log_loss_i`` with an
    unpenalised intercept. All resamples of an arm are solved together and start from their last
    solution. A resample whose weights leave one label only predicts a constant, its smoothed
    share of rewards, until the next refit.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the regularisation.
    resampling : Resampling or None, default=None
        Weights of the resamples; ``None`` fits one model on the observations as they are.
    tol : float, default=1e-4
        Stop when a Newton step promises to lower the objective by less than half of this.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> oracle = LogisticOracle(C=1.0)
    >>> oracle.learn(7, X, np.array([0.0, 0.0, 1.0, 1.0]), rng)
    >>> oracle.fitted_arms
    array([7])
    >>> oracle.score(X)[:, 0, 0].round(2)          # (n_rounds, n_fitted_arms, n_resamples)
    array([0.13, 0.35, 0.65, 0.87])
    """

    C: float = 1.0
    resampling: Resampling | None = None
    tol: float = 1e-4
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.C) and self.C > 0):
            raise ValueError(f"C must be a number greater than 0, got {self.C!r}")
        if not self.tol > 0:
            raise ValueError(f"tol must be greater than 0, got {self.tol!r}")
        self.coefficients_ = StackedCoefficients(self.n_resamples)
        self._weights: dict[int, np.ndarray] = {}

    @property
    def n_resamples(self) -> int:
        """Number of models per arm."""
        return self.resampling.n_resamples if self.resampling else 1

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return self.coefficients_.arms

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Refit `arm` on its whole history.

        Parameters
        ----------
        arm : int
            The arm.
        X : csr_array or ndarray, shape (n_observations, n_features)
            Its contexts, in the order in which they came.
        rewards : ndarray, shape (n_observations,)
            Their rewards, of both kinds.
        rng : numpy.random.Generator
            Source of the resample weights.
        """
        weights = np.ones((len(rewards), 1))
        if self.resampling:
            weights = self.resampling.update(self._weights.get(arm), len(rewards), rng)
            if self.resampling.kept:
                self._weights[arm] = weights
        total = weights.sum(axis=0)
        positive = rewards @ weights
        solvable = (positive > 0) & ((1.0 - rewards) @ weights > 0)
        coef = np.zeros((X.shape[1], self.n_resamples))
        intercept = logit(smoothed_share(positive, total))
        if solvable.any():
            start = None
            if arm in self.coefficients_:
                last_coef, last_intercept = self.coefficients_.get(arm)
                start = last_coef[:, solvable], last_intercept[solvable]
            coef[:, solvable], intercept[solvable] = solve_logistic(
                X, rewards, weights[:, solvable], C=self.C, start=start, tol=self.tol
            )
        self.coefficients_.put(arm, coef, intercept)

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        return expit(self.coefficients_.linear_predictor(X))

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self.coefficients_.drop_arm(arm)
        self._weights = without_arm(arm, self._weights)
