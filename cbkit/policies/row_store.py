"""Matrices that grow by rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from cbkit._base.validation import Matrix

_INDEX = np.int32  # scikit-learn refuses sparse matrices with wider indices
_MOST_ENTRIES = np.iinfo(_INDEX).max
_FEW_ROWS = 25  # up to which copying row by row is quicker than scipy's selection


class _GrowingArray:
    """An array that grows at its end, in amortised constant time per entry: its buffer doubles."""

    def __init__(self, dtype: DTypeLike, shape: tuple[int, ...] = ()) -> None:
        self.used = 0
        self._buffer = np.empty((64, *shape), dtype)

    def __getstate__(self) -> dict:
        return {"used": self.used, "_buffer": self.view()}  # what lies behind is not of the rows

    def extend(self, new: np.ndarray | Sequence[int]) -> None:
        end = self.used + len(new)
        if end > len(self._buffer):
            grown = np.empty((2 * end, *self._buffer.shape[1:]), self._buffer.dtype)
            grown[: self.used] = self.view()
            self._buffer = grown
        self._buffer[self.used : end] = new
        self.used = end

    def view(self) -> np.ndarray:
        return self._buffer[: self.used]


class RowStore:
    """An append-only matrix, sparse (CSR) or dense as its first block is, never densified.

    Appending costs amortised constant time per entry.

    Examples
    --------
    >>> store = RowStore()
    >>> store.append(np.array([[1.0, 2.0], [3.0, 4.0]]))
    0
    >>> store.append(np.array([[5.0, 6.0]]))
    2
    >>> store.take([2, 0])
    array([[5., 6.],
           [1., 2.]])
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self._n_features = 0
        # Growing arrays; None before the first block, the last two also where rows are dense.
        self._values: Any = None
        self._columns: Any = None
        self._starts: Any = None
        self._whole: sparse.csr_array | None = None

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_whole": None}  # a view of the rest

    @property
    def is_sparse(self) -> bool:
        """Whether its rows are sparse; False before the first."""
        return self._starts is not None

    def append(self, X: Matrix) -> int:
        """Add the rows of `X` and return the number of the first of them."""
        first = self.n_rows
        if self._values is None:
            self._begin(X.dtype, X.shape[1], sparse.issparse(X))
        if X.shape[1] != self._n_features or sparse.issparse(X) != self.is_sparse:
            kind = "sparse" if self.is_sparse else "dense"
            raise ValueError(
                f"contexts so far were {kind} with {self._n_features} features; "
                f"got a block of shape {X.shape} and type {type(X).__name__}; "
                f"give every block {kind} and with the same columns"
            )
        if self.is_sparse:
            used = X.indptr[-1]  # arrays may be longer
            ends = X.indptr[1:] + self._values.used
            self._extend(X.data[:used], X.indices[:used], ends)
        else:
            self._values.extend(X)
        self.n_rows += X.shape[0]
        self._whole = None
        return first

    def append_from(self, other: RowStore, rows: Sequence[int]) -> None:
        """Add the rows of the sparse `other` with the given numbers."""
        if len(rows) > _FEW_ROWS:
            self.append(other.take(np.array(rows)))
            return
        values, columns, starts = other._values.view(), other._columns.view(), other._starts.view()
        if self._values is None:
            self._begin(values.dtype, other._n_features, is_sparse=True)
        for row in rows:
            start, end = starts[row : row + 2].tolist()
            ends = [self._values.used + end - start]
            self._extend(values[start:end], columns[start:end], ends)
            self.n_rows += 1
        self._whole = None

    def _begin(self, dtype: np.dtype, n_features: int, is_sparse: bool) -> None:
        self._n_features = n_features
        if is_sparse:
            self._values, self._columns = _GrowingArray(dtype), _GrowingArray(_INDEX)
            self._starts = _GrowingArray(_INDEX)
            self._starts.extend([0])
        else:
            self._values = _GrowingArray(dtype, (n_features,))

    def _extend(self, values: np.ndarray, columns: np.ndarray, ends: Sequence[int]) -> None:
        if self._values.used + len(values) > _MOST_ENTRIES:
            raise OverflowError("a history holds at most 2**31 - 1 entries of sparse contexts")
        self._values.extend(values)
        self._columns.extend(columns)
        self._starts.extend(ends)

    def take(self, rows: np.ndarray | list[int]) -> Matrix:
        """Return a copy of the rows with the given numbers, in that order."""
        if not self.is_sparse:
            return self._values.view()[rows]
        if self._whole is None:  # made once for all arms that are refit after a block
            parts = self._values.view(), self._columns.view(), self._starts.view()
            self._whole = sparse.csr_array(parts, shape=(self.n_rows, self._n_features))
        return self._whole[rows]

    def to_csr(self) -> sparse.csr_array:
        """Return a copy of all rows of a sparse store, in less time than `take` does."""
        parts = [part.view().copy() for part in (self._values, self._columns, self._starts)]
        return sparse.csr_array(tuple(parts), shape=(self.n_rows, self._n_features))
