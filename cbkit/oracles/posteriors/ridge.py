"""Ridge regressions with their posteriors: what LinUCB and linear Thompson sampling learn by."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix, check_number
from cbkit.oracles.coefficients import StackedCoefficients
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.posteriors.gaussian import GaussianPosterior, refuse_resampling
from cbkit.oracles.resampling import Resampling


@dataclass(kw_only=True)
class RidgeOracle:
    """Ridge regression of the rewards per arm, and its posterior.

    Minimises ``sum_i (r_i - [x_i, 1] w)^2 + alpha |w|^2``, the intercept penalised as all else, so
    that the posterior is LinUCB's: covariance ``(alpha I + [X, 1]' [X, 1])^-1``, unit noise. New
    rows update it exactly. An arm's rows are kept while they are fewer than the features, its
    covariance from then on.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the regularisation.
    n_arms : int, optional
        Number of arms that are scored by their prior before their first reward, once any arm has
        learned; by default none is.
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
    n_arms: int | None = None
    posterior: bool = True
    streaming: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha)
        if self.alpha <= 0:
            raise ValueError(f"alpha must be greater than 0, got {self.alpha!r}; write 1.0")
        self._n_arms = self.n_arms or 0
        self._means = StackedCoefficients(1)
        self._moments: PerArm[np.ndarray] = PerArm()  # [X, 1]' rewards
        self._posteriors: PerArm[GaussianPosterior] = PerArm()

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that are scored, in the order of `score`'s second axis."""
        learned = self._means.arms
        if not len(learned):
            return learned
        return np.append(learned, np.setdiff1d(np.arange(self._n_arms), learned))

    def with_resampling(self, resampling: Resampling | None) -> RidgeOracle:
        """Return a fresh copy; refuses resamples, since the posterior takes their place."""
        refuse_resampling("RidgeOracle", resampling)
        return RidgeOracle(alpha=self.alpha, n_arms=self.n_arms, posterior=self.posterior)

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Update `arm` with new rows. Parameters as for `Oracle.learn`."""
        rewards = np.asarray(rewards, dtype=np.float64)
        ones, moment = np.ones(len(rewards)), np.append(X.T @ rewards, rewards.sum())
        if arm in self._posteriors:
            self._posteriors[arm].extend(X, ones)
            self._moments[arm] += moment
        else:
            variance = 1.0 / self.alpha
            posterior = GaussianPosterior(X, ones, C=variance, intercept_variance=variance)
            self._posteriors[arm], self._moments[arm] = posterior, moment
        mean = self._posteriors[arm].times(self._moments[arm])
        self._means.put(arm, mean[:-1, None], mean[-1:])

    def score(self, X: Matrix) -> np.ndarray:
        """Return linear predictors, shape (n_rounds, n_fitted_arms, 2), or 1 without posterior."""
        learned = self._means.linear_predictor(X)
        unplayed = len(self.fitted_arms) - learned.shape[1]
        means = np.concatenate([learned, np.zeros((X.shape[0], unplayed, 1))], axis=1)
        if not self.posterior:
            return means
        squares = (X.power(2) if sparse.issparse(X) else X * X).sum(axis=1)
        variances = np.repeat((squares[:, None] + 1.0) / self.alpha, means.shape[1], axis=1)
        for position, arm in enumerate(self._means.arms.tolist()):
            variances[:, position] = self._posteriors[arm].variances(X)
        return np.concatenate([means, means + np.sqrt(variances)[:, :, None]], axis=2)

    def add_arm(self) -> None:
        """Score one arm more by its prior, if any is."""
        self._n_arms += self.n_arms is not None

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._n_arms -= arm < self._n_arms
        self._means.drop_arm(arm)
        self._moments.drop_arm(arm)
        self._posteriors.drop_arm(arm)
