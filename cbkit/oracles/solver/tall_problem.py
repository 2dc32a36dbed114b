"""Newton's method for many logistic regressions on a tall matrix, some rows at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from cbkit.oracles.solver.shared_inverse import SharedInverse
from cbkit.oracles.solver.spaces import TINY, dot, left_by_full_step, ratio

MARGIN = 0.05  # of the tolerance: where the last step has to end
_MAX_STEPS = 20
_MAX_ITERATIONS = 50  # of conjugate gradients in a step
_SAFE_MOVE = 1.5  # of a logit, up to which a full Newton step lowers the objective
_FORCING = 0.01  # to which share of the first residual, and of its square, a step is solved
_FLOOR = 1e-3  # of the tolerance: where iterations end
_ROWS_AT_ONCE = 512  # whose contexts stay in a core's cache between two products


class TallProblem:
    """The objective's derivatives, in the precision asked for, some rows at a time."""

    def __init__(
        self, X: np.ndarray, rewards: np.ndarray, weights: np.ndarray, precision: DTypeLike
    ) -> None:
        self.precision = precision
        self.rate = 0.0  # by which an iteration of the last step shrank the squared residuals
        n = len(rewards)
        at_once = n if weights.shape[1] == 1 else _ROWS_AT_ONCE  # parts of one column gain nothing
        with np.errstate(over="ignore"):
            rounded = X.astype(precision, copy=False)
            self.rewards = rewards[:, None].astype(precision, copy=False)
            self.weights = weights.astype(precision, copy=False)
        self.parts = [
            (slice(first, first + at_once), rounded[first : first + at_once])
            for first in range(0, n, at_once)
        ]

    def derivatives(
        self, point: np.ndarray, logits: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return logits, gradient, and the second derivatives of the weighted losses by logits."""
        known, gradient = logits is not None, _penalised(point)
        logits = np.empty_like(self.weights) if logits is None else logits
        curvature, rounded = np.empty_like(self.weights), point.astype(self.precision)
        for rows, X in self.parts:
            if not known:
                logits[rows] = X @ rounded[:-1] + rounded[-1]
            probability = _sigmoid(logits[rows])
            curvature[rows] = self.weights[rows] * (probability * (1 - probability))
            probability -= self.rewards[rows]
            probability *= self.weights[rows]
            _add_product(gradient, X, probability)
        return logits, gradient, curvature

    def times_hessian(
        self, direction: np.ndarray, curvature: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the Hessians' products with `direction`, and how the logits move along it."""
        product, moves = _penalised(direction), np.empty_like(curvature)
        rounded = direction.astype(self.precision)
        for rows, X in self.parts:
            moved = X @ rounded[:-1]
            moved += rounded[-1]
            moves[rows] = moved
            moved *= curvature[rows]
            _add_product(product, X, moved)
        return product, moves

    def mean_hessian(self, curvature: np.ndarray) -> np.ndarray:
        """Return the Hessian averaged over the columns, without the penalty."""
        n_features = self.parts[0][1].shape[1]
        out = np.zeros((n_features + 1, n_features + 1))
        for rows, X in self.parts:
            mean = curvature[rows].mean(axis=1)
            out[:-1, :-1] += X.T @ (X * mean[:, None])
            out[-1, :-1] += X.T @ mean
            out[-1, -1] += mean.sum(dtype=np.float64)
        out[:-1, -1] = out[-1, :-1]
        return out

    def own_diagonals(self, curvature: np.ndarray) -> np.ndarray:
        """Return the diagonal of each column's Hessian, shape (n_features + 1, n_columns)."""
        out = np.ones((self.parts[0][1].shape[1] + 1, curvature.shape[1]))
        out[-1] = TINY
        for rows, X in self.parts:
            _add_product(out, X * X, curvature[rows])
        return out

    def minimise(
        self, point: np.ndarray, tol: np.ndarray, inverse: SharedInverse | None
    ) -> tuple[np.ndarray, SharedInverse | None]:
        """Return how far Newton's method comes, and what preconditioned it."""
        logits, moved = None, np.inf
        for _ in range(_MAX_STEPS):
            logits, gradient, curvature = self.derivatives(point, logits)
            if moved > _SAFE_MOVE:  # no curvature can have changed by more than its exponential
                self.diagonals, moved = self.own_diagonals(curvature), 0.0
            mean = curvature.sum(dtype=np.float64) / curvature.shape[1]
            if inverse is None or not inverse.serves(mean, len(point) - 1):
                inverse = SharedInverse(self.mean_hessian(curvature))
            step, move, decrement, left = self._newton_step(gradient, curvature, tol, inverse)
            largest = np.maximum(move.max(axis=0), -move.min(axis=0)).astype(np.float64)
            size = np.where(largest > _SAFE_MOVE, np.log1p(largest) / largest, 1.0)
            point = point + size * step
            logits += size.astype(self.precision) * move
            moved += (size * largest).max()
            left = left + decrement * left_by_full_step(largest)
            if ((size == 1.0) & (left < MARGIN * tol)).all() or not np.isfinite(point).all():
                break
        return point, inverse

    def _newton_step(
        self, gradient: np.ndarray, curvature: np.ndarray, tol: np.ndarray, inverse: SharedInverse
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the step, the logits' move, the squared decrement and what is left of it.

        Iterations go on until the residuals are small in the mean's metric and in each column's
        own diagonal one: the mean makes next to nothing of a feature whose rows have weight in
        other columns only.
        """
        step, moves = np.zeros_like(gradient), np.zeros_like(curvature)
        r, z = -gradient, -(inverse @ gradient)
        p, rz, own = z, dot(r, z), dot(r, r / self.diagonals)
        decrement, first, n_iterations = np.zeros_like(rz), rz.sum(), 0
        target = np.maximum(_FORCING * rz * np.minimum(rz, 1.0), _FLOOR * tol)
        own_target = np.maximum(_FORCING * own, _FLOOR * tol)
        while n_iterations < _MAX_ITERATIONS:
            running = (rz > target) | (own > own_target)
            if not running.any():
                break
            n_iterations += 1
            h, move = self.times_hessian(p, curvature)
            alpha = ratio(rz, dot(p, h), running)
            step += alpha * p
            moves += alpha.astype(self.precision) * move
            decrement += alpha * rz
            r -= alpha * h
            z = inverse @ r
            after = np.where(running, dot(r, z), rz)
            p, rz, own = z + ratio(after, rz, running) * p, after, dot(r, r / self.diagonals)
        self.rate = (rz.sum() / first) ** (1 / max(n_iterations, 1))
        return step, moves, decrement, np.maximum(rz, own)


def _penalised(point: np.ndarray) -> np.ndarray:
    """Return the penalty's part of a gradient or a Hessian's product."""
    out = point.astype(np.float64)
    out[-1] = 0.0
    return out


def _add_product(total: np.ndarray, X: np.ndarray, values: np.ndarray) -> None:
    """Add ``X.T @ values``, and the columns' sums below it."""
    total[:-1] += X.T @ values
    total[-1] += np.ones(len(values), dtype=values.dtype) @ values  # faster than `sum` is


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return ``expit(logits)`` by numpy's faster exponential; overflow gives the right zero."""
    out = np.exp(-logits)
    out += 1
    return np.reciprocal(out, out=out)
