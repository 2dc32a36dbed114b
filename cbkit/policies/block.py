"""What a policy knows of a block of rounds, and what it decides in one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cbkit._validation import Matrix

if TYPE_CHECKING:
    from cbkit.policies.ahead import Ahead


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
    arm : int
        The chosen arm.
    explored : bool
        Whether the chooser left the arms of highest index.
    cold_start : bool
        Whether the arm was scored by the cold start, not by its oracle.
    index : float
        The arm's index.
    propensity : float
        Exact probability of the arm given context and history; NaN where it is not known, as when
        Beta draws or random resamples enter.
    """

    arm: int
    explored: bool
    cold_start: bool
    index: float
    propensity: float
