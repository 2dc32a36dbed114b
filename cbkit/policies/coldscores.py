"""What arms score by themselves: a policy's cold start at work on its history."""

from __future__ import annotations

from typing import Any

import numpy as np

from cbkit.policies.cold_start import MABFirst, Smoothing, split_cold_start
from cbkit.policies.history import History


class ColdStart:
    """Scores the arms that have no oracle yet, and says which may have one.

    Parameters
    ----------
    cold_start : MABFirst, Smoothing, both in a tuple, a mapping, or None
        See `split_cold_start`. Without any, an arm scores its mean reward so far, and 1/2 while it
        is unplayed.
    n_arms : int
        Number of arms.

    Examples
    --------
    >>> from cbkit import Smoothing
    >>> cold, history = ColdStart(Smoothing(a=1, b=4), n_arms=2), History(2)
    >>> values = cold.score(np.array([0, 1]), history, np.random.default_rng(0), n_rounds=1)
    >>> values                                            # both unplayed
    array([0.5, 0.5])
    >>> cold.smooth(values, np.array([True, True]), history)                       # a / b
    array([0.25, 0.25])
    """

    def __init__(self, cold_start: Any, n_arms: int) -> None:
        self.mab_first, self.smoothing = split_cold_start(cold_start)
        for part in (self.mab_first, self.smoothing):
            if part:
                part.check_arms(n_arms)

    @property
    def parts(self) -> MABFirst | Smoothing | tuple[MABFirst, Smoothing] | None:
        """What there is of both, in a form that `cold_start` takes."""
        if self.mab_first and self.smoothing:
            return self.mab_first, self.smoothing
        return self.mab_first or self.smoothing

    def is_over(self, history: History) -> np.ndarray:
        """Tell which arms have seen enough for an oracle, shape (n_arms,)."""
        if self.mab_first:
            return ~self.mab_first.is_cold(history.positives, history.negatives)
        return (history.positives > 0) & (history.negatives > 0)

    def score(
        self, arms: int | np.ndarray, history: History, rng: np.random.Generator, n_rounds: int
    ) -> np.ndarray:
        """Score cold `arms` by themselves, before any smoothing.

        Parameters
        ----------
        arms : int or ndarray of int, shape (n_cold,)
            Arms that their oracles do not score.
        history : History
            Counts of all arms.
        rng : numpy.random.Generator
            Source of the Beta draws.
        n_rounds : int
            How many rounds to draw for.

        Returns
        -------
        ndarray
            Shape (n_rounds,) for one arm, (n_rounds, n_cold) for several; without draws the same
            in all rounds, and shape () or (n_cold,).
        """
        positives, negatives = history.positives[arms], history.negatives[arms]
        if self.mab_first:
            return self.mab_first.draw(arms, positives, negatives, rng, n_rounds)
        played = positives + negatives
        return np.where(played > 0, positives / np.maximum(played, 1), 0.5)

    def smooth(self, values: np.ndarray, is_cold: np.ndarray, history: History) -> np.ndarray:
        """Smooth the `values` of all arms in a round by how often each was played.

        Beta draws need no smoothing: they carry a prior of their own.

        Parameters
        ----------
        values : ndarray, shape (n_arms,)
            One number per arm.
        is_cold : ndarray of bool, shape (n_arms,)
            Which of them are the arms' own scores, not their oracles'.
        history : History
            Counts of all arms.

        Returns
        -------
        ndarray, shape (n_arms,)
            `values` itself where there is no smoothing.
        """
        if self.smoothing is None:
            return values
        smooth = self.smoothing(values, history.positives + history.negatives)
        return np.where(is_cold, values, smooth) if self.mab_first else smooth

    def add_arm(self, constants: dict[str, float]) -> None:
        """Add an arm, with its `constants` where these are given per arm."""
        parts = [part for part in (self.mab_first, self.smoothing) if part]
        per_arm = {name for part in parts for name in ("a", "b") if np.ndim(getattr(part, name))}
        if unused := sorted(set(constants) - per_arm):
            raise ValueError(
                f"add_arm got {', '.join(unused)}, but the cold start has no such constants per arm"
            )
        mab_first = self.mab_first and self.mab_first.add_arm(constants)
        self.smoothing = self.smoothing and self.smoothing.add_arm(constants)
        self.mab_first = mab_first

    def drop_arm(self, arm: int) -> None:
        """Forget the constants of `arm`."""
        self.mab_first = self.mab_first and self.mab_first.drop_arm(arm)
        self.smoothing = self.smoothing and self.smoothing.drop_arm(arm)
