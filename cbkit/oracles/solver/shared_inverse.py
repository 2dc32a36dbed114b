"""The inverse Hessian that preconditions the fits of all resamples on a tall matrix."""

from __future__ import annotations

import numpy as np

_CHANGE = 1.25  # of the curvature's sum, up to which an inverse serves
# Least share of a feature's curvature that neither the intercept nor the features before it
# explain, where single precision still tells it from them.
_LEAST_SHARE = 1e-6


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
        """Return whether it fits a Hessian whose curvatures add up to `curvature`."""
        near = self.curvature / _CHANGE <= curvature <= self.curvature * _CHANGE
        return near and len(self.matrix) == n_features + 1

    def __matmul__(self, gradient: np.ndarray) -> np.ndarray:
        return self.matrix @ gradient
