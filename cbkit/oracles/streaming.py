"""The fast streaming oracle: logistic regressions of all resamples, one pass of SGD per block."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.special import expit

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import Matrix, check_number
from cbkit.oracles.coefficients import StackedCoefficients
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.resampling import Resampling, check_streaming_resampling

# scikit-learn's SGDClassifier moves the intercept slower on sparse data, to keep it from swinging.
_SPARSE_INTERCEPT_DECAY = 0.01


@dataclass
class _Progress:
    """How many rows moved each resample of an arm, and how many it saw of either reward."""

    steps: np.ndarray  # (n_resamples,)
    counts: np.ndarray  # (2,)


@suggest_keywords
@dataclass(kw_only=True)
class StreamingLogisticOracle:
    """Logistic regression per arm and resample by stochastic gradient descent, row after row.

    The same numbers as scikit-learn's ``SGDClassifier(loss="log_loss", alpha=alpha,
    shuffle=False).partial_fit`` per arm and resample, for all resamples of an arm at once.

    Parameters
    ----------
    alpha : float, default=1e-4
        L2 regularisation, which also sets the learning rate ``1 / (alpha * (t + t0))``.
    resampling : Resampling or None, default=None
        Weights of the new rows in each resample, of a kind other than multinomial.

    Notes
    -----
    Section "Empirical evaluation", mini-batch updates: the paper's streaming oracle, with its step
    sizes. On rows of many features the first steps are too large by far and most predictions end
    near 0 or 1; `StreamingLaplaceOracle` has no step size. An arm counts as fitted once it has
    learned from both kinds of reward.

    Examples
    --------
    >>> oracle = StreamingLogisticOracle(alpha=0.01)
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> oracle.learn(2, X, np.array([0.0, 1.0]), np.random.default_rng(0))
    >>> oracle.fitted_arms
    array([2])
    """

    alpha: float = 1e-4
    resampling: Resampling | None = None
    streaming: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha)
        if self.alpha <= 0:
            raise ValueError(f"alpha must be greater than 0, got {self.alpha!r}; write 1e-4")
        check_streaming_resampling(self.resampling)
        self._models = StackedCoefficients(self.n_resamples)
        self._arms: PerArm[_Progress] = PerArm()
        # Bottou's heuristic as scikit-learn has it: the first step is of a typical weight's size.
        typical = np.sqrt(1.0 / np.sqrt(self.alpha))
        self._t0 = 1.0 / (typical / max(1.0, expit(typical)) * self.alpha)

    @property
    def n_resamples(self) -> int:
        """Number of models per arm."""
        return self.resampling.n_resamples if self.resampling else 1

    @property
    def _ready(self) -> np.ndarray:
        counts = [self._arms[arm].counts for arm in self._models.arms.tolist()]
        return np.array([bool(count.all()) for count in counts], dtype=bool)

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have seen both kinds of reward, in the order of `score`'s second axis."""
        return self._models.arms[self._ready]

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Update `arm` with new rows, each weighted anew in each resample.

        Parameters as for `Oracle.learn`.
        """
        shape = (len(rewards), self.n_resamples)
        weights = self.resampling.update(None, len(rewards), rng) if self.resampling else None
        weights = np.ones(shape) if weights is None else weights
        if arm in self._models:
            coef, intercept = (part.copy() for part in self._models.get(arm))
        else:
            coef, intercept = np.zeros((X.shape[1], self.n_resamples)), np.zeros(self.n_resamples)
            self._arms[arm] = _Progress(np.zeros(self.n_resamples), np.zeros(2, np.int64))
        progress = self._arms[arm]
        self._descend(coef, intercept, progress.steps, X, rewards, weights)
        self._models.put(arm, coef, intercept)
        progress.counts += np.bincount(np.asarray(rewards, dtype=np.int64), minlength=2)

    def _descend(
        self,
        coef: np.ndarray,
        intercept: np.ndarray,
        steps: np.ndarray,
        X: Matrix,
        rewards: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        is_sparse = sparse.issparse(X)
        intercept_rate = _SPARSE_INTERCEPT_DECAY if is_sparse else 1.0
        for row in range(X.shape[0]):
            if is_sparse:
                entries = slice(X.indptr[row], X.indptr[row + 1])
                columns, values = X.indices[entries], X.data[entries]
            else:
                columns, values = slice(None), X[row]
            # A row of weight 0 is left out of a resample: it moves neither model nor schedule.
            used = weights[row] > 0
            logits = values @ coef[columns] + intercept
            rate = np.where(used, 1.0 / (self.alpha * (self._t0 + steps)), 0.0)
            pull = -rate * weights[row] * (expit(logits) - rewards[row])
            coef *= np.maximum(0.0, 1.0 - rate * self.alpha)
            coef[columns] += values[:, None] * pull
            intercept += intercept_rate * pull
            steps += used

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        return expit(self._models.linear_predictor(X)[:, self._ready])

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._models.drop_arm(arm)
        self._arms.drop_arm(arm)
