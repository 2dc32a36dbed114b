"""Full refits with a posterior: logistic regressions and the Gaussian around each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from cbkit._base.validation import Matrix
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.posteriors.gaussian import (
    INTERCEPT_VARIANCE,
    GaussianPosterior,
    refuse_resampling,
    scores_with_spread,
)
from cbkit.oracles.resampling import Resampling


@dataclass(kw_only=True)
class LaplaceOracle:
    """L2-regularised logistic regression per arm, and Laplace's approximation of its posterior.

    The mean is `LogisticOracle`'s solution; the precision is the prior's plus the curvature of the
    log-likelihood there. The intercept, unpenalised in the mean, has a prior of variance 100.
    While an arm has fewer rows than features all is computed from the rows' products.

    Parameters
    ----------
    C : float, default=1.0
        Variance of the coefficients' prior: scikit-learn's inverse strength of regularisation.

    Notes
    -----
    Bishop (2006), "Pattern recognition and machine learning", section 4.5.

    Examples
    --------
    >>> oracle = LaplaceOracle()
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> oracle.learn(7, X, np.array([0.0, 0.0, 1.0, 1.0]), np.random.default_rng(0))
    >>> oracle.score(X[:1])[0, 0].round(2)         # at the mean, and one deviation above it
    array([0.19, 0.53])
    """

    C: float = 1.0
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        self._modes = LogisticOracle(C=self.C)
        self._posteriors: PerArm[GaussianPosterior] = PerArm()

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return self._modes.fitted_arms

    def with_resampling(self, resampling: Resampling | None) -> LaplaceOracle:
        """Return a fresh copy; refuses resamples, since the posterior takes their place."""
        refuse_resampling("LaplaceOracle", resampling)
        return LaplaceOracle(C=self.C)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Refit `arm` on its whole history. Parameters as for `Oracle.learn`."""
        self._modes.learn(arm, X, rewards, rng)
        coef, intercept = self._modes.coefficients_.get(arm)
        chance = expit(X @ coef[:, 0] + intercept[0])
        self._posteriors[arm] = GaussianPosterior(
            X, chance * (1 - chance), C=self.C, intercept_variance=INTERCEPT_VARIANCE
        )

    def score(self, X: Matrix) -> np.ndarray:
        """Return `scores_with_spread`, shape (n_rounds, n_fitted_arms, 2)."""
        logits = self._modes.coefficients_.linear_predictor(X)[:, :, 0]
        deviations = np.empty(logits.shape)
        for position, arm in enumerate(self.fitted_arms.tolist()):
            deviations[:, position] = np.sqrt(self._posteriors[arm].variances(X))
        return scores_with_spread(logits, deviations)

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._modes.drop_arm(arm)
        self._posteriors.drop_arm(arm)
