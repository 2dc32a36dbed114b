"""Weighted regressions on four coefficients, for all samples and resamples at once."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

UPPER = np.triu_indices(4)
FULL = np.zeros((4, 4), dtype=int)
FULL[UPPER] = FULL.T[UPPER] = np.arange(10)
MAX_ITERATIONS = 200


def weighted_least_squares(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Solve every sample's and resample's weighted least squares by its 4 x 4 normal equations.

    A resample with fewer than four distinct observations has many solutions; it gets the one of
    least norm, as `numpy.linalg.lstsq` gives.

    Parameters
    ----------
    X : ndarray, shape (n_samples, sample_size, 4)
        Features with a column of ones.
    y : ndarray, shape (n_samples, sample_size)
        Targets.
    weights : ndarray, shape (n_samples, sample_size, n_resamples)
        Weights of the observations in each resample.

    Returns
    -------
    ndarray, shape (n_samples, 4, n_resamples)
        The coefficients.

    Examples
    --------
    >>> X = np.array([[[1.0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]])
    >>> y = np.array([[2.0, 3.0, 4.0, 5.0]])
    >>> weighted_least_squares(X, y, np.ones((1, 4, 1)))[0, :, 0].round(6)
    array([2., 1., 2., 3.])
    """
    _check(X, y, weights)
    transposed = np.swapaxes(X, 1, 2)
    gram = _gram(_products(X), weights)
    moments = np.swapaxes((transposed * y[:, None, :]) @ weights, 1, 2)
    inverse = np.linalg.pinv(gram, rcond=1e-12, hermitian=True)
    return np.swapaxes((inverse @ moments[..., None])[..., 0], 1, 2)


def weighted_logistic(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, *, ridge: float = 1e-3
) -> np.ndarray:
    r"""Fit every sample's and resample's weighted logistic regression by Newton's method.

    Minimises :math:`\sum_i w_i \log(1 + e^{-s_i \eta_i}) + \frac{\text{ridge}}{2} \|b\|^2` with
    :math:`s_i = \pm 1` the label and :math:`\eta_i = x_i b`. The penalty includes the intercept, so
    that the solution is finite and unique for every resample: also where a plane separates the
    labels, and where only one label is present (its probability is then close to that label at
    every point).

    Parameters
    ----------
    X : ndarray, shape (n_samples, sample_size, 4)
        Features with a column of ones.
    y : ndarray, shape (n_samples, sample_size)
        Labels, 0 or 1.
    weights : ndarray, shape (n_samples, sample_size, n_resamples)
        Weights of the observations in each resample.
    ridge : float, default=1e-3
        Penalty on the four coefficients, above 0. The default hardly shrinks.

    Returns
    -------
    ndarray, shape (n_samples, 4, n_resamples)
        The coefficients.

    Notes
    -----
    Each sample's resamples start from the unweighted fit of the sample. A step is halved while the
    objective's slope along it is positive and more than half of what it was at the start.

    Examples
    --------
    >>> X = np.array([[[1.0, 0, 0, 0]] * 4])
    >>> coefficients = weighted_logistic(X, np.array([[0.0, 0, 0, 1]]), np.ones((1, 4, 1)))
    >>> expit(coefficients[0, 0]).round(2)
    array([0.25])
    """
    _check(X, y, weights)
    if not ridge > 0:
        raise ValueError(f"ridge must be above 0, got {ridge}; write 1e-6 for next to none")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"labels must be 0 or 1, got values from {y.min()} to {y.max()}")
    n_samples, sample_size, n_resamples = weights.shape
    coefficients = np.zeros((n_samples, 4, n_resamples))
    block = max(1, 100_000 // (sample_size * n_resamples))
    for first in range(0, n_samples, block):
        part = slice(first, first + block)
        unweighted = np.ones((len(X[part]), sample_size, 1))
        start = _newton(X[part], y[part], unweighted, np.zeros((len(unweighted), 4, 1)), ridge)
        start = np.repeat(start, n_resamples, axis=2)
        coefficients[part] = _newton(X[part], y[part], weights[part], start, ridge)
    return coefficients


def _newton(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, coefficients: np.ndarray, ridge: float
) -> np.ndarray:
    transposed, products = np.swapaxes(X, 1, 2), _products(X)

    def descent(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        probability = expit(X @ at)
        gradient = transposed @ (weights * (y[:, :, None] - probability)) - ridge * at
        return gradient, probability

    gradient, probability = descent(coefficients)
    for _ in range(MAX_ITERATIONS):
        hessian = _gram(products, weights * probability * (1 - probability)) + ridge * np.eye(4)
        step = np.linalg.solve(hessian, np.swapaxes(gradient, 1, 2)[..., None])[..., 0]
        step = np.swapaxes(step, 1, 2)
        slope = (gradient * step).sum(axis=1, keepdims=True)
        length = np.ones_like(slope)
        while True:
            ahead = coefficients + length * step
            gradient, probability = descent(ahead)
            overshot = -(gradient * step).sum(axis=1, keepdims=True) > 0.5 * slope + 1e-12
            if not overshot.any():
                break
            length = np.where(overshot, length / 2, length)
        coefficients = ahead
        if slope.max() < 1e-6:
            return coefficients
    raise RuntimeError(f"no convergence in {MAX_ITERATIONS} Newton steps; write a larger ridge")


def _products(X: np.ndarray) -> np.ndarray:
    """Products of pairs of columns, shape (n_samples, 10, sample_size)."""
    return np.ascontiguousarray(np.swapaxes(X[:, :, UPPER[0]] * X[:, :, UPPER[1]], 1, 2))


def _gram(products: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted 4 x 4 Gram matrices, shape (n_samples, n_resamples, 4, 4)."""
    return np.swapaxes(products @ weights, 1, 2)[:, :, FULL]


def _check(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
    if X.ndim != 3 or X.shape[2] != 4:
        raise ValueError(f"X must have shape (n_samples, sample_size, 4), got {X.shape}")
    if y.shape != X.shape[:2] or weights.shape[:2] != X.shape[:2] or weights.ndim != 3:
        raise ValueError(
            f"y and weights must start with X's first two lengths {X.shape[:2]}, "
            f"got {y.shape} and {weights.shape}"
        )
