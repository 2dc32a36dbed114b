"""Newton's method for many weighted logistic regressions on the same observations at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit

from cbkit._base.validation import Matrix
from cbkit.oracles.solver.feature_space import FeatureSpace, without_empty_columns
from cbkit.oracles.solver.line_search import EXACT_MARGIN, MAX_NEWTON_STEPS, step_sizes
from cbkit.oracles.solver.observation_space import ObservationSpace, is_in_reach
from cbkit.oracles.solver.one_model import solve_one
from cbkit.oracles.solver.shared_inverse import SharedInverse
from cbkit.oracles.solver.spaces import Space, left_by_full_step
from cbkit.oracles.solver.tall import is_tall, solve_tall


@dataclass
class Solution:
    """Coefficients of all columns of weights, and what a later solve can start from.

    Attributes
    ----------
    coef : ndarray, shape (n_features, n_resamples)
    intercept : ndarray, shape (n_resamples,)
    dual : ndarray, shape (n_observations, n_resamples), or None
        ``coef = X.T @ dual``, where the problem was solved in the space of observations.
    inverse : SharedInverse or None
        What preconditioned, where there were many more observations than features.
    """

    coef: np.ndarray
    intercept: np.ndarray
    dual: np.ndarray | None = None
    inverse: SharedInverse | None = None


def solve_logistic(
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray,
    *,
    C: float = 1.0,
    start: Solution | None = None,
    gram: np.ndarray | None = None,
    tol: float = 1e-4,
) -> Solution:
    """Fit one logistic regression per column of `weights` to the same observations.

    Column r minimises ``|w_r|^2 / 2 + C sum_i weights[i, r] log_loss(rewards[i], x_i w_r + b_r)``,
    scikit-learn's objective with an unpenalised intercept ``b_r``.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    rewards : ndarray, shape (n_observations,)
        0 or 1.
    weights : ndarray, shape (n_observations, n_resamples)
        Non-negative; each column gives weight to both kinds of reward.
    C : float, default=1.0
        Inverse strength of the regularisation.
    start : Solution, optional
        Where to start, such as the solution for the first of these observations. Default: no
        covariates, the weighted share of rewards.
    gram : ndarray, shape (n_observations, n_observations), optional
        ``X @ X.T``. If given, the problem is solved in the space of observations, which is
        cheaper for few observations; not where contexts and weights are too large for it.
    tol : float, default=1e-4
        A column is done after a full step whose squared Newton decrement was below this, divided
        by the largest squared norm of a context, and times C and the total weight, where these
        factors are below 1: a fall of the objective below that moves no probability. Where steps
        are exact, and for a single column in the space of observations, it is enough that a bound
        on the decrement after the step is below a 20th of it.

    Returns
    -------
    Solution
        Coefficients and intercepts.

    Notes
    -----
    The Newton systems of all columns are solved by one conjugate-gradient loop whose products
    have the resamples as right-hand sides. If no observation's logit moves by more than log 2 the
    full step lowers the objective, since the curvature changes by a factor of at most
    ``exp(|move|)``; otherwise each column halves its step until the objective falls enough. A
    single column in the space of observations is left to `solve_one`. Where there are many more
    dense observations than features, `solve_tall` comes first, and mostly leaves nothing to do.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> solution = solve_logistic(X, np.array([0, 0, 1, 1.0]), np.ones((4, 1)))
    >>> solution.coef.round(3), solution.intercept.round(3)
    (array([[0.958]]), array([-1.437]))
    """
    n_resamples = weights.shape[1]
    intercept = _log_odds(rewards, weights) if start is None else start.intercept.copy()
    largest = float(_squared_norms(X, gram).max())
    weights = C * weights
    tols = tol / max(1.0, largest) * np.minimum(1.0, weights.sum(axis=0))
    if gram is not None and is_in_reach(largest, weights):
        dual = np.zeros((X.shape[0], n_resamples))
        if start is not None and start.dual is not None:
            dual[: len(start.dual)] = start.dual
        if n_resamples == 1:
            parts = rewards, weights[:, 0], dual[:, 0], intercept[0], tols[0]
            dual[:, 0], intercept[0] = solve_one(gram, *parts)
            return Solution(_weighted_sum(X, dual[:, 0])[:, None], intercept, dual)
        _minimise(ObservationSpace(gram), dual, intercept, rewards, weights, tols)
        return Solution(X.T @ dual, intercept, dual)
    inverse = start.inverse if start else None
    if is_tall(X):
        coef = np.zeros((X.shape[1], n_resamples)) if start is None else start.coef
        point = np.vstack([coef, intercept])
        point, inverse, done = solve_tall(X, rewards, weights, point, tols, inverse)
        if done:
            return Solution(point[:-1], point[-1], inverse=inverse)
        start, intercept = Solution(point[:-1], point[-1]), point[-1].copy()
    X, columns = without_empty_columns(X)
    coef = np.zeros((X.shape[1], n_resamples)) if start is None else start.coef[columns]
    _minimise(FeatureSpace(X), coef, intercept, rewards, weights, tols)
    full = np.zeros((len(columns), n_resamples))
    full[columns] = coef
    return Solution(full, intercept, inverse=inverse)


def _weighted_sum(X: Matrix, factors: np.ndarray) -> np.ndarray:
    """Return ``X.T @ factors``, of few sparse rows in half of the time that scipy takes."""
    if not sparse.issparse(X):
        return X.T @ factors
    values = X.data * np.repeat(factors, X.indptr[1:] - X.indptr[:-1])
    return np.bincount(X.indices, values, minlength=X.shape[1])


def _squared_norms(X: Matrix, gram: np.ndarray | None) -> np.ndarray:
    if gram is not None:
        return gram.diagonal()
    return X.power(2).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)


def _minimise(
    space: Space,
    point: np.ndarray,
    intercept: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    tol: np.ndarray,
) -> None:
    """Move `point` and `intercept` to each column's optimum, in place.

    Columns that are done leave the loop; `weights` carry the factor C.
    """
    active = np.arange(len(intercept))
    rewards = rewards[:, None]
    logits = _start_logits(space, point, intercept, rewards, weights)
    x, b = point, intercept
    for _ in range(MAX_NEWTON_STEPS):
        probability = expit(logits)
        residual = weights * (probability - rewards)
        curvature = weights * (probability * (1.0 - probability))
        step, step_b, move, decrement = space.newton_step(x, residual, curvature, tol)
        largest = np.abs(move).max(axis=0)
        size = step_sizes(
            logits,
            move,
            largest,
            rewards,
            weights,
            decrement,
            space.penalty(x, step, logits - b, move - step_b),
        )
        x = x + size * step
        b = b + size * step_b
        logits = logits + size * move
        if space.is_direct(x):
            decrement = decrement * np.minimum(1.0, EXACT_MARGIN * left_by_full_step(largest))
        going = ~((decrement < tol) & (size == 1.0))
        if not going.all():
            point[:, active], intercept[active] = x, b
            active = active[going]
            if not len(active):
                return
            x, b, logits, weights = x[:, going], b[going], logits[:, going], weights[:, going]
            tol = tol[going]
    point[:, active], intercept[active] = x, b


def _start_logits(
    space: Space, point: np.ndarray, intercept: np.ndarray, rewards: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the logits; set columns to no covariates where that does better than the start.

    Fresh weights can make a start of large logits so wrong that its curvature vanishes.
    """
    linear = space.logits(point)
    logits = linear + intercept
    cold = _log_odds(rewards[:, 0], weights)
    loss = np.logaddexp(0.0, logits) - np.logaddexp(0.0, cold) - rewards * (logits - cold)
    _, penalty = space.penalty(point, point, linear, linear)
    worse = ~((weights * loss).sum(axis=0) + penalty <= 0)  # also where it is not a number
    point[:, worse], intercept[worse], logits[:, worse] = 0.0, cold[worse], cold[worse]
    return logits


def _log_odds(rewards: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.log(rewards @ weights) - np.log((1.0 - rewards) @ weights)
