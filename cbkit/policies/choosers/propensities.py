"""Exact probabilities of choosing an arm whose number, or whose rivals' numbers, are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import betainc, betaln, expit

# Probabilities between whose quantiles a smooth integrand is integrated piece by piece.
_TAILS = np.array([1e-13, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05])
_PANELS = np.concatenate([_TAILS, [0.2, 0.5, 0.8], 1.0 - _TAILS[::-1]])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_LOWEST, _HIGHEST = -740.0, 36.7  # logits between which a double's sigmoid is neither 0 nor 1


@dataclass(frozen=True, kw_only=True)
class ArmValues:
    """What the number of each arm is drawn from in a round, arms being independent of each other.

    Parameters
    ----------
    listed : ndarray of int, shape (n_listed,)
        Arms whose number is one of a list, each entry as probable: a point, or resamples' scores.
    lists : ndarray, shape (n_listed, n_entries)
        The lists. A draw is in [0, 1], and an entry of a list may be anything.
    drawn : ndarray of int, shape (n_drawn,)
        All other arms: those with a Beta draw.
    a, b : ndarray, shape (n_drawn,)
        Parameters of the Beta distributions.

    Examples
    --------
    A point at 1/2 against a uniform draw, and two resamples against another two:

    >>> values = ArmValues.of(lists=np.array([[0.5]]), a=np.array([1.0]), b=np.array([1.0]))
    >>> values.best().round(12)
    array([0.5, 0.5])
    >>> ArmValues.of(lists=np.array([[0.2, 0.4], [0.1, 0.3]])).best()
    array([0.75, 0.25])
    """

    listed: np.ndarray
    lists: np.ndarray
    drawn: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @classmethod
    def of(
        cls,
        *,
        lists: np.ndarray | None = None,
        a: np.ndarray | None = None,
        b: np.ndarray | None = None,
    ) -> ArmValues:
        """Make it of the arms with lists, followed by those with draws."""
        lists = np.empty((0, 1)) if lists is None else lists
        a, b = (np.empty(0) if values is None else values for values in (a, b))
        listed = np.arange(len(lists))
        return cls(listed=listed, lists=lists, drawn=len(lists) + np.arange(len(a)), a=a, b=b)

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self.listed) + len(self.drawn)

    @property
    def points(self) -> np.ndarray | None:
        """The arms' numbers, shape (n_arms,), where each is a single point; else None."""
        if len(self.drawn) or self.lists.shape[1] != 1:
            return None
        points = np.empty(self.n_arms)
        points[self.listed] = self.lists[:, 0]
        return points

    def restricted(self, arms: np.ndarray) -> ArmValues:
        """Return the values of `arms` alone, in their order."""
        place = {arm: position for position, arm in enumerate(arms.tolist())}
        listed = [position for position, arm in enumerate(self.listed.tolist()) if arm in place]
        drawn = [position for position, arm in enumerate(self.drawn.tolist()) if arm in place]
        return ArmValues(
            listed=np.array([place[arm] for arm in self.listed[listed].tolist()], dtype=np.int64),
            lists=self.lists[listed],
            drawn=np.array([place[arm] for arm in self.drawn[drawn].tolist()], dtype=np.int64),
            a=self.a[drawn],
            b=self.b[drawn],
        )

    def best(self, above: float = -1.0) -> np.ndarray:
        """Return each arm's probability of the highest number if that exceeds `above`.

        Parameters
        ----------
        above : float
            What the highest number has to exceed; by default it always does.

        Returns
        -------
        ndarray, shape (n_arms,)
            Equal arms share their probability. The sum is the probability that the highest number
            exceeds `above`.

        Notes
        -----
        An arm with a Beta draw wins with probability ``integral of f_i(v) prod_{j != i} F_j(v)``:
        arms with equal parameters share one such integral, which is taken over the logit of ``v``,
        piece by piece between quantiles of the highest draw and the listed numbers. The pieces'
        sums over arms are known exactly, ``W(upper) - W(lower)`` with ``W`` the product of all
        ``F_j``, and what the integrals give is scaled to them.
        """
        shares = np.zeros(self.n_arms)
        draws = _HighestDraw(self.a, self.b)
        entries = np.unique(self.lists)
        if len(self.listed):  # below the largest minimum, some list has nothing
            entries = entries[entries >= self.lists.min(axis=1).max()]
        entries = entries[entries > above]
        shares[self.listed] = self._listed_wins(entries, draws.cdf(entries))
        if len(self.drawn):
            lowest = [max(above, 0.0)] if not len(self.listed) or above >= 0 else []
            starts = np.unique([*lowest, *entries[entries < 1.0]])
            reached = self._up_to(starts, "right").prod(axis=1)
            shares[self.drawn] = draws.shares(np.append(np.maximum(starts, 0.0), 1.0), reached)
        exceeds = 1.0 - draws.cdf(above) * (self.lists <= above).mean(axis=1).prod()
        total = shares.sum()  # less by what draws have beyond the last number below 1
        return shares * (exceeds / total) if total > 0 else shares

    def _up_to(self, values: np.ndarray, side: Literal["left", "right"]) -> np.ndarray:
        """Return each list's share of entries up to `values` (n,), shape (n, n_listed)."""
        ordered = np.sort(self.lists, axis=1)
        counts = [np.searchsorted(entries, values, side=side) for entries in ordered]
        n_entries = self.lists.shape[1]
        return np.stack(counts, axis=1) / n_entries if counts else np.empty((len(values), 0))

    def _listed_wins(self, entries: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Return how probably each listed arm wins by one of `entries`, shape (n_listed,).

        Parameters
        ----------
        entries : ndarray, shape (n_entries,)
            The numbers, all different.
        reached : ndarray, shape (n_entries,)
            Probability that no draw exceeds them.
        """
        below, equal = self._up_to(entries, "left"), self._up_to(entries, "right")
        equal = equal - below
        others = np.where(equal > 0, 1.0, below).prod(axis=1) * reached
        alone = (equal > 0).sum(axis=1) == 1
        wins = others[alone] @ equal[alone]
        for row in np.flatnonzero(~alone & (others > 0)):
            tied = np.flatnonzero(equal[row])
            wins[tied] += others[row] * _shared_wins(below[row, tied], equal[row, tied])
        return wins


def _shared_wins(below: np.ndarray, equal: np.ndarray) -> np.ndarray:
    """Return how probably each of some arms wins by a number that all of them may have.

    Parameters
    ----------
    below, equal : ndarray, shape (n_tied,)
        Each arm's probability of a lower number and of this one; higher ones win by themselves.

    Notes
    -----
    Of K others that tie the arm beats all with probability 1 / (K + 1), which is the integral of
    ``u^K`` from 0 to 1; so the expectation over K is the integral of a product.
    """
    if (equal == 1.0).all():
        return np.full(len(equal), 1.0 / len(equal))
    nodes, weights = np.polynomial.legendre.leggauss(len(equal) // 2 + 1)
    factors = below[:, None] + equal[:, None] * (0.5 * (nodes + 1.0))
    products = [np.delete(factors, arm, axis=0).prod(axis=0) for arm in range(len(equal))]
    return equal * (np.array(products) @ (0.5 * weights))


class _HighestDraw:
    """The highest of independent Beta draws, where equal parameters are dealt with together."""

    def __init__(self, a: np.ndarray, b: np.ndarray) -> None:
        parameters = np.stack([a, b], axis=1)
        groups, self._group, sizes = np.unique(
            parameters, axis=0, return_inverse=True, return_counts=True
        )
        self._group = self._group.ravel()  # numpy 2.0 alone keeps the axis
        self._a, self._b = groups.T[:, None]
        self._sizes = sizes

    def cdf(self, v: np.ndarray | float) -> np.ndarray:
        """Return ``W(v)``, the probability that no draw exceeds `v`; same shape as `v`."""
        each = betainc(self._a, self._b, np.atleast_1d(np.clip(v, 0.0, 1.0))[:, None])
        product = (each**self._sizes).prod(axis=1)
        return product if np.ndim(v) else product[0]

    def shares(self, ends: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Return each draw's probability to be the highest, pieces of the line weighted.

        Parameters
        ----------
        ends : ndarray, shape (n_pieces + 1,)
            Ends of the pieces, rising.
        reached : ndarray, shape (n_pieces,)
            Their weights: probability that whatever else there is stays below.

        Returns
        -------
        ndarray, shape (n_draws,)
        """
        with np.errstate(divide="ignore"):
            cuts = np.clip(np.log(ends) - np.log1p(-ends), _LOWEST, _HIGHEST)
        inner = self._quantiles()
        inner = inner[(inner > cuts[0]) & (inner < cuts[-1])]
        edges = np.union1d(cuts, inner)
        weights = reached[np.searchsorted(cuts, edges[:-1], side="right") - 1]
        mass = np.diff(self._cdf_of_logit(edges)) * weights
        kept = mass > 1e-12
        lower, upper, mass = edges[:-1][kept], edges[1:][kept], mass[kept]
        logits = 0.5 * ((lower + upper)[:, None] + (upper - lower)[:, None] * _NODES)
        per_group = np.einsum("png,n->pg", self._densities(logits), _WEIGHTS)
        total = per_group.sum(axis=1, keepdims=True)
        by_group = (mass[:, None] * per_group / total).sum(axis=0)
        return (by_group / self._sizes)[self._group]

    def _cdf_of_logit(self, logits: np.ndarray) -> np.ndarray:
        cdf = self.cdf(expit(logits))
        # Where the clipped ends stand for 0 and 1, so do their probabilities.
        return np.where(logits <= _LOWEST, 0.0, np.where(logits >= _HIGHEST, 1.0, cdf))

    def _densities(self, logits: np.ndarray) -> np.ndarray:
        """Return the densities of the highest draw being of each group, (*logits.shape, n_groups).

        ``n_g f_g(v) / F_g(v) * W(v) dv``; in the logit ``t``, ``f(v) dv`` is
        ``v^a (1 - v)^b / B(a, b) dt``, which has no poles.
        """
        t = logits[..., None]
        each = betainc(self._a[0], self._b[0], expit(t))
        log_f = -self._a[0] * np.logaddexp(0.0, -t) - self._b[0] * np.logaddexp(0.0, t)
        log_f = log_f - betaln(self._a[0], self._b[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(each)
            whole = (self._sizes * logs).sum(axis=-1, keepdims=True)
            density = self._sizes * np.exp(log_f - logs + whole)
        return np.nan_to_num(density, nan=0.0)

    def _quantiles(self) -> np.ndarray:
        """Return logits of about the quantiles `_PANELS` of the highest draw."""
        low, high = np.full(len(_PANELS), _LOWEST), np.full(len(_PANELS), _HIGHEST)
        for _ in range(24):
            middle = 0.5 * (low + high)
            below = self.cdf(expit(middle)) < _PANELS
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)
