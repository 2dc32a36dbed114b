"""Names of arms that last: what a user of a live policy calls them, whatever comes or goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cbkit._base.validation import as_arms

ArmName = str | int


class ArmNames:
    """Names of a policy's arms, in the order of their positions.

    Parameters
    ----------
    n_arms : int
        Number of arms.
    names : sequence of str or int, optional
        One name per arm, all different; by default 0, 1, ...

    Examples
    --------
    >>> arms = ArmNames(3)
    >>> arms.drop(1)                                   # the position that it had
    1
    >>> arms.names, arms.add()
    ((0, 2), 3)
    >>> arms.positions([2, 3])
    array([1, 2])
    """

    def __init__(self, n_arms: int, names: Sequence[ArmName] | None = None) -> None:
        if names is not None and (isinstance(names, str) or len(names) != n_arms):
            raise ValueError(f"arm_names must be {n_arms} names, one per arm, got {names!r:.60}")
        self._dropped: set[ArmName] = set()
        self._names: list[ArmName] = []
        for name in range(n_arms) if names is None else names:
            self.add(name)

    @property
    def names(self) -> tuple[ArmName, ...]:
        """The names, in the order of the arms' positions."""
        return tuple(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def free(self, name: ArmName | None = None) -> ArmName:
        """Return a name for a new arm.

        Parameters
        ----------
        name : str or int, optional
            A name that no arm has or had; by default the next whole number.

        Raises
        ------
        ValueError
            If the name is taken, or an arm of this name was dropped: its rewards may still come.
        """
        if name is None:
            taken = [known for known in (*self._names, *self._dropped) if isinstance(known, int)]
            name = max(taken, default=-1) + 1
        name = _plain(name)
        if name in self._names:
            raise ValueError(f"there is an arm {name!r} already; give the new one another name")
        if name in self._dropped:
            raise ValueError(
                f"an arm {name!r} was dropped, and rewards of it may still come; "
                "give the new one another name"
            )
        return name

    def add(self, name: ArmName | None = None) -> ArmName:
        """Add an arm as the last one and return its name, `free` for it."""
        self._names.append(self.free(name))
        return self._names[-1]

    def drop(self, name: ArmName) -> int:
        """Drop an arm and return the position that it had."""
        position = int(self.positions([name])[0])
        self._dropped.add(self._names.pop(position))
        return position

    def positions(self, names: Any) -> np.ndarray:
        """Return the positions of arms.

        Parameters
        ----------
        names : array-like of str or int, shape (n,)
            Their names.

        Returns
        -------
        ndarray of int, shape (n,)

        Raises
        ------
        ValueError
            If there is no arm of a name, or no longer one.
        """
        if self._names == list(range(len(self._names))) and not self._dropped:
            return as_arms(names, len(self._names))
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise ValueError(f"arms must be a sequence of names, got {names!r}; write [{names!r}]")
        known = {name: position for position, name in enumerate(self._names)}
        asked = names.tolist() if isinstance(names, np.ndarray) else list(names)
        return np.array([self._position(_plain(name), known) for name in asked], dtype=np.int64)

    def _position(self, name: ArmName, known: dict[ArmName, int]) -> int:
        if name in known:
            return known[name]
        if name in self._dropped:
            raise ValueError(f"arm {name!r} was dropped; leave out what belongs to it")
        listed = ", ".join(map(repr, self._names[:8])) + (", ..." if len(self._names) > 8 else "")
        raise ValueError(f"there is no arm {name!r}; the arms are {listed}")

    def called(self, positions: np.ndarray) -> np.ndarray:
        """Return the names of arms at `positions` (n,): whole numbers, or objects with text."""
        numbers = all(isinstance(name, int) for name in self._names)
        return np.array(self._names, dtype=np.int64 if numbers else object)[positions]

    def mask(self, allowed: Any, n_rounds: int) -> np.ndarray | None:
        """Return which arms may be chosen in which round.

        Parameters
        ----------
        allowed : array-like of bool, (n_arms,) or (n_rounds, n_arms), or sequence of names, or None
            The arms that may be chosen: in each round, or the same ones in all of them. ``None``
            allows all.
        n_rounds : int
            Number of rounds.

        Returns
        -------
        ndarray of bool, shape (n_rounds, n_arms), or None

        Raises
        ------
        ValueError
            If the shape is another one, or a round has no arm left.

        Examples
        --------
        >>> ArmNames(3).mask([0, 2], n_rounds=2)
        array([[ True, False,  True],
               [ True, False,  True]])
        """
        if allowed is None:
            return None
        if isinstance(allowed, set | frozenset):
            allowed = list(allowed)
        given = _as_array(allowed)
        if given.size and (given.dtype.kind == "f" or (given.dtype != bool and given.ndim > 1)):
            raise ValueError(
                f"a mask has True and False, got {given.dtype}; write allowed.astype(bool)"
            )
        if given.dtype != bool:
            given = np.zeros(len(self), dtype=bool)
            given[self._different(allowed)] = True
        if given.shape not in ((len(self),), (n_rounds, len(self))):
            raise ValueError(
                f"allowed must be booleans of shape ({len(self)},) or ({n_rounds}, {len(self)}), "
                f"or names of arms; got shape {given.shape}"
            )
        mask = np.broadcast_to(given, (n_rounds, len(self)))
        if not mask.any(axis=1).all():
            row = int(np.argmin(mask.any(axis=1)))
            raise ValueError(f"allowed leaves no arm in row {row}; allow at least one in each")
        return mask

    def _different(self, allowed: Any) -> np.ndarray:
        """Return the positions of arms that are each named once, as a mask of numbers is not."""
        positions = self.positions(allowed)
        if len(set(positions.tolist())) < len(positions):
            raise ValueError(
                f"allowed names an arm twice: {allowed!r:.60}; give each name once, or write a "
                "mask with True and False"
            )
        return positions


def _as_array(allowed: Any) -> np.ndarray:
    try:
        return np.asarray(allowed)
    except ValueError as error:
        raise ValueError(
            "allowed has rows of different lengths; give one boolean per arm and row"
        ) from error


def _plain(name: Any) -> ArmName:
    """Return a name as Python's own str or int, refusing anything else."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and abs(int(name)) < 2**63:
        return int(name)
    raise ValueError(
        f"an arm's name must be text or a whole number, got {name!r}; a number has at most 63 bits"
    )
