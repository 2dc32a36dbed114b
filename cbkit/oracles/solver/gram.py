"""Gram matrices of the arms' observations, which grow from refit to refit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix
from cbkit.oracles.per_arm import PerArm

_MAX_BYTES = 2**28  # of all arms together: with exclusive rewards all may grow at once


class GramMatrices:
    """``X @ X.T`` of each arm's observations; a refit computes the new ones' rows alone.

    Examples
    --------
    >>> grams = GramMatrices()
    >>> grams.grow(0, np.array([[1.0, 2.0]]))
    array([[5.]])
    >>> grams.grow(0, np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([[5., 6.],
           [6., 9.]])
    """

    def __init__(self) -> None:
        self._buffers: PerArm[np.ndarray] = PerArm()
        self._n_known: PerArm[int] = PerArm()
        self._bytes = 0

    def grow(self, arm: int, X: Matrix) -> np.ndarray | None:
        """Return the Gram matrix of `X`, whose first rows are those of the last call.

        Parameters
        ----------
        arm : int
            The arm.
        X : csr_array or ndarray, shape (n_observations, n_features)
            All its contexts.

        Returns
        -------
        ndarray, shape (n_observations, n_observations), or None
            A view, valid until the next call; None where the arms' matrices would take too much
            memory together.
        """
        n, known = X.shape[0], self._n_known.get(arm, 0)
        buffer = self._buffers.get(arm)
        if buffer is None or len(buffer) < n:
            buffer = self._widen(arm, buffer, known, n)
            if buffer is None:
                return None
        strip = X @ _dense_columns(X, known)
        buffer[:n, known:n] = strip
        buffer[known:n, :known] = strip[:known].T
        self._n_known[arm] = n
        return buffer[:n, :n]

    def _widen(self, arm: int, old: np.ndarray | None, known: int, n: int) -> np.ndarray | None:
        """Allocate a buffer of `arm` for `n` observations and half as many more."""
        size = n + n // 2
        more = 8 * size**2 - (0 if old is None else old.nbytes)
        if self._bytes + more > _MAX_BYTES:
            self.drop(arm)
            return None
        buffer = np.zeros((size, size))
        if old is not None:
            buffer[:known, :known] = old[:known, :known]
        self._buffers[arm] = buffer
        self._bytes += more
        return buffer

    def drop(self, arm: int) -> None:
        """Forget the matrix of `arm`, if it has one."""
        buffer = self._buffers.pop(arm, None)
        self._n_known.pop(arm, None)
        self._bytes -= 0 if buffer is None else buffer.nbytes

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self.drop(arm)
        self._buffers.drop_arm(arm)
        self._n_known.drop_arm(arm)


def _dense_columns(X: Matrix, first: int) -> np.ndarray:
    """Return ``X[first:].T``, dense.

    Sparse rows repeat no entry, as `as_features` leaves them; by hand in half of scipy's time.
    """
    if not sparse.issparse(X):
        return X[first:].T
    columns = np.zeros((X.shape[1], X.shape[0] - first))
    for row, (start, end) in enumerate(pairwise(X.indptr[first:].tolist())):
        columns[X.indices[start:end], row] = X.data[start:end]
    return columns
