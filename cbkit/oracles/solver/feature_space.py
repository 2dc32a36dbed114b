"""Newton steps in the space of features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from cbkit._base.validation import Matrix
from cbkit.oracles.solver.spaces import TINY, Step, dot, is_unsolved, ratio, target_of

_MAX_FACTOR = 300  # features up to which a Cholesky factor preconditions better than a diagonal
_ROWS_OF_FACTOR = 2000  # rows from which its Hessian is estimated

Precondition = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def without_empty_columns(X: Matrix) -> tuple[Matrix, np.ndarray]:
    """Keep the columns with entries, and say which: the others' coefficients end at zero."""
    if not sparse.issparse(X):
        return X, np.ones(X.shape[1], dtype=bool)
    used = np.zeros(X.shape[1], dtype=bool)
    used[X.indices] = True
    place = (np.cumsum(used) - 1).astype(X.indices.dtype)
    shape = (X.shape[0], int(used.sum()))
    return sparse.csr_array((X.data, place[X.indices], X.indptr), shape=shape), used


class FeatureSpace:
    """Newton steps in the coefficients.

    Conjugate gradients are preconditioned by each Hessian's diagonal or, where there are few and
    dense features, by the Cholesky factor of the Hessian averaged over the columns, estimated from
    a part of the rows: with many observations the resamples' Hessians are all close to it. But not
    those of features whose rows have weight in other columns only, so that residuals then have to
    be small in the diagonal's metric as well.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    """

    def __init__(self, X: Matrix) -> None:
        self.X = X
        self.XT = X.T
        self._few_and_dense = not sparse.issparse(X) and X.shape[1] <= _MAX_FACTOR
        self._factor: Any = None
        self._factored = 0.0  # the curvature that the factor is of
        self._squaresT: Any = None

    def _preconditioner(self, curvature: np.ndarray) -> Precondition:
        if self._few_and_dense:
            total = curvature.sum()
            if self._factor is None or not 0.5 < total / self._factored < 2.0:
                self._factor, self._factored = self._mean_factor(curvature), total
        if not self._few_and_dense:
            return self._by_diagonal(curvature)

        def precondition(r: np.ndarray, r_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            z = cho_solve(self._factor, np.vstack([r, r_b]), check_finite=False)
            return z[:-1], z[-1]

        return precondition

    def _by_diagonal(self, curvature: np.ndarray) -> Precondition:
        if self._squaresT is None:
            self._squaresT = (self.X * self.X).T
        diagonal, diagonal_b = 1.0 + self._squaresT @ curvature, curvature.sum(axis=0) + TINY
        return lambda r, r_b: (r / diagonal, r_b / diagonal_b)

    def _mean_factor(self, curvature: np.ndarray) -> tuple[np.ndarray, bool] | None:
        """Factor the mean Hessian; where its scale is beyond that, settle for the diagonal."""
        stride = -(-len(self.X) // _ROWS_OF_FACTOR)
        rows = np.column_stack([self.X[::stride], np.ones(len(self.X[::stride]))])
        mean = stride * curvature[::stride].mean(axis=1, keepdims=True)
        hessian = rows.T @ (mean * rows)
        hessian[np.diag_indices_from(hessian)] += np.append(np.ones(self.X.shape[1]), TINY)
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

    def penalty(
        self, x: np.ndarray, step: np.ndarray, linear: np.ndarray, linear_move: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the penalty's change, from ``|w + t s|^2 / 2``.

        Parameters as for `Space.penalty`.
        """
        return dot(x, step), 0.5 * dot(step, step)

    def newton_step(
        self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: np.ndarray
    ) -> Step:
        """Solve for the Newton step of all columns. Parameters as for `Space.newton_step`."""
        precondition = self._preconditioner(curvature)
        own = self._by_diagonal(curvature) if self._few_and_dense else None
        r, r_b = -(x + self.XT @ residual), -residual.sum(axis=0)
        step, step_b = np.zeros_like(r), np.zeros_like(r_b)
        move, decrement = np.zeros_like(curvature), np.zeros_like(r_b)
        p, p_b = precondition(r, r_b)
        rz = dot(r, p) + r_b * p_b
        size = rz if own is None else np.maximum(rz, _squared_norm(r, r_b, own))
        floor = 1e-4 * tol  # the diagonal may hide steep valleys
        target = target_of(size, floor)
        for _ in range(2 * len(r) + 10):
            running = is_unsolved(size, decrement, target, floor)
            if not running.any():
                break
            p_move = self.X @ p + p_b
            curved = curvature * p_move
            h, h_b = p + self.XT @ curved, curved.sum(axis=0)
            alpha = ratio(rz, dot(p, h) + p_b * h_b, running)
            step += alpha * p
            step_b += alpha * p_b
            move += alpha * p_move
            decrement += alpha * rz
            r -= alpha * h
            r_b -= alpha * h_b
            z, z_b = precondition(r, r_b)
            after = np.where(running, dot(r, z) + r_b * z_b, rz)
            beta = ratio(after, rz, running)
            p, p_b, rz = z + beta * p, z_b + beta * p_b, after
            size = rz if own is None else np.maximum(rz, _squared_norm(r, r_b, own))
        return step, step_b, move, decrement


def _squared_norm(r: np.ndarray, r_b: np.ndarray, precondition: Precondition) -> np.ndarray:
    z, z_b = precondition(r, r_b)
    return dot(r, z) + r_b * z_b
