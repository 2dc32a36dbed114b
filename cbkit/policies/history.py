"""What each arm has seen: rows, rewards and counts."""

from __future__ import annotations

from array import array

import numpy as np

from cbkit._base.validation import Matrix
from cbkit.policies.row_store import RowStore


class History:
    """Rows and rewards of every arm, and their counts.

    Blocks are stored once. An arm's sparse rows are copied side by side at its first refit, and
    kept, so that later refits add the new ones alone.

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
        self._arm_stores: list[RowStore | None] = [None] * n_arms
        self._n_copied = 0  # rows in them together
        self._rows = [array("q") for _ in range(n_arms)]
        self._rewards = [array("b") for _ in range(n_arms)]
        self._block: Matrix | None = None
        self._block_start = 0

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self._rows)

    @property
    def n_rows(self) -> int:
        """Number of rows that are kept, each once however many arms observed it."""
        return self._store.n_rows

    def __getstate__(self) -> dict:
        # The last block is kept only to recognise it; without it the next row starts a new one.
        # Copies per arm are made again at the next refit.
        return {
            **self.__dict__,
            "_block": None,
            "_arm_stores": [None] * self.n_arms,
            "_n_copied": 0,
        }

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
        """Return copies of the contexts (n, n_features) and rewards (n,) kept for `arm`."""
        rows = self._rows[arm]
        rewards = np.array(self._rewards[arm], dtype=np.float64)
        store = self._arm_stores[arm] or RowStore()
        new = rows[store.n_rows :]
        # All copies together hold at most as many rows as came, so that memory at most doubles;
        # with exclusive rewards every arm has every row. Dense rows are quick to select.
        if self._store.is_sparse and self._n_copied + len(new) <= self._store.n_rows:
            store.append_from(self._store, new)
            self._arm_stores[arm] = store
            self._n_copied += len(new)
            return store.to_csr(), rewards
        self._drop_copy(arm)
        return self._store.take(np.array(rows, dtype=np.int64)), rewards

    def rows_from(self, first: int) -> Matrix:
        """Return copies of all contexts kept from number `first` on, whatever arm they are of."""
        return self._store.take(np.arange(first, self._store.n_rows))

    def row_numbers(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers (n,) of the contexts kept for `arm`, and its rewards (n,) in them."""
        rewards = np.array(self._rewards[arm], dtype=np.float64)
        return np.array(self._rows[arm], dtype=np.int64), rewards

    def _drop_copy(self, arm: int) -> None:
        store, self._arm_stores[arm] = self._arm_stores[arm], None
        self._n_copied -= store.n_rows if store else 0

    def forget_rows(self) -> None:
        """Drop all rows, keeping the counts: for oracles that have learned from them for good."""
        self._store = RowStore()
        self._arm_stores, self._n_copied = [None] * self.n_arms, 0
        self._block = None
        for rows, rewards in zip(self._rows, self._rewards, strict=True):
            del rows[:], rewards[:]

    def add_arm(self) -> None:
        """Add an arm without observations, as the last one."""
        self.n_changes += 2
        self.positives = np.append(self.positives, 0)
        self.negatives = np.append(self.negatives, 0)
        self._arm_stores.append(None)
        self._rows.append(array("q"))
        self._rewards.append(array("b"))

    def drop_arm(self, arm: int) -> None:
        """Drop `arm`; the arms after it move down by one."""
        self.n_changes += 2
        self.positives = np.delete(self.positives, arm)
        self.negatives = np.delete(self.negatives, arm)
        self._drop_copy(arm)
        del self._arm_stores[arm], self._rows[arm], self._rewards[arm]
        self.changed = {other - (other > arm) for other in self.changed if other != arm}
