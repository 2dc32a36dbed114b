"""Logistic regressions of many resamples on far more observations than features."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import inv
from scipy.special import expit

from cbkit.history import Matrix

_LEAST_ROWS = 1024  # of sparse contexts; of dense ones twice as many, Newton's products being cheap
_LEAST_RATIO = 2  # observations per feature: fewer, and resamples' Hessians differ too much
_MOST_FEATURES = 512  # up to here the inverse of a Hessian costs less than what it saves
_MAX_STEPS = 60
MOST_SQUARED_NORM = 1e12  # of a context, lest single precision over- or underflow
_GROWTH = 1.25  # up to which an inverse serves the refits on a longer history
_TINY = 1e-12


def is_tall(X: Matrix, n_columns: int) -> bool:
    """Tell whether `descend` beats Newton's method, for `n_columns` resamples on `X`.

    Examples
    --------
    >>> is_tall(np.zeros((5000, 100)), 10), is_tall(np.zeros((500, 100)), 10)
    (True, False)
    """
    n, n_features = X.shape
    if n_features > _MOST_FEATURES or n < _LEAST_RATIO * n_features:
        return False
    if sparse.issparse(X):  # one resample's products are too cheap for an inverse to pay
        return n >= _LEAST_ROWS and n_columns > 1
    return n >= 2 * _LEAST_ROWS


class SharedInverse:
    """Inverse of the Hessian averaged over resamples: on tall problems close to each one's own.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    curvature : ndarray, shape (n_observations,)
        Second derivatives of the losses by the logits, averaged over resamples.
    """

    def __init__(self, X: Matrix, curvature: np.ndarray) -> None:
        n_features = X.shape[1]
        hessian = np.empty((n_features + 1, n_features + 1))
        weighted = X.multiply(curvature[:, None]) if sparse.issparse(X) else curvature[:, None] * X
        product = X.T @ weighted
        hessian[:-1, :-1] = product.toarray() if sparse.issparse(product) else product
        hessian[:-1, :-1][np.diag_indices(n_features)] += 1.0
        hessian[:-1, -1] = hessian[-1, :-1] = X.T @ curvature
        hessian[-1, -1] = curvature.sum() + _TINY
        inverse = inv(hessian, overwrite_a=True, check_finite=False)
        self.matrix = inverse.astype(np.float32)  # only steers: no optimum depends on its digits
        self.n_observations = X.shape[0]

    def serves(self, X: Matrix) -> bool:
        """Tell whether it still fits the longer history `X`."""
        return X.shape[0] <= _GROWTH * self.n_observations

    def __matmul__(self, gradient: np.ndarray) -> np.ndarray:
        return self.matrix @ gradient.astype(np.float32)


def descend(
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray,
    point: np.ndarray,
    tol: np.ndarray,
    inverse: SharedInverse | None,
) -> tuple[np.ndarray, np.ndarray, SharedInverse]:
    """Move all columns of `point` to their optima by preconditioned nonlinear conjugate gradients.

    Single precision gets near, double precision finishes.

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
        A column is done where its gradient's squared norm, in the metric of `inverse`, is below.
    inverse : SharedInverse or None
        One of an earlier solve; a new one is made where there is none or it no longer serves.

    Returns
    -------
    point : ndarray, shape (n_features + 1, n_columns)
        The optima, or how far it came.
    is_done : ndarray of bool, shape (n_columns,)
        Which columns are done; Newton's method has to finish the others.
    inverse : SharedInverse
        For the next solve.

    Notes
    -----
    Polak and Ribiere's directions with restarts. The third derivative along a direction is at most
    the largest move of a logit times the second, so that ``log(1 + move) / move`` of the step to
    the quadratic model's minimum lowers the objective whatever the start.
    """
    for dtype in (np.float32, np.float64):
        problem = _Problem(X.astype(dtype, copy=False), rewards, weights, dtype)
        if inverse is None or not inverse.serves(X):
            inverse = SharedInverse(X, problem.curvature(point).mean(axis=1).astype(np.float64))
        point, is_done = problem.minimise(point, tol, inverse)
    return point, is_done, inverse


class _Problem:
    """One precision's copy of the observations."""

    def __init__(self, X: Matrix, rewards: np.ndarray, weights: np.ndarray, dtype: type) -> None:
        self.X, self.XT, self.dtype = X, X.T, dtype
        self.ones = np.ones(X.shape[0], dtype=dtype)  # sums columns faster than `sum` does
        self.rewards = rewards[:, None].astype(dtype)
        self.weights = weights.astype(dtype, copy=False)

    def times(self, point: np.ndarray) -> np.ndarray:
        """Return the logits of `point`, or their moves along it."""
        rounded = point.astype(self.dtype)
        logits = self.X @ rounded[:-1]
        logits += rounded[-1]
        return logits

    def curvature(self, point: np.ndarray) -> np.ndarray:
        """Return the second derivatives of the weighted losses by the logits."""
        probability = expit(self.times(point))
        return self.weights * (probability * (1 - probability))

    def minimise(
        self, point: np.ndarray, tol: np.ndarray, inverse: SharedInverse
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how far the descent comes, and which columns are done."""
        logits = self.times(point)
        direction, last, last_squared = np.zeros_like(point), np.zeros_like(point), np.inf
        for _ in range(_MAX_STEPS):
            probability = _sigmoid(logits)
            residual = probability - self.rewards
            residual *= self.weights
            gradient = np.empty_like(point)
            gradient[:-1] = point[:-1] + self.XT @ residual
            gradient[-1] = self.ones @ residual
            scaled = inverse @ gradient
            squared = _dot(gradient, scaled)
            is_done = squared < tol
            if is_done.all() or not np.isfinite(squared).all():
                break
            turned = np.maximum(0.0, squared - _dot(gradient, last)) / last_squared
            direction = turned * direction - scaled
            uphill = _dot(gradient, direction) >= 0
            direction[:, uphill] = -scaled[:, uphill]
            move = self.times(direction)
            curvature = probability * (1 - probability)
            curvature *= self.weights
            curved = np.einsum("ij,ij,ij->j", curvature, move, move, dtype=np.float64)
            curved += _dot(direction[:-1], direction[:-1])
            size = -_dot(gradient, direction) / np.maximum(curved, _TINY)
            largest = size * np.maximum(move.max(axis=0), -move.min(axis=0))
            size *= np.log1p(largest) / np.maximum(largest, _TINY)
            point = point + size * direction
            move *= size.astype(self.dtype)
            logits += move
            last, last_squared = scaled, np.maximum(squared, _TINY)
        return point, is_done


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return ``expit(logits)`` by numpy's faster exponential; overflow gives the right zero."""
    with np.errstate(over="ignore"):
        out = np.exp(-logits)
    out += 1
    return np.reciprocal(out, out=out)


def _dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", left, right)
