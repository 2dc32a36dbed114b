"""The fast oracle: weighted logistic regressions of an arm's resamples, solved together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logit

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import Matrix, check_number
from cbkit.oracles.coefficients import StackedCoefficients
from cbkit.oracles.guards.few_rows import smoothed_share
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.solver.gram import GramMatrices
from cbkit.oracles.solver.newton import Solution, solve_logistic
from cbkit.oracles.solver.shared_inverse import SharedInverse
from cbkit.oracles.solver.tall import is_tall

# Observations, and these per feature, up to which their Gram matrix makes refits cheaper than the
# features do: with resamples, and with one model.
_MAX_GRAM = 1000
_MAX_GRAM_RATIO = 0.5
_MAX_GRAM_RATIO_OF_ONE = 1.0


@dataclass
class _ArmState:
    """What the next refit of an arm starts from."""

    weights: np.ndarray | None
    dual: np.ndarray | None
    inverse: SharedInverse | None


@suggest_keywords
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
        How close to the optimum a refit stops, relative to the scale of contexts and weights; see
        `solve_logistic`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> oracle = LogisticOracle(C=1.0)
    >>> oracle.learn(7, X, np.array([0.0, 0.0, 1.0, 1.0]), rng)
    >>> oracle.fitted_arms
    array([7])
    >>> oracle.score(X)[:, 0, 0].round(2)          # (n_rounds, n_fitted_arms, n_resamples)
    array([0.19, 0.38, 0.62, 0.81])
    """

    C: float = 1.0
    resampling: Resampling | None = None
    tol: float = 1e-4
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("C", "tol"):
            value = getattr(self, name)
            check_number(name, value)
            if value <= 0:
                raise ValueError(f"{name} must be greater than 0, got {value!r}")
        self.coefficients_ = StackedCoefficients(self.n_resamples)
        self._arms: PerArm[_ArmState] = PerArm()
        self._grams = GramMatrices()

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
        last = self._arms.get(arm)
        weights = np.ones((len(rewards), 1))
        if self.resampling:
            kept = last.weights if last else None
            weights = self.resampling.update(kept, len(rewards), rng)
        gram = self._gram(arm, X)
        positive, negative = rewards @ weights, (1.0 - rewards) @ weights
        solvable = (positive > 0) & (negative > 0)
        if solvable.all():
            solution = self._solve(arm, X, rewards, weights, gram, last, slice(None))
        else:
            solution = Solution(
                coef=np.zeros((X.shape[1], self.n_resamples)),
                intercept=logit(smoothed_share(positive, positive + negative)),
            )
            if solvable.any():
                solved = self._solve(arm, X, rewards, weights, gram, last, solvable)
                solution.coef[:, solvable] = solved.coef
                solution.intercept[solvable] = solved.intercept
                solution.inverse = solved.inverse
                if solved.dual is not None:
                    solution.dual = np.zeros((len(rewards), self.n_resamples))
                    solution.dual[:, solvable] = solved.dual
        self.coefficients_.put(arm, solution.coef, solution.intercept)
        keeps = self.resampling and self.resampling.kept
        self._arms[arm] = _ArmState(weights if keeps else None, solution.dual, solution.inverse)

    def _solve(
        self,
        arm: int,
        X: Matrix,
        rewards: np.ndarray,
        weights: np.ndarray,
        gram: np.ndarray | None,
        last: _ArmState | None,
        columns: slice | np.ndarray,
    ) -> Solution:
        """Solve for the resamples of `columns`, from their last solution if there is one."""
        weights, start = weights[:, columns], None
        if last:
            coef, intercept = self.coefficients_.get(arm)
            coef, intercept = coef[:, columns], intercept[columns]
            if last.weights is None and is_tall(X):
                # Fresh weights owe nothing to the last; the resamples' mean is nearer to all.
                coef = np.broadcast_to(coef.mean(axis=1, keepdims=True), coef.shape)
                intercept = np.full_like(intercept, intercept.mean())
            dual = None if last.dual is None else last.dual[:, columns]
            start = Solution(coef, intercept, dual, last.inverse)
        return solve_logistic(X, rewards, weights, C=self.C, start=start, gram=gram, tol=self.tol)

    def _gram(self, arm: int, X: Matrix) -> np.ndarray | None:
        """Return ``X @ X.T``, or None where features are cheaper."""
        ratio = _MAX_GRAM_RATIO if self.n_resamples > 1 else _MAX_GRAM_RATIO_OF_ONE
        if X.shape[0] <= min(_MAX_GRAM, ratio * X.shape[1]):
            return self._grams.grow(arm, X)
        self._grams.drop(arm)
        return None

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        return expit(self.coefficients_.linear_predictor(X))

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self.coefficients_.drop_arm(arm)
        self._grams.drop_arm(arm)
        self._arms.drop_arm(arm)
