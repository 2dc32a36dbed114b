"""Newton's method with conjugate gradients for many weighted logistic regressions at once."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from cbkit.history import Matrix

_MAX_NEWTON_STEPS = 100
_SAFE_MOVE = np.log(2.0)


def solve_logistic(
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray,
    *,
    C: float = 1.0,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    tol: float = 1e-6,
) -> tuple[np.ndarray, np.ndarray]:
    """Fit one logistic regression per column of `weights` to the same observations.

    Column r minimises ``|w_r|^2 / 2 + C * sum_i weights[i, r] * log_loss(rewards[i], x_i w_r + b_r)``,
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
    start : (coef, intercept), optional
        Where to start, shapes as returned. Default: no covariates, the weighted share of rewards.
    tol : float, default=1e-6
        A column is done after a step whose squared Newton decrement was below this. The error of
        a logit is then far below ``sqrt(tol) * norm(x)``, as Newton's method converges
        quadratically there.

    Returns
    -------
    coef : ndarray, shape (n_features, n_resamples)
    intercept : ndarray, shape (n_resamples,)

    Notes
    -----
    The Newton systems of all columns are solved by one conjugate-gradient loop, preconditioned by
    the Hessians' diagonals, whose matrix products have the resamples as right-hand sides. If no
    observation's logit moves by more than log 2, the full step lowers the objective (the second
    derivative changes by a factor of at most ``exp(|move|)``); otherwise each column halves its
    step until the objective falls enough.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> coef, intercept = solve_logistic(X, np.array([0, 0, 1, 1.0]), np.ones((4, 1)))
    >>> coef.round(3), intercept.round(3)
    (array([[1.252]]), array([-1.878]))
    """
    n_features, n_resamples = X.shape[1], weights.shape[1]
    columns = None
    if sparse.issparse(X):
        X, columns = _without_empty_columns(X)
    if start is None:
        coef = np.zeros((X.shape[1], n_resamples))
        intercept = logit(rewards @ weights / weights.sum(axis=0))
    else:
        coef = start[0].copy() if columns is None else start[0][columns]
        intercept = start[1].copy()
    problem = _Problem(X, rewards, C * weights)
    problem.minimise(coef, intercept, tol)
    if columns is None:
        return coef, intercept
    full = np.zeros((n_features, n_resamples))
    full[columns] = coef
    return full, intercept


def _without_empty_columns(X: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
    """Keep the columns that have entries: the others' coefficients are zero at the optimum."""
    place = np.zeros(X.shape[1], dtype=X.indices.dtype)
    place[X.indices] = 1
    columns = np.flatnonzero(place)
    place[columns] = np.arange(len(columns))
    return sparse.csr_array((X.data, place[X.indices], X.indptr), shape=(X.shape[0], len(columns))), columns


class _Problem:
    """The objective of all columns, and the loop that minimises it."""

    def __init__(self, X: Matrix, rewards: np.ndarray, weights: np.ndarray) -> None:
        self.X = X
        self.XT = X.T
        self.squaresT = (X.power(2) if sparse.issparse(X) else X * X).T
        self.rewards = rewards[:, None]
        self.weights = weights

    def minimise(self, coef: np.ndarray, intercept: np.ndarray, tol: float) -> None:
        """Move `coef` and `intercept` to the optimum, in place."""
        active = np.arange(len(intercept))
        weights = self.weights
        logits = self.X @ coef + intercept
        w, b = coef, intercept
        for _ in range(_MAX_NEWTON_STEPS):
            probability = expit(logits)
            residual = weights * (probability - self.rewards)
            gradient = w + self.XT @ residual, residual.sum(axis=0)
            curvature = weights * (probability * (1.0 - probability))
            step, move, decrement = self._newton_step(gradient, curvature)
            size = self._step_size(logits, move, w, step[0], decrement, weights)
            w += size * step[0]
            b += size * step[1]
            logits += size * move
            going = ~((decrement < tol) & (size == 1.0))
            if not going.all():
                coef[:, active], intercept[active] = w, b
                active = active[going]
                if not len(active):
                    return
                w, b, logits, weights = w[:, going], b[going], logits[:, going], weights[:, going]
        coef[:, active], intercept[active] = w, b

    def _newton_step(
        self, gradient: tuple[np.ndarray, np.ndarray], curvature: np.ndarray
    ) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
        """Solve the Newton systems; return the steps, the logits' moves and the squared decrements."""
        diagonal = 1.0 + self.squaresT @ curvature
        diagonal_b = curvature.sum(axis=0) + 1e-12
        r, r_b = -gradient[0], -gradient[1]
        x, x_b = np.zeros_like(r), np.zeros_like(r_b)
        move = np.zeros_like(curvature)
        z, z_b = r / diagonal, r_b / diagonal_b
        rz = (r * z).sum(axis=0) + r_b * z_b
        p, p_b = z.copy(), z_b.copy()
        # The residual in the preconditioned norm: 10% for a start, less as the solution nears.
        target = rz * np.minimum(0.01, rz)
        decrement = np.zeros_like(rz)
        for _ in range(2 * len(r) + 10):
            running = rz > np.maximum(target, 1e-20)
            if not running.any():
                break
            direction_move = self.X @ p + p_b
            curved = curvature * direction_move
            h = p + self.XT @ curved
            h_b = curved.sum(axis=0)
            curve = (p * h).sum(axis=0) + p_b * h_b
            alpha = np.where(running, rz / np.where(curve > 0, curve, 1.0), 0.0)
            x += alpha * p
            x_b += alpha * p_b
            move += alpha * direction_move
            r -= alpha * h
            r_b -= alpha * h_b
            decrement += alpha * rz
            z, z_b = r / diagonal, r_b / diagonal_b
            rz_new = np.where(running, (r * z).sum(axis=0) + r_b * z_b, rz)
            beta = np.where(running, rz_new / np.where(rz > 0, rz, 1.0), 0.0)
            p = z + beta * p
            p_b = z_b + beta * p_b
            rz = rz_new
        return (x, x_b), move, decrement

    def _step_size(
        self,
        logits: np.ndarray,
        move: np.ndarray,
        w: np.ndarray,
        step: np.ndarray,
        decrement: np.ndarray,
        weights: np.ndarray,
    ) -> np.ndarray:
        """Return each column's step: 1 where that is safe, else by halving (Armijo's rule)."""
        size = np.ones(len(decrement))
        trying = np.flatnonzero(np.abs(move).max(axis=0) > _SAFE_MOVE)
        if not len(trying):
            return size
        before = self._objective(logits, w, weights, trying, step, move, size * 0)
        for _ in range(40):
            after = self._objective(logits, w, weights, trying, step, move, size)
            failed = after > before - 1e-4 * size[trying] * decrement[trying]
            trying, before = trying[failed], before[failed]
            if not len(trying):
                break
            size[trying] *= 0.5
        return size

    def _objective(self, logits, w, weights, which, step, move, size) -> np.ndarray:
        moved = logits[:, which] + size[which] * move[:, which]
        coef = w[:, which] + size[which] * step[:, which]
        loss = np.logaddexp(0.0, moved) - self.rewards * moved
        return (weights[:, which] * loss).sum(axis=0) + 0.5 * (coef * coef).sum(axis=0)
