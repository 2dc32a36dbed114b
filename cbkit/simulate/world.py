"""What the simulator knows and a policy does not: rewards of all arms, delays, arms to come."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from cbkit._base.validation import check_whole
from cbkit.datasets.multilabel import MultilabelDataset

Delay = int | tuple[int, int] | Callable[[np.random.Generator], int]


class Rewards:
    """Holds all rewards and shows those of chosen arms alone."""

    def __init__(self, dataset: MultilabelDataset) -> None:
        # Lists are quicker to look through than arrays where each look is this short.
        self._arms = dataset.labels.indices.tolist()
        self._starts = dataset.labels.indptr.tolist()

    def of(self, row: int, arm: int) -> int:
        """Return the reward, 0 or 1, of `arm` in `row`."""
        return int(arm in self._arms[self._starts[row] : self._starts[row + 1]])


def streams(seed: int) -> list[np.random.SeedSequence]:
    """Return the seeds of a replicate's row order, policy, delays and first random arms."""
    check_whole("seed", seed, least=0)
    return np.random.SeedSequence(int(seed)).spawn(4)


def row_order(n_rows: int, seed: int) -> np.ndarray:
    """Return the order in which a replicate plays the rows: of `seed` and `n_rows` alone."""
    return np.random.default_rng(streams(seed)[0]).permutation(n_rows)


def as_delay(delay: Any) -> Callable[[np.random.Generator], int]:
    """Return a function that draws how many rounds a reward is late.

    Parameters
    ----------
    delay : int, pair of int, or callable
        A number of rounds; the smallest and the largest of equally probable ones; or
        ``f(rng) -> int``.

    Examples
    --------
    >>> draw, rng = as_delay((1, 500)), np.random.default_rng(0)
    >>> 1 <= draw(rng) <= 500
    True
    """
    if callable(delay):
        return lambda rng: _late("what delay(rng) returns", delay(rng))
    if isinstance(delay, tuple | list) and len(delay) == 2:
        low, high = (_late("delay", bound) for bound in delay)
        if low <= high:
            return lambda rng: int(rng.integers(low, high + 1))
    elif isinstance(delay, Integral) and not isinstance(delay, bool):
        rounds = _late("delay", delay)
        return lambda rng: rounds
    raise ValueError(
        "delay must be a number of rounds, a pair (smallest, largest) of them, or a function of "
        f"a generator that returns one; got {delay!r}"
    )


def _late(name: str, rounds: Any) -> int:
    check_whole(name, rounds, least=0)
    return int(rounds)


def as_arrivals(arrivals: Any, n_arms: int, n_rounds: int) -> np.ndarray:
    """Return the rounds in which each arm can be chosen, refusing rounds without any arm.

    Parameters
    ----------
    arrivals : array-like of int, shape (n_arms, 2)
        For each arm the first round in which it can be chosen, counted from 1, and the round from
        which it no longer can.
    n_arms, n_rounds : int
        Number of arms and of rounds.

    Returns
    -------
    ndarray of int, shape (n_arms, 2)
    """
    rounds = np.asarray(arrivals)
    if rounds.shape != (n_arms, 2) or rounds.dtype.kind not in "iu":
        raise ValueError(
            f"arrivals must be whole numbers of shape ({n_arms}, 2), the first round of each arm "
            f"and the one from which it is gone; got {rounds.dtype} of shape {rounds.shape}"
        )
    changes = np.zeros(n_rounds + 2, dtype=np.int64)
    first, gone = np.clip(rounds, 1, n_rounds + 1).T
    np.add.at(changes, first[first < gone], 1)
    np.add.at(changes, gone[first < gone], -1)
    empty = np.flatnonzero(np.cumsum(changes)[1:-1] == 0)
    if len(empty):
        raise ValueError(f"arrivals leave no arm to choose in round {empty[0] + 1}")
    return rounds
