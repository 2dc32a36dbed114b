"""A streaming oracle that keeps up with full refits: Gaussian posteriors, updated by blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from cbkit._base.validation import Matrix, check_number, check_whole
from cbkit.oracles.coefficients import StackedCoefficients
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.posteriors.gaussian import scores_with_spread
from cbkit.oracles.posteriors.windowed import WindowedPosterior
from cbkit.oracles.resampling import Resampling, check_streaming_resampling

_ROWS_AT_ONCE = 100  # of a longer block; the work per row grows with the square of their number
_LEAST_OF_ONE_LABEL = 50  # rows kept of an arm before it has seen both kinds of reward


@dataclass(kw_only=True)
class StreamingLaplaceOracle:
    """Logistic regression per arm and resample whose past is a Gaussian of diagonal precision.

    An arm's latest rows count exactly, as in a full refit. When there are more than twice `window`
    of them, the older ones are replaced by a Gaussian: its mean keeps the optimum where it is, its
    precision grows by the diagonal of their curvature (Laplace's approximation). Time and memory
    per row are bounded, however long the history is.

    Parameters
    ----------
    C : float, default=1.0
        Variance of the coefficients' prior: scikit-learn's inverse strength of regularisation.
    window : int, default=25
        Latest rows of each arm that always count exactly. With 0 only a block's own rows do, as in
        the source.
    resampling : Resampling or None, default=None
        Weights of the new rows in each resample, of a kind other than multinomial.
    posterior : bool, default=False
        Whether `score` gives the posterior's spread, see `scores_with_spread`, in place of
        resamples.

    Notes
    -----
    After Chapelle and Li (2011), "An empirical evaluation of Thompson sampling", algorithm 3,
    which has no window. An arm counts as fitted once it has seen both kinds of reward; of an arm
    that has not, the latest rows are kept and stand for all.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> oracle = StreamingLaplaceOracle()
    >>> oracle.learn(7, X[:2], np.array([0.0, 0.0]), rng)
    >>> oracle.learn(7, X[2:], np.array([1.0, 1.0]), rng)
    >>> oracle.score(X)[:, 0, 0].round(2)          # (n_rounds, n_fitted_arms, n_resamples)
    array([0.2 , 0.39, 0.62, 0.81])
    """

    C: float = 1.0
    window: int = 25
    resampling: Resampling | None = None
    posterior: bool = False
    streaming: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_number("C", self.C)
        if self.C <= 0:
            raise ValueError(f"C must be greater than 0, got {self.C!r}")
        check_whole("window", self.window, least=0)
        check_streaming_resampling(self.resampling)
        if self.posterior and self.resampling:
            raise ValueError(
                "a posterior takes the place of resamples; write posterior=False, or use it in "
                "LogisticUCB or LogisticTS, which have no resamples"
            )
        self._models = StackedCoefficients(self.n_resamples)
        self._variances = StackedCoefficients(1)
        self._arms: PerArm[WindowedPosterior] = PerArm()

    @property
    def n_resamples(self) -> int:
        """Number of models per arm."""
        return self.resampling.n_resamples if self.resampling else 1

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have seen both kinds of reward, in the order of `score`'s second axis."""
        return self._models.arms

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Update `arm` with new rows, each weighted anew in each resample.

        Parameters as for `Oracle.learn`.
        """
        weights = np.ones((len(rewards), 1))
        if self.resampling:
            weights = self.resampling.update(None, len(rewards), rng)
        if arm not in self._arms:
            self._arms[arm] = WindowedPosterior(X.shape[1], self.n_resamples, self.C)
        if len(rewards) <= _ROWS_AT_ONCE:
            self._learn_rows(arm, X, rewards, weights)
            return
        for start in range(0, len(rewards), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            self._learn_rows(arm, X[rows], rewards[rows], weights[rows])

    def _learn_rows(self, arm: int, X: Matrix, rewards: np.ndarray, weights: np.ndarray) -> None:
        posterior = self._arms[arm]
        posterior.add(X, rewards, weights)
        if not posterior.has_both:
            keep = max(self.window, _LEAST_OF_ONE_LABEL)
            if posterior.n_kept > 2 * keep:
                posterior.thin(keep)
            return
        coef = posterior.solve()
        self._models.put(arm, coef[:-1], coef[-1])
        if self.posterior:
            variance = posterior.variance()
            self._variances.put(arm, variance[:-1], variance[-1])
        if posterior.n_kept > 2 * self.window:
            posterior.absorb(coef, self.window)

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples).

        With ``posterior=True`` of shape (n_rounds, n_fitted_arms, 2), see `scores_with_spread`.
        """
        logits = self._models.linear_predictor(X)
        if not self.posterior:
            return expit(logits)
        variance = self._variances.linear_predictor(X * X)
        return scores_with_spread(logits[:, :, 0], np.sqrt(variance[:, :, 0]))

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._models.drop_arm(arm)
        self._variances.drop_arm(arm)
        self._arms.drop_arm(arm)
