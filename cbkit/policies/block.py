"""A block of rounds: its contexts and scores, the numbers per arm of each round, its decisions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cbkit._base.validation import Matrix
from cbkit.policies.choosers.propensities import ArmValues
from cbkit.policies.cold_start import ColdStart
from cbkit.policies.history import History
from cbkit.policies.indices import Index

_N_ROUNDS = 64  # drawn together: most of what a round's draws cost by themselves is numpy's calls
_FEW = 4  # observed arms that are drawn again one by one; for more all is drawn anew


@dataclass
class Block:
    """Contexts that were scored together, between two refits.

    Attributes
    ----------
    X : csr_array or ndarray, shape (n_rounds, n_features)
        The contexts.
    warm : ndarray of int
        Arms that their oracles score.
    is_cold : ndarray of bool, shape (n_arms,)
        All other arms.
    scores : ndarray, shape (n_rounds, n_warm, n_resamples)
        The oracles' expected rewards.
    indices : ndarray, shape (n_rounds, n_warm), or None
        Their indices, where the index is not random.
    random : bool
        Whether draws enter the numbers per arm.
    ahead : Ahead or None
        What was drawn for the rounds to come.
    """

    X: Matrix
    warm: np.ndarray
    is_cold: np.ndarray
    scores: np.ndarray
    indices: np.ndarray | None
    random: bool
    ahead: Ahead | None = None

    @cached_property
    def cold(self) -> np.ndarray:
        """The arms of `is_cold`, shape (n_cold,)."""
        return np.flatnonzero(self.is_cold)


class Decision(NamedTuple):
    """A round's choice and what is known of it.

    Attributes
    ----------
    arm : int or str
        The chosen arm: its position, or its name in live use.
    explored : bool
        Whether the chooser left the arms of highest index.
    cold_start : bool
        Whether the arm was scored by the cold start, not by its oracle.
    index : float
        The arm's index.
    propensity : float
        Exact probability of the arm given context and history; NaN where it is not known, as when
        Beta draws or random resamples enter and it was not asked for.
    id : int or None
        Its number, by which a live policy knows it again.
    """

    arm: Any
    explored: bool
    cold_start: bool
    index: float  # type: ignore[assignment]  # it hides the tuple's method
    propensity: float
    id: int | None = None


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
    positives, negatives : ndarray of int, shape (n_arms,)
        Counts that the cold scores know of.
    n_changes : int
        The history's when they were last compared.
    """

    values: np.ndarray
    first: int
    next: int
    positives: np.ndarray
    negatives: np.ndarray
    n_changes: int

    def reaches(self, row: int) -> bool:
        """Return whether `row` is among the rounds to come."""
        return self.next <= row < self.first + len(self.values)

    def observed(self, history: History, is_cold: np.ndarray) -> list[int]:
        """Return the cold arms whose counts in `history` its scores do not know of."""
        n_new, self.n_changes = history.n_changes - self.n_changes, history.n_changes
        if n_new <= 1:  # a round's reward; quicker than looking through all arms
            arm = history.last_counted
            return [arm] if n_new and is_cold[arm] else []
        differs = (self.positives != history.positives) | (self.negatives != history.negatives)
        return (differs & is_cold).nonzero()[0].tolist()

    def know(self, arm: int, history: History) -> None:
        """Note the counts of `arm` in `history`."""
        self.positives[arm], self.negatives[arm] = history.positives[arm], history.negatives[arm]


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
    ahead, n_rounds = block.ahead, 0  # to be drawn
    if ahead is None:
        n_rounds = _N_ROUNDS
    elif not ahead.reaches(row):
        n_rounds = min(_N_ROUNDS, 2 * len(ahead.values))
    else:
        observed = ahead.observed(history, block.is_cold)
        if len(observed) > _FEW:  # as after exclusive rewards, of which more may come as soon
            n_rounds = max(1, row - ahead.first)
        else:
            coming = ahead.values[row - ahead.first :]
            for arm in observed:
                coming[:, arm] = cold_start.score(arm, history, rng, len(coming))
                ahead.know(arm, history)
    if ahead is None or n_rounds:
        rows = slice(row, row + n_rounds)
        indices = index(block.scores[rows], rng) if block.indices is None else block.indices[rows]
        values = np.empty((len(indices), len(block.is_cold)))
        values[:, block.warm] = indices
        values[:, block.cold] = cold_start.score(block.cold, history, rng, len(indices))
        counts = history.positives.copy(), history.negatives.copy(), history.n_changes
        ahead = block.ahead = Ahead(values, row, row, *counts)
    ahead.next = row + 1
    return cold_start.smooth(ahead.values[row - ahead.first], block.is_cold, history)


def expected_values(block: Block, row: int, cold_start: ColdStart, history: History) -> np.ndarray:
    """Return what `values_of` draws on average, shape (n_arms,); parameters as there.

    Resamples are averaged, which is not the expectation of indices other than a drawn resample.
    """
    values = np.empty(len(block.is_cold))
    scored = block.scores[row].mean(axis=1) if block.indices is None else block.indices[row]
    values[block.warm] = scored
    values[block.cold] = cold_start.expected_score(block.cold, history)
    return cold_start.smooth(values, block.is_cold, history)


def distributions_of(
    block: Block, row: int, index: Index, cold_start: ColdStart, history: History
) -> list[ArmValues] | None:
    """Return what `values_of` draws from, or None where that has no such form.

    Several are equally probable: one for each resample that all arms would share.

    Parameters as for `values_of`.
    """
    if block.indices is not None:
        entries = block.indices[row][:, None]
    elif hasattr(index, "entries"):
        entries = index.entries(block.scores[row])
    else:
        return None
    if cold_start.mab_first:
        listed, drawn = block.warm, block.cold
    else:
        listed, drawn = np.arange(len(block.is_cold)), block.cold[:0]
    lists = np.empty((len(block.is_cold), entries.shape[1]))
    lists[block.warm] = entries
    lists[block.cold] = cold_start.expected_score(block.cold, history)[:, None]
    smooth = [cold_start.smooth(column, block.is_cold, history) for column in lists.T]
    lists = np.stack(smooth, axis=1)[listed]
    a, b = cold_start.beta_parameters(drawn, history)
    columns = lists.T[:, :, None] if getattr(index, "shared", False) else [lists]
    return [ArmValues(listed=listed, lists=each, drawn=drawn, a=a, b=b) for each in columns]
