"""One state per arm: the place where arms come and go for all oracles."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

State = TypeVar("State")


class PerArm(dict[int, State]):
    """What an oracle keeps of each arm, keyed by the arm, in the order in which arms were learned.

    Examples
    --------
    >>> states = PerArm({4: "a", 0: "b", 7: "c"})
    >>> states.drop_arm(0)
    >>> states.arms
    array([3, 6])
    """

    @property
    def arms(self) -> np.ndarray:
        """Arms that have a state, in their order."""
        return np.array(list(self), dtype=np.int64)

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        kept = {other - (other > arm): state for other, state in self.items() if other != arm}
        self.clear()
        self.update(kept)
