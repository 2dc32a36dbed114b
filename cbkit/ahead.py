"""One number per arm for the coming rounds of a block, drawn together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbkit.coldscores import ColdStart
from cbkit.history import History
from cbkit.indices import Index
from cbkit.rounds import Block

_N_ROUNDS = 64  # drawn together: most of what a round's draws cost by themselves is numpy's calls
_FEW = 4  # arms, up to which draws by single numbers for one arm after the other are faster


@dataclass
class Ahead:
    """Numbers per arm of rounds to come: each round has draws of its own, all made at once.

    Attributes
    ----------
    values : ndarray, shape (n_rounds, n_arms)
        Indices of warm arms and cold scores of the others, before any smoothing.
    first : int
        The block's row that ``values[0]`` is of.
    next : int
        The next row that has not been played.
    played : ndarray of int, shape (n_arms,)
        Number of observations per arm that the cold scores know of.
    """

    values: np.ndarray
    first: int
    next: int
    played: np.ndarray

    def reaches(self, row: int) -> bool:
        """Tell whether `row` is among the rounds to come."""
        return self.next <= row < self.first + len(self.values)


def values_of(
    block: Block,
    row: int,
    index: Index,
    cold_start: ColdStart,
    history: History,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return one number per arm for a round, shape (n_arms,).

    Cold arms that were observed since the last round are drawn again, so that each round's draws
    know all counts so far; asking for a row again gives new draws.

    Parameters
    ----------
    block : Block
        The contexts and their scores; remembers the draws of its coming rows.
    row : int
        Which of its contexts.
    index : Index
        From the scores of an arm's resamples to one number.
    cold_start : ColdStart
        Scores the other arms.
    history : History
        Counts of all arms.
    rng : numpy.random.Generator
        Source of the draws.

    Examples
    --------
    >>> from cbkit import Greedy, Smoothing
    >>> policy = Greedy(2, cold_start=Smoothing(a=1, b=4))
    >>> block = policy.prepare(np.zeros((3, 5)))
    >>> parts = policy.index, policy.cold_start_, policy.history_, np.random.default_rng(0)
    >>> policy.record(block.X, 0, 1, 1)                # a reward of the second arm
    >>> values_of(block, 1, *parts)                    # (0 * 1/2 + 1) / 4 and (1 * 1 + 1) / 5
    array([0.25, 0.4 ])
    """
    ahead = block.ahead
    played = history.positives + history.negatives
    if ahead is None or not ahead.reaches(row):
        rows = slice(row, row + _N_ROUNDS)
        indices = index(block.scores[rows], rng) if block.indices is None else block.indices[rows]
        ahead = block.ahead = Ahead(np.empty((len(indices), len(played))), row, row, played)
        ahead.values[:, block.warm] = indices
        ahead.values[:, block.cold] = cold_start.score(block.cold, history, rng, len(indices))
    elif len(observed := ((played != ahead.played) & block.is_cold).nonzero()[0]):
        coming = ahead.values[row - ahead.first :]
        for arms in observed.tolist() if len(observed) <= _FEW else [observed]:
            coming[:, arms] = cold_start.score(arms, history, rng, len(coming))
    ahead.next, ahead.played = row + 1, played
    return cold_start.smooth(ahead.values[row - ahead.first], block.is_cold, played)
