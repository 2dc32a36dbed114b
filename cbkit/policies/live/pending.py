"""Decisions whose reward has not come yet, with the contexts that they were taken in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix, as_features
from cbkit.policies.block import Decision


class PendingDecisions:
    """Decisions that wait for their rewards, by number.

    Numbers are drawn, so that a service that was restarted from an earlier copy does not give the
    numbers of decisions it knows nothing of to other ones, as long as its generator is a fresh one.

    Examples
    --------
    >>> pending, rng = PendingDecisions(), np.random.default_rng(0)
    >>> decision = Decision(arm="a", explored=False, cold_start=True, index=0.5, propensity=1.0)
    >>> [kept] = pending.add(np.array([[1.0, 2.0]]), [decision], rng)
    >>> kept.arm, len(pending)
    ('a', 1)
    >>> pending.contexts([kept.id])
    array([[1., 2.]])
    >>> pending.forget([kept.id])
    >>> len(pending)
    0
    """

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Matrix, int, Decision]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def decisions(self) -> list[Decision]:
        """Return the decisions that wait, oldest first."""
        return [decision for _, _, decision in self._waiting.values()]

    def add(
        self, X: Matrix, decisions: Sequence[Decision], rng: np.random.Generator
    ) -> list[Decision]:
        """Number `decisions`, one per row of `X`, and keep them with a copy of it."""
        kept, X = [], X.copy()  # the caller may fill the same memory anew
        for row, decision in enumerate(decisions):
            number = int(rng.integers(2**63))
            while number in self._waiting:
                number = int(rng.integers(2**63))
            kept.append(decision._replace(id=number))
            self._waiting[number] = (X, row, kept[-1])
        return kept

    def numbers(self, decisions: Iterable[Any]) -> list[int]:
        """Return the numbers of decisions, refusing what does not wait.

        Parameters
        ----------
        decisions : sequence of Decision or int
            Decisions, or their numbers.

        Raises
        ------
        ValueError
            If one has its reward already, was discarded, is named twice, or is not known.
        """
        numbers: dict[int, None] = {}  # keeps their order
        for decision in decisions:
            number = decision.id if isinstance(decision, Decision) else decision
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise ValueError(
                    f"a decision is what select(X, rng, return_decisions=True) returned, or its "
                    f"number; got {decision!r:.80}"
                )
            if number in numbers:
                raise ValueError(f"decision {number} is named twice; give one reward each")
            if number not in self._waiting:
                raise ValueError(
                    f"no decision {number} waits for a reward: it has one already, was discarded, "
                    "or was taken by another policy or after this one was saved"
                )
            numbers[int(number)] = None
        return list(numbers)

    def arms(self, numbers: Iterable[int]) -> list[Any]:
        """Return the arms of waiting decisions."""
        return [self._waiting[number][2].arm for number in numbers]

    def contexts(self, numbers: Iterable[int]) -> Matrix:
        """Return the contexts of waiting decisions, shape (n, n_features).

        Raises
        ------
        ValueError
            If they have different widths, or some are sparse and others dense.
        """
        rows = [X[[row]] for X, row, _ in (self._waiting[number] for number in numbers)]
        kinds = {(sparse.issparse(row), row.shape[1]) for row in rows}
        if len(kinds) > 1:
            raise ValueError(
                "these decisions were taken in contexts of different widths, or in dense and "
                "sparse ones; give all contexts the same columns and one layout, and discard the "
                "other decisions"
            )
        stack = sparse.vstack if sparse.issparse(rows[0]) else np.vstack
        return as_features(stack(rows), "contexts", copy=False)

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove decisions."""
        for number in numbers:
            del self._waiting[number]
