"""Logistic regressions of many resamples on far more observations than features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cbkit.history import Matrix
from cbkit.spaces import dot, left_by_full_step, ratio

_LEAST_ROWS = 256  # of dense contexts; of sparse ones four times as many, whose products are cheap
_LEAST_RATIO = 2  # observations per feature: fewer, and resamples' Hessians differ too much
_MOST_FEATURES = 512  # up to here the inverse of a Hessian costs less than what it saves
_MAX_STEPS = 20
_SAFE_MOVE = 1.5  # of a logit, up to which a full Newton step lowers the objective
_FORCING = 0.01  # to which share of the first residual, and of its square, a step is solved
_MARGIN = 0.05  # of the tolerance: where the last step has to end
_FLOOR = 1e-3  # of the tolerance: where iterations end
_TINY = 1e-12
_MAX_ITERATIONS = 50  # of conjugate gradients in a step
_CHANGE = 1.25  # of the curvature's sum, up to which an inverse serves
# Least share of a feature's curvature that neither the intercept nor the features before it
# explain, where single precision still tells it from them.
_LEAST_SHARE = 1e-6
_ROWS_AT_ONCE = 512  # whose contexts stay in a core's cache between two products


def is_tall(X: Matrix, n_columns: int) -> bool:
    """Tell whether `solve_tall` beats `cbkit.newton` alone, for `n_columns` resamples on `X`.

    Examples
    --------
    >>> is_tall(np.zeros((5000, 100)), 10), is_tall(np.zeros((500, 300)), 10)
    (True, False)
    """
    n, n_features = X.shape
    if n_features > _MOST_FEATURES or n < _LEAST_RATIO * n_features:
        return False
    if sparse.issparse(X):  # one resample's products are too cheap for an inverse to pay
        return n >= 4 * _LEAST_ROWS and n_columns > 1
    return n >= _LEAST_ROWS


class SharedInverse:
    """Inverse of the Hessian averaged over resamples: on tall problems near each one's own.

    Parameters
    ----------
    hessian : ndarray, shape (n_features + 1, n_features + 1)
        Second derivatives of the averaged losses, intercept last.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it is not positive definite, or single precision could not tell its features apart.

    Examples
    --------
    >>> SharedInverse(np.diag([3.0, 2.0])).matrix     # with the penalty of the first
    array([[0.25, 0.  ],
           [0.  , 0.5 ]])
    """

    def __init__(self, hessian: np.ndarray) -> None:
        self.curvature = hessian[-1, -1]
        penalised = hessian + np.diag([1.0] * (len(hessian) - 1) + [0.0])
        scale = np.sqrt(penalised.diagonal())
        if not (np.isfinite(scale) & (scale > 0)).all():
            raise np.linalg.LinAlgError("the Hessian has no finite and positive diagonal")
        penalised /= np.outer(scale, scale)
        # Eliminated after the intercept, features far from their origin show by what is left.
        pivots = np.linalg.cholesky(penalised[::-1, ::-1]).diagonal()
        if not (pivots**2 > _LEAST_SHARE).all():
            raise np.linalg.LinAlgError("single precision cannot tell the features apart")
        self.matrix = np.linalg.inv(penalised) / np.outer(scale, scale)

    def serves(self, curvature: float, n_features: int) -> bool:
        """Tell whether it fits a Hessian whose curvatures add up to `curvature`."""
        near = self.curvature / _CHANGE <= curvature <= self.curvature * _CHANGE
        return near and len(self.matrix) == n_features + 1

    def __matmul__(self, gradient: np.ndarray) -> np.ndarray:
        return self.matrix @ gradient


def solve_tall(
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray,
    point: np.ndarray,
    tol: np.ndarray,
    inverse: SharedInverse | None,
) -> tuple[np.ndarray, SharedInverse | None, bool]:
    """Seek all columns' optima in single precision, and check them in double precision.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    rewards : ndarray, shape (n_observations,)
        0 or 1.
    weights : ndarray, shape (n_observations, n_columns)
        Weights times the factor C.
    point : ndarray, shape (n_features + 1, n_columns)
        Where to start: coefficients, and intercepts in the last row.
    tol : ndarray, shape (n_columns,)
        A column is done where the squared norm of its gradient, in the metric of `inverse`, is
        well below.
    inverse : SharedInverse or None
        One of an earlier solve; a new one is made where there is none or it no longer serves.

    Returns
    -------
    point : ndarray, shape (n_features + 1, n_columns)
        How far it came: not at all where single precision fails, as on contexts far from their
        origin or out of its range.
    inverse : SharedInverse or None
        For the next solve; None where it has become too rough.
    done : bool
        Whether these are the optima; if not, `cbkit.newton` has to go on from there.

    Notes
    -----
    Newton's method with conjugate gradients. The third derivative along a direction is at most the
    largest move of a logit times the second, so that ``log(1 + move) / move`` of a step lowers the
    objective whatever the start.
    """
    problem = _Problem(X, rewards, weights, np.float32)
    with np.errstate(all="ignore"):  # what overflows is left out below
        try:
            reached, inverse = problem.minimise(point, tol, inverse)
        except np.linalg.LinAlgError:
            return point, None, False
        if not np.isfinite(reached).all():
            return point, inverse, False
        _, gradient, _ = _Problem(X, rewards, weights, np.float64).derivatives(reached)
        left = np.maximum(
            dot(gradient, inverse @ gradient),
            dot(gradient, gradient / problem.diagonals),
        )
        done = bool((left < _MARGIN * tol).all())
        return reached, inverse if problem.rate < _rate_within_reach(X) else None, done


class _Problem:
    """The objective's derivatives, in the precision asked for, some rows at a time."""

    def __init__(
        self, X: Matrix, rewards: np.ndarray, weights: np.ndarray, precision: np.dtype
    ) -> None:
        self.precision = precision
        self.rate = 0.0  # by which an iteration of the last step shrank the squared residuals
        n = len(rewards)
        in_one = sparse.issparse(X) or weights.shape[1] == 1  # where parts gain nothing
        at_once = n if in_one else _ROWS_AT_ONCE
        with np.errstate(over="ignore"):
            rounded = X.astype(precision, copy=False)
            self.rewards = rewards[:, None].astype(precision)
            self.weights = weights.astype(precision)
        self.parts = [
            (slice(first, first + at_once), rounded[first : first + at_once])
            for first in range(0, n, at_once)
        ]

    def derivatives(
        self, point: np.ndarray, logits: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return logits, gradient, and the second derivatives of the weighted losses by logits."""
        known, gradient = logits is not None, _penalised(point)
        logits = logits if known else np.empty_like(self.weights)
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
            if sparse.issparse(X):
                out[:-1, :-1] = (X.T @ X.multiply(mean[:, None])).toarray()
            else:
                out[:-1, :-1] += X.T @ (X * mean[:, None])
            out[-1, :-1] += X.T @ mean
            out[-1, -1] += mean.sum(dtype=np.float64)
        out[:-1, -1] = out[-1, :-1]
        return out

    def own_diagonals(self, curvature: np.ndarray) -> np.ndarray:
        """Return the diagonal of each column's Hessian, shape (n_features + 1, n_columns)."""
        out = np.ones((self.parts[0][1].shape[1] + 1, curvature.shape[1]))
        out[-1] = _TINY
        for rows, X in self.parts:
            _add_product(out, X * X, curvature[rows])
        return out

    def minimise(
        self, point: np.ndarray, tol: np.ndarray, inverse: SharedInverse | None
    ) -> tuple[np.ndarray, SharedInverse]:
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
            if ((size == 1.0) & (left < _MARGIN * tol)).all() or not np.isfinite(point).all():
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


def _rate_within_reach(X: Matrix) -> float:
    """Return how fast iterations can be expected to converge with a new inverse, or nearly so.

    Hessians of resamples differ from their mean by about ``2 sqrt(n_features / n_observations)``.
    """
    return 0.06 + 6 * X.shape[1] / X.shape[0]


def _penalised(point: np.ndarray) -> np.ndarray:
    """Return the penalty's part of a gradient or a Hessian's product."""
    out = point.astype(np.float64)
    out[-1] = 0.0
    return out


def _add_product(total: np.ndarray, X: Matrix, values: np.ndarray) -> None:
    """Add ``X.T @ values``, and the columns' sums below it."""
    total[:-1] += X.T @ values
    total[-1] += np.ones(len(values), dtype=values.dtype) @ values  # faster than `sum` is


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return ``expit(logits)`` by numpy's faster exponential; overflow gives the right zero."""
    out = np.exp(-logits)
    out += 1
    return np.reciprocal(out, out=out)
