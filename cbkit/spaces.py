"""The two spaces in which a ridge-penalised Newton step can be sought: features, observations.

Both run the conjugate-gradient method on the same system
``(I + X' D X) s = -gradient`` with an unpenalised intercept, for all columns at once. In the space
of features a point is the coefficients ``w`` (n_features, n_columns). In the space of observations
it is the dual ``a`` (n_observations, n_columns) with ``w = X' a``, and all products go through the
Gram matrix ``X X'``: much cheaper where there are fewer observations than features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dposv

from cbkit.history import Matrix

_FORCING = 0.1  # a Newton system is solved to 10% of its first residual, less near the solution
_TINY = 1e-12
_MAX_FACTOR = 300  # features up to which a Cholesky factor preconditions better than a diagonal
_ROWS_OF_FACTOR = 2000  # rows from which its Hessian is estimated
_MAX_DIRECT = 150  # observations, and these times columns, up to which iterations are slower
_MAX_DIRECT_SIZE = 400

# Largest weight times squared norm in the space of observations: from about 1e13 on rounding
# spoils its systems, whose eigenvalues reach from 1 to that.
MAX_SCALE = 1e11

Precondition = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Space(Protocol):
    """Where the minimiser moves."""

    def logits(self, x: np.ndarray) -> np.ndarray:
        """Return the linear predictor without intercept, shape (n_observations, n_columns)."""

    def newton_step(
        self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: np.ndarray
    ) -> Step:
        """Return the step, the intercept's step, the logits' move and the squared decrement."""

    def is_direct(self, x: np.ndarray) -> bool:
        """Tell whether a step from `x` is exact, not the outcome of some iterations."""

    def penalty(
        self, x: np.ndarray, step: np.ndarray, linear: np.ndarray, linear_move: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the coefficients of ``t`` and ``t**2`` in the penalty's change along `step`."""


def without_empty_columns(X: Matrix) -> tuple[Matrix, np.ndarray]:
    """Keep the columns with entries, and say which: the others' coefficients end at zero."""
    if not sparse.issparse(X):
        return X, np.ones(X.shape[1], dtype=bool)
    used = np.zeros(X.shape[1], dtype=bool)
    used[X.indices] = True
    place = (np.cumsum(used) - 1).astype(X.indices.dtype)
    shape = (X.shape[0], int(used.sum()))
    return sparse.csr_array((X.data, place[X.indices], X.indptr), shape=shape), used


def dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the scalar products of the columns, shape (n_columns,)."""
    return np.einsum("ij,ij->j", left, right)


def _target(squared_residual: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Return down to where the squared residuals have to go in this Newton step."""
    forced = squared_residual * np.minimum(_FORCING**2, squared_residual)
    return np.maximum(forced, floor)


def _ratio(above: np.ndarray, below: np.ndarray, running: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.zeros_like(above), where=running & (below > 0))


