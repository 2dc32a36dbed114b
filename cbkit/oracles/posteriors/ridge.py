"""Ridge regressions with their posteriors: what LinUCB and linear Thompson sampling learn by."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cbkit._validation import Matrix, check_number
from cbkit.oracles.coefficients import StackedCoefficients
from cbkit.oracles.guards import without_arm
from cbkit.oracles.posteriors.gaussian import GaussianPosterior, refuse_resampling
from cbkit.oracles.resampling import Resampling


@dataclass(kw_only=True)
class RidgeOracle:
    """Ridge regression of the rewards per arm, on the whole history, and its posterior.

    Minimises ``sum_i (r_i - [x_i, 1] w)^2 + alpha |w|^2``, the intercept penalised as all else, so
    that the posterior is LinUCB's: covariance ``(alpha I + [X, 1]' [X, 1])^-1``, unit noise. While
    an arm has fewer rows than features all is computed from the rows' products.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the regularisation.
    posterior : bool, default=True
        Whether `score` gives the mean and one standard deviation above it, shape (n_rounds,
        n_fitted_arms, 2), or the mean alone.

    Notes
    -----
    Li, Chu, Langford and Schapire (2010), "A contextual-bandit approach to personalized news
    article recommendation", algorithm 1 (disjoint models). Scores are not confined to [0, 1].

    Examples
    --------
    >>> oracle = RidgeOracle(alpha=1.0)
    >>> oracle.learn(0, np.array([[1.0], [2.0]]), np.array([0.0, 1.0]), np.random.default_rng(0))
    >>> oracle.score(np.array([[3.0]]))[0, 0].round(3)
    array([1.   , 2.291])
    """

    alpha: float = 1.0
    posterior: bool = True
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha)
        if self.alpha <= 0:
            raise ValueError(f"alpha must be greater than 0, got {self.alpha!r}; write 1.0")
        self._means = StackedCoefficients(1)
        self._posteriors: dict[int, GaussianPosterior] = {}

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return self._means.arms

    def with_resampling(self, resampling: Resampling | None) -> RidgeOracle:
        """Return a fresh copy; refuses resamples, since the posterior takes their place."""
        refuse_resampling("RidgeOracle", resampling)
        return RidgeOracle(alpha=self.alpha, posterior=self.posterior)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Refit `arm` on its whole history. Parameters as for `Oracle.learn`."""
        variance = 1.0 / self.alpha
        posterior = GaussianPosterior(
            X, np.ones(len(rewards)), C=variance, intercept_variance=variance
        )
        mean = posterior.mean(X, np.asarray(rewards, dtype=np.float64))
        self._means.put(arm, mean[:-1, None], mean[-1:])
        if self.posterior:
            self._posteriors[arm] = posterior

    def score(self, X: Matrix) -> np.ndarray:
        """Return linear predictors, shape (n_rounds, n_fitted_arms, 2), or 1 without posterior."""
        means = self._means.linear_predictor(X)
        if not self.posterior:
            return means
        scores = np.concatenate([means, means], axis=2)
        for position, arm in enumerate(self.fitted_arms.tolist()):
            scores[:, position, 1] += np.sqrt(self._posteriors[arm].variances(X))
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._means.drop_arm(arm)
        self._posteriors = without_arm(arm, self._posteriors)
