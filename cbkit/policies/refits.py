"""When an arm's oracle is refitted: at each block's end, or as its history has grown enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cbkit._base.validation import check_number, check_whole


@dataclass(frozen=True)
class Refit:
    """Refit an arm when its history has grown by a factor since its last fit.

    Parameters
    ----------
    growth : float, default=1.0
        The factor, at least 1; with 1, every arm that gained observations is refitted at the end
        of each block, as in the paper's experiments.
    always_below : int, default=50
        Number of observations below which an arm is refitted at the end of each block all the same.

    Notes
    -----
    Section "Establishing baselines": oracles might be updated "every time each one's history
    accumulates a certain number of new cases [...] this becomes less of an issue as the histories'
    length increases". With a fixed factor an arm with n observations was refitted about
    ``log n / log growth`` times instead of once per block, so that the cost of all its refits is
    that of a few of the last ones. Streaming oracles learn each block's rows in any case.

    Examples
    --------
    >>> refit = Refit.geometric(growth=1.1)
    >>> [refit.is_due(n, n_fitted=100) for n in (101, 109, 110)]
    [False, False, True]
    >>> refit.is_due(12, n_fitted=11)                            # still a short history
    True
    """

    growth: float = 1.0
    always_below: int = 50

    def __post_init__(self) -> None:
        check_number("growth", self.growth)
        if self.growth < 1:
            hint = f"; did you mean {1 + self.growth:g}?" if 0 < self.growth < 1 else ""
            raise ValueError(f"growth must be at least 1, got {self.growth!r}{hint}")
        check_whole("always_below", self.always_below, least=0)

    @classmethod
    def geometric(cls, growth: float = 1.05, always_below: int = 50) -> Refit:
        """Return the schedule that refits an arm as its history has grown by a twentieth."""
        return cls(growth=growth, always_below=always_below)

    def is_due(self, n: int, n_fitted: int) -> bool:
        """Return whether an arm with `n` observations, last fitted on `n_fitted`, is refitted."""
        return n < self.always_below or not n_fitted or n / n_fitted >= self.growth


EVERY_BLOCK = Refit()


def as_refit(refit: Any) -> Refit:
    """Return the schedule that a user named.

    Parameters
    ----------
    refit : {"every block", "geometric"}, mapping, or Refit
        A mapping is the plain-data form, ``{"geometric": {"growth": 1.1}}``.

    Raises
    ------
    ValueError
        If it is something else.

    Examples
    --------
    >>> as_refit({"geometric": {"growth": 1.1}})
    Refit(growth=1.1, always_below=50)
    """
    if isinstance(refit, Refit):
        return refit
    if refit == "every block":
        return EVERY_BLOCK
    if refit == "geometric":
        return Refit.geometric()
    if isinstance(refit, Mapping) and set(refit) == {"geometric"}:
        return Refit.geometric(**(refit["geometric"] or {}))
    raise ValueError(
        f'refit must be "every block", "geometric" or Refit.geometric(growth=1.05), got {refit!r}'
    )
