"""Greedy whose hope for new arms follows how often new arms turned out to pay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbkit._base.validation import Matrix
from cbkit.policies.cold_start import Smoothing
from cbkit.policies.policy import Policy

_HITS, _TRIES = 1, 20  # before any: one try in twenty


@dataclass(kw_only=True, repr=False)
class HitRateGreedy(Policy):
    """Smooth by (1, 2), but arms that were never rewarded by (a, 2), where `a` follows hit rates.

    ``a = min(1, factor * h)`` and ``h = (hits + 1) / (tries + 20)``: tries are the rounds so far
    whose arm had not been rewarded before, hits those of them that were rewarded. While new arms
    pay more often than ``1 / factor``, it is greedy with smoothing (1, 2).

    Parameters
    ----------
    factor : float, default=25
        How many times their hit rate new arms are hoped to pay. The others as for `Policy`;
        `cold_start` is not used.

    Examples
    --------
    >>> policy = HitRateGreedy(n_arms=2, oracle=None)
    >>> for _ in range(80):
    ...     policy.record(np.zeros((1, 1)), 0, 0, reward=0)
    >>> policy.hope                                        # 25 * 1 / (80 + 20)
    0.25
    """

    factor: float = 25.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_hits_ = self.n_tries_ = 0
        self._smooth()

    @property
    def hope(self) -> float:
        """The constant `a`, at most 1."""
        return min(1.0, self.factor * (self.n_hits_ + _HITS) / (self.n_tries_ + _TRIES))

    def _smooth(self) -> None:
        a = np.where(self.history_.positives > 0, 1.0, self.hope)
        self.cold_start_.smoothing = Smoothing(a=a, b=2)

    def record(self, X: Matrix, row: int, arm: int, reward: int) -> None:
        """Add the observation, which counts as a try while its arm was never rewarded."""
        if not self.history_.positives[arm]:
            self.n_tries_ += 1
            self.n_hits_ += reward
        super().record(X, row, arm, reward)
        self._smooth()