class FeatureSpace:
    """Newton steps in the coefficients.

    Conjugate gradients are preconditioned by each Hessian's diagonal or, where there are few and
    dense features, by the Cholesky factor of the Hessian averaged over the columns, estimated from
    a part of the rows: with many observations the resamples' Hessians are all close to it.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    """

    def __init__(self, X: Matrix) -> None:
        self.X = X
        self.XT = X.T
        self._few_and_dense = not sparse.issparse(X) and X.shape[1] <= _MAX_FACTOR
        self._factor = None
        self._factored = 0.0  # the curvature that the factor is of
        self._squaresT = None

    def _preconditioner(self, curvature: np.ndarray) -> Precondition:
        if self._few_and_dense:
            total = curvature.sum()
            if self._factor is None or not 0.5 < total / self._factored < 2.0:
                self._factor, self._factored = self._mean_factor(curvature), total
        if not self._few_and_dense:
            if self._squaresT is None:
                self._squaresT = (self.X * self.X).T
            diagonal, diagonal_b = 1.0 + self._squaresT @ curvature, curvature.sum(axis=0) + _TINY
            return lambda r, r_b: (r / diagonal, r_b / diagonal_b)

        def precondition(r: np.ndarray, r_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            z = cho_solve(self._factor, np.vstack([r, r_b]), check_finite=False)
            return z[:-1], z[-1]

        return precondition

    def _mean_factor(self, curvature: np.ndarray) -> tuple[np.ndarray, bool] | None:
        """Factor the mean Hessian; where its scale is beyond that, settle for the diagonal."""
        stride = -(-len(self.X) // _ROWS_OF_FACTOR)
        rows = np.column_stack([self.X[::stride], np.ones(len(self.X[::stride]))])
        mean = stride * curvature[::stride].mean(axis=1, keepdims=True)
        hessian = rows.T @ (mean * rows)
        hessian[np.diag_indices_from(hessian)] += np.append(np.ones(self.X.shape[1]), _TINY)
        try:
            return cho_factor(hessian, check_finite=False)
        except np.linalg.LinAlgError:
            self._few_and_dense = False
            return None

    def logits(self, x: np.ndarray) -> np.ndarray:
        """Return ``X @ x``."""
        return self.X @ x

    def is_direct(self, x: np.ndarray) -> bool:
        """Steps are iterated."""
        return False

    def penalty(self, x, step, linear, linear_move) -> tuple[np.ndarray, np.ndarray]:
        """Return the penalty's change, from ``|w + t s|^2 / 2``."""
        return dot(x, step), 0.5 * dot(step, step)

    def newton_step(
        self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: np.ndarray
    ) -> Step:
        """Solve for the Newton step of all columns."""
        precondition = self._preconditioner(curvature)
        r, r_b = -(x + self.XT @ residual), -residual.sum(axis=0)
        step, step_b = np.zeros_like(r), np.zeros_like(r_b)
        move, decrement = np.zeros_like(curvature), np.zeros_like(r_b)
        p, p_b = precondition(r, r_b)
        rz = dot(r, p) + r_b * p_b
        target = _target(rz, 1e-4 * tol)  # the diagonal may hide steep valleys
        for _ in range(2 * len(r) + 10):
            running = rz > target
            if not running.any():
                break
            p_move = self.X @ p + p_b
            curved = curvature * p_move
            h, h_b = p + self.XT @ curved, curved.sum(axis=0)
            alpha = _ratio(rz, dot(p, h) + p_b * h_b, running)
            step += alpha * p
            step_b += alpha * p_b
            move += alpha * p_move
            decrement += alpha * rz
            r -= alpha * h
            r_b -= alpha * h_b
            z, z_b = precondition(r, r_b)
            after = np.where(running, dot(r, z) + r_b * z_b, rz)
            beta = _ratio(after, rz, running)
            p, p_b, rz = z + beta * p, z_b + beta * p_b, after
        return step, step_b, move, decrement


class ObservationSpace:
    """Newton steps in the dual variables; one product with the Gram matrix per iteration.

    Weights times squared norms of contexts have to stay below `MAX_SCALE`.

    Parameters
    ----------
    gram : ndarray, shape (n_observations, n_observations)
        ``X @ X.T``.
    """

    def __init__(self, gram: np.ndarray) -> None:
        self.gram = gram
        self.trace = np.trace(gram)

    def logits(self, x: np.ndarray) -> np.ndarray:
        """Return ``X @ X.T @ x``."""
        return self.gram @ x

    def is_direct(self, x: np.ndarray) -> bool:
        """Few observations of few columns are solved faster without iterations."""
        return len(x) <= _MAX_DIRECT and x.size <= _MAX_DIRECT_SIZE

    def penalty(self, x, step, linear, linear_move) -> tuple[np.ndarray, np.ndarray]:
        """Return the penalty's change, from ``(a + t s)' X X' (a + t s) / 2``."""
        return dot(step, linear), 0.5 * dot(step, linear_move)

    def newton_step(
        self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: np.ndarray
    ) -> Step:
        """Solve for the Newton step of all columns."""
        if self.is_direct(x):
            return self._direct_step(x, residual, curvature)
        # What is left of the intercept's curvature once the dual can take its place, at least.
        diagonal_b = (curvature / (1.0 + curvature * self.trace)).sum(axis=0) + _TINY
        r, r_b = -(x + residual), -residual.sum(axis=0)
        gram_r = self.gram @ r
        step, step_b = np.zeros_like(r), np.zeros_like(r_b)
        move, decrement = np.zeros_like(curvature), np.zeros_like(r_b)
        p, gram_p, p_b = r.copy(), gram_r, r_b / diagonal_b
        rz = dot(r, gram_r) + r_b * p_b
        target = _target(rz, 1e-2 * tol)
        for _ in range(2 * len(r) + 10):
            running = rz > target
            if not running.any():
                break
            p_move = gram_p + p_b
            h = curvature * p_move
            h_b = h.sum(axis=0)
            h += p
            alpha = _ratio(rz, dot(h, gram_p) + p_b * h_b, running)
            step += alpha * p
            step_b += alpha * p_b
            move += alpha * p_move
            decrement += alpha * rz
            r -= alpha * h
            r_b -= alpha * h_b
            gram_r = self.gram @ r
            z_b = r_b / diagonal_b
            after = np.where(running, dot(r, gram_r) + r_b * z_b, rz)
            beta = _ratio(after, rz, running)
            p, gram_p, p_b, rz = r + beta * p, gram_r + beta * gram_p, z_b + beta * p_b, after
        else:
            slow = np.flatnonzero(rz > target)
            solved = self._direct_step(x[:, slow], residual[:, slow], curvature[:, slow])
            step[:, slow], step_b[slow], move[:, slow], decrement[slow] = solved
        return step, step_b, move, decrement

    def _direct_step(self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray) -> Step:
        """Solve for the step of all columns without iterations.

        ``(I + D K)^-1 v`` is ``v - S B^-1 S K v`` with ``S = D^(1/2)`` and ``B = I + S K S``, whose
        eigenvalues are at least 1, so that the factorisation is safe up to `MAX_SCALE`; the
        intercept's equation makes the dual add up to zero.
        """
        root = np.sqrt(curvature.T)
        system = root[:, :, None] * self.gram * root[:, None, :]
        np.einsum("kii->ki", system)[:] += 1.0
        descent = -(x + residual)
        sides = np.stack([(self.gram @ descent).T * root, root], axis=1)
        for one, side in zip(system, sides, strict=True):
            side[:] = dposv(one.T, side.T, overwrite_a=True, overwrite_b=True)[1].T
        sides *= root[:, None, :]
        step, by_intercept = descent - sides[:, 0].T, sides[:, 1].T
        step_b = (step.sum(axis=0) + x.sum(axis=0)) / (by_intercept.sum(axis=0) + _TINY)
        step -= step_b * by_intercept
        move = self.gram @ step
        return step, step_b, move + step_b, dot(descent, move) - residual.sum(axis=0) * step_b
