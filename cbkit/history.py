"""What each arm has seen: rows, rewards and counts."""

from __future__ import annotations

from array import array

import numpy as np
from scipy import sparse

Matrix = np.ndarray | sparse.csr_array

_INDEX = np.int32  # scikit-learn refuses sparse matrices with wider indices


class RowStore:
    """An append-only matrix, sparse (CSR) or dense as its first block is, never densified.

    Appending costs amortised constant time per entry, since buffers double when full.

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
        self._buffers: dict[str, np.ndarray] = {}
        self._used: dict[str, int] = {}
        self._n_features = 0
        self._sparse = False
        self._whole: sparse.csr_array | None = None

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_whole": None}  # a view of the rest

    def append(self, X: Matrix) -> int:
        """Add the rows of `X` and return the number of the first of them."""
        first = self.n_rows
        if first == 0:
            self._sparse = sparse.issparse(X)
            self._n_features = X.shape[1]
        if X.shape[1] != self._n_features or sparse.issparse(X) != self._sparse:
            kind = "sparse" if self._sparse else "dense"
            raise ValueError(
                f"contexts so far were {kind} with {self._n_features} features; "
                f"got a block of shape {X.shape} and type {type(X).__name__}; "
                f"give every block {kind} and with the same columns"
            )
        if self._sparse:
            if first == 0:
                self._extend("starts", np.zeros(1, dtype=_INDEX))
            offset = self._used.get("values", 0)
            if offset + X.nnz > np.iinfo(_INDEX).max:
                raise OverflowError("a history holds at most 2**31 - 1 entries of sparse contexts")
            self._extend("values", X.data)
            self._extend("columns", X.indices.astype(_INDEX))
            self._extend("starts", (X.indptr[1:] + offset).astype(_INDEX))
        else:
            self._extend("values", X)
        self.n_rows += X.shape[0]
        self._whole = None
        return first

    def take(self, rows: np.ndarray | list[int]) -> Matrix:
        """Return the rows with the given numbers, in that order."""
        if not self._sparse:
            return self._view("values")[rows]
        if self._whole is None:  # made once for all arms that are refit after a block
            parts = self._view("values"), self._view("columns"), self._view("starts")
            self._whole = sparse.csr_array(parts, shape=(self.n_rows, self._n_features))
        return self._whole[rows]

    def _view(self, name: str) -> np.ndarray:
        return self._buffers[name][: self._used[name]]

    def _extend(self, name: str, new: np.ndarray) -> None:
        used = self._used.get(name, 0)
        needed = used + len(new)
        buffer = self._buffers.get(name)
        if buffer is None or needed > len(buffer):
            grown = np.empty((max(2 * needed, 64), *new.shape[1:]), dtype=new.dtype)
            if buffer is not None:
                grown[:used] = buffer[:used]
            self._buffers[name] = buffer = grown
        buffer[used:needed] = new
        self._used[name] = needed


class History:
    """Rows and rewards of every arm, and their counts.

    Parameters
    ----------
    n_arms : int
        Number of arms.

    Attributes
    ----------
    positives, negatives : ndarray of int, shape (n_arms,)
        Rewards and non-rewards seen so far.
    n_changes : int
        Grows by 1 with each observation, and by 2 as an arm comes or goes.
    last_counted : int
        Arm of the last observation; -1 before any.
    changed : set of int
        Arms that gained observations since `changed` was last cleared.
    """

    def __init__(self, n_arms: int) -> None:
        self.positives = np.zeros(n_arms, dtype=np.int64)
        self.negatives = np.zeros(n_arms, dtype=np.int64)
        self.n_changes = 0
        self.last_counted = -1
        self.changed: set[int] = set()
        self._store = RowStore()
        self._rows = [array("q") for _ in range(n_arms)]
        self._rewards = [array("b") for _ in range(n_arms)]
        self._block: Matrix | None = None
        self._block_start = 0

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self._rows)

    def __getstate__(self) -> dict:
        # The last block is kept only to recognise it; without it the next row starts a new one.
        return {**self.__dict__, "_block": None}

    def count(self, arm: int, reward: int) -> None:
        """Count an observation of `arm` without keeping its row."""
        (self.positives if reward else self.negatives)[arm] += 1
        self.n_changes += 1
        self.last_counted = arm

    def add(self, X: Matrix, row: int, arm: int, reward: int) -> None:
        """Count row `row` of the block `X` as an observation of `arm`, and keep it.

        Parameters
        ----------
        X : csr_array or ndarray, shape (n_rounds, n_features)
            The block; stored once, however many of its rows are added one after the other.
        row : int
            Which of its rows.
        arm : int
            The arm that it is an observation of.
        reward : int
            Its reward, 0 or 1.
        """
        if X is not self._block:
            self._block_start = self._store.append(X)
            self._block = X
        self.count(arm, reward)
        self._rows[arm].append(self._block_start + row)
        self._rewards[arm].append(reward)
        self.changed.add(arm)

    def observations(self, arm: int) -> tuple[Matrix, np.ndarray]:
        """Return the contexts, shape (n, n_features), and rewards, shape (n,), kept for `arm`."""
        rows = np.array(self._rows[arm], dtype=np.int64)
        return self._store.take(rows), np.array(self._rewards[arm], dtype=np.float64)

    def forget_rows(self) -> None:
        """Drop all rows, keeping the counts: for oracles that have learned from them for good."""
        self._store = RowStore()
        self._block = None
        for rows, rewards in zip(self._rows, self._rewards, strict=True):
            del rows[:], rewards[:]

    def add_arm(self) -> None:
        """Add an arm without observations, as the last one."""
        self.n_changes += 2
        self.positives = np.append(self.positives, 0)
        self.negatives = np.append(self.negatives, 0)
        self._rows.append(array("q"))
        self._rewards.append(array("b"))

    def drop_arm(self, arm: int) -> None:
        """Drop `arm`; the arms after it move down by one."""
        self.n_changes += 2
        self.positives = np.delete(self.positives, arm)
        self.negatives = np.delete(self.negatives, arm)
        del self._rows[arm], self._rewards[arm]
        self.changed = {other - (other > arm) for other in self.changed if other != arm}
