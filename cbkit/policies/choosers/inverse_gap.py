"""Inverse gap weighting: the worse an arm looks, the seldomer it is chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_number
from cbkit.policies.choosers.chooser import Choice, best_arms, pick
from cbkit.policies.choosers.exploration import Context
from cbkit.policies.choosers.propensities import ArmValues


@suggest_keywords
@dataclass(kw_only=True)
class InverseGapWeighting:
    """Choose arm ``k`` with probability ``1 / (n_arms + g * gap_k)``, else the best arm.

    ``gap_k`` is how much lower its value is than the best. In round ``t`` the rate is
    ``g = scale * (n_arms * t) ** exponent``.

    Parameters
    ----------
    scale : float, default=100.0
        Factor of the rate, above 0; the larger, the greedier.
    exponent : float, default=0.5
        How the rate grows with arms and rounds, at least 0. One half is what theory asks for.

    Notes
    -----
    Abe and Long (1999); Foster and Rakhlin (2020), "Beyond UCB: optimal and efficient contextual
    bandits with regression oracles", algorithm 1.

    Examples
    --------
    >>> chooser = InverseGapWeighting(scale=10.0, exponent=0.0)
    >>> chooser.probabilities(np.array([0.5, 0.3]))        # 1 / (2 + 10 * 0.2) for the second
    array([0.75, 0.25])
    """

    scale: float = 100.0
    exponent: float = 0.5

    def __post_init__(self) -> None:
        check_number("scale", self.scale)
        check_number("exponent", self.exponent)
        if self.scale <= 0:
            raise ValueError(f"scale must be greater than 0, got {self.scale!r}")
        if self.exponent < 0:
            raise ValueError(f"exponent must be at least 0, got {self.exponent!r}")
        self.round_ = 0

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """Return each arm's probability in the coming round, shape (n_arms,).

        Arms that tie for the best share what the others leave.
        """
        n_arms, best = len(values), best_arms(values)
        rate = self.scale * (n_arms * (self.round_ + 1.0)) ** self.exponent
        probabilities = 1.0 / (n_arms + rate * (values[best[0]] - values))
        probabilities[best] = 0.0
        probabilities[best] = (1.0 - probabilities.sum()) / len(best)
        return probabilities

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Draw an arm and count the round. Parameters as for `Chooser.choose`."""
        probabilities, best = self.probabilities(values), best_arms(values)
        self.round_ += 1
        cumulative = np.cumsum(np.where(values < values[best[0]], probabilities, 0.0))
        drawn = int(np.searchsorted(cumulative, rng.random(), side="right"))
        arm = drawn if drawn < len(values) else pick(best, rng)
        return Choice(arm, bool(values[arm] < values[best[0]]), float(probabilities[arm]))

    def chances(self, values: ArmValues, context: Context) -> np.ndarray | None:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return None if values.points is None else self.probabilities(values.points)
