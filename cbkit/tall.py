"""Logistic regressions of many resamples on far more observations than features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cbkit.history import Matrix
from cbkit.spaces import dot

_LEAST_ROWS = 1024  # of sparse contexts; of dense ones twice as many, Newton's products being cheap
_LEAST_RATIO = 2  # observations per feature: fewer, and resamples' Hessians differ too much
_MOST_FEATURES = 512  # up to here the inverse of a Hessian costs less than what it saves
_MAX_STEPS = 40
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
        self.matrix = np.linalg.inv(hessian).astype(np.float32)
        self.n_observations = X.shape[0]

    def serves(self, X: Matrix) -> bool:
        """Tell whether it still fits the longer history `X`."""
        n, n_features = X.shape
        return n <= _GROWTH * self.n_observations and len(self.matrix) == n_features + 1

    def __matmul__(self, gradient: np.ndarray) -> np.ndarray:
        return self.matrix @ gradient.astype(np.float32)


def descend(
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray,
    point: np.ndarray,
    tol: np.ndarray,
    inverse: SharedInverse | None,
) -> tuple[np.ndarray, SharedInverse | None]:
    """Move all columns near their optima, in single precision; Newton's method has to finish them.

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
        It stops where all gradients' squared norms, in the metric of `inverse`, are below.
    inverse : SharedInverse or None
        One of an earlier solve; a new one is made where there is none or it no longer serves.

    Returns
    -------
    point : ndarray, shape (n_features + 1, n_columns)
        How far it came: not at all where single precision fails, as on contexts far from their
        origin or out of its range.
    inverse : SharedInverse or None
        For the next solve.

    Notes
    -----
    Polak and Ribiere's nonlinear conjugate gradients with restarts. The third derivative along a
    direction is at most the largest move of a logit times the second, so that
    ``log(1 + move) / move`` of the step to the quadratic model's minimum lowers the objective
    whatever the start.
    """
    with np.errstate(all="ignore"):  # what overflows is left out below
        problem = _SinglePrecision(X, rewards, weights)
        if inverse is None or not inverse.serves(X):
            curvature = problem.curvature(point).mean(axis=1).astype(np.float64)
            if not np.isfinite(curvature).all():
                return point, None
            try:
                inverse = SharedInverse(X, curvature)
            except np.linalg.LinAlgError:
                return point, None
        reached = problem.minimise(point, tol, inverse)
    return np.where(np.isfinite(reached).all(axis=0), reached, point), inverse


class _SinglePrecision:
    """A copy of the observations in single precision, which halves what products have to read."""

    def __init__(self, X: Matrix, rewards: np.ndarray, weights: np.ndarray) -> None:
        self.X = X.astype(np.float32)
        self.XT = self.X.T
        self.ones = np.ones(X.shape[0], dtype=np.float32)  # sums columns faster than `sum` does
        self.rewards = rewards[:, None].astype(np.float32)
        self.weights = weights.astype(np.float32)

    def times(self, point: np.ndarray) -> np.ndarray:
        """Return the logits of `point`, or their moves along it."""
        rounded = point.astype(np.float32)
        logits = self.X @ rounded[:-1]
        logits += rounded[-1]
        return logits

    def curvature(self, point: np.ndarray) -> np.ndarray:
        """Return the second derivatives of the weighted losses by the logits."""
        probability = _sigmoid(self.times(point))
        return self.weights * (probability * (1 - probability))

    def minimise(self, point: np.ndarray, tol: np.ndarray, inverse: SharedInverse) -> np.ndarray:
        """Return how far the descent comes."""
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
            squared = dot(gradient, scaled)
            # Rounding can make the inverse of an ill-conditioned Hessian indefinite.
            if (squared < tol).all() or not (squared >= 0).all():
                break
            turned = np.maximum(0.0, squared - dot(gradient, last)) / last_squared
            direction = turned * direction - scaled
            uphill = dot(gradient, direction) >= 0
            direction[:, uphill] = -scaled[:, uphill]
            move = self.times(direction)
            curvature = probability * (1 - probability)
            curvature *= self.weights
            curved = np.einsum("ij,ij,ij->j", curvature, move, move, dtype=np.float64)
            curved += dot(direction[:-1], direction[:-1])
            size = -dot(gradient, direction) / np.maximum(curved, _TINY)
            largest = size * np.maximum(move.max(axis=0), -move.min(axis=0))
            size *= np.log1p(largest) / np.maximum(largest, _TINY)
            point = point + size * direction
            move *= size.astype(np.float32)
            logits += move
            last, last_squared = scaled, np.maximum(squared, _TINY)
        return point


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return ``expit(logits)`` by numpy's faster exponential; overflow gives the right zero."""
    out = np.exp(-logits)
    out += 1
    return np.reciprocal(out, out=out)
