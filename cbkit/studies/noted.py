"""Take notes of what a chooser sees, without changing what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cbkit.policies.choosers.chooser import Choice, Chooser
from cbkit.policies.choosers.exploration import Context


@dataclass(kw_only=True)
class Noted:
    """A chooser that takes a note before each choice.

    Parameters
    ----------
    chooser : Chooser
        The one that chooses.
    note : callable
        ``note(chooser, values, context)`` returns a tuple of numbers.

    Attributes
    ----------
    notes : list of tuple
        One per round played.

    Examples
    --------
    >>> from cbkit.policies.choosers.chooser import HighestValue
    >>> def best_value(chooser, values, context):
    ...     return (values.max(),)
    >>> chooser = Noted(chooser=HighestValue(), note=best_value)
    >>> chooser.choose(np.array([0.1, 0.5]), None, np.random.default_rng(0)).arm
    1
    >>> [float(best) for (best,) in chooser.notes]
    [0.5]
    """

    chooser: Chooser
    note: Callable[[Chooser, np.ndarray, Context], tuple[float, ...]]
    notes: list[tuple[float, ...]] = field(default_factory=list, init=False)

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Take a note of what there is to choose from, then choose.

        Parameters as for `Chooser.choose`.
        """
        self.notes.append(self.note(self.chooser, values, context))
        return self.chooser.choose(values, context, rng)

    def drop_arm(self, arm: int) -> None:
        """Let the chooser follow as `arm` is dropped, where it has to."""
        if hasattr(self.chooser, "drop_arm"):
            self.chooser.drop_arm(arm)
