"""Where to look when exploring: anywhere, or by the gradient norms of active learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import Matrix
from cbkit.policies.choosers.propensities import ArmValues


class Context(NamedTuple):
    """One round's context: row `row` of the block `X`, sliced only when it is needed.

    ``arms`` are the arms that the round's values are of, where they are not those of all arms.
    """

    X: Matrix
    row: int
    arms: np.ndarray | None = None

    def vector(self) -> np.ndarray:
        """Return the context as a dense vector, shape (n_features,)."""
        if sparse.issparse(self.X):
            return self.X[[self.row]].toarray()[0]
        return self.X[self.row]

    def norm(self) -> float:
        """Return the norm of ``[x, 1]``, the context with the intercept's constant."""
        if sparse.issparse(self.X):
            values = self.X.data[self.X.indptr[self.row] : self.X.indptr[self.row + 1]]
        else:
            values = self.X[self.row]
        return float(np.sqrt(values @ values + 1.0))


class Explore(Protocol):
    """Names the arms among which an exploring round picks uniformly.

    ``blind`` says that these do not depend on the values.
    """

    blind: bool

    def candidates(self, values: np.ndarray, context: Context) -> Sequence[int] | np.ndarray:
        """Return the arms to pick from."""


@dataclass(kw_only=True)
class RandomExplore:
    """Explore among all arms."""

    blind: bool = field(default=True, init=False, repr=False)

    def candidates(self, values: np.ndarray, context: Context) -> Sequence[int]:
        """Return all arms."""
        return range(len(values))


GradientNorms = Callable[[Context, np.ndarray], np.ndarray]


def logistic_gradient_norms(context: Context, values: np.ndarray) -> np.ndarray:
    """Return the gradient norms of a logistic loss in closed form: ``|p - r| * norm([x, 1])``.

    Parameters
    ----------
    context : Context
        The round's context ``x``.
    values : ndarray, shape (n_arms,)
        Expected rewards ``p``.

    Returns
    -------
    ndarray, shape (2, n_arms)
        The norms under the rewards ``r = 0`` and ``r = 1``.

    Examples
    --------
    >>> context = Context(np.array([[2.0, 2.0]]), 0)       # norm([2, 2, 1]) = 3
    >>> logistic_gradient_norms(context, np.array([0.25]))
    array([[0.75],
           [2.25]])
    """
    return context.norm() * np.stack([values, 1.0 - values])


@suggest_keywords
@dataclass(kw_only=True)
class ActiveExplore:
    """Explore the arm whose oracle would learn most: the largest gradient norm.

    Parameters
    ----------
    criterion : {"weighted", "min", "max"}, default="weighted"
        How the norms ``g0``, ``g1`` under either reward become one number: ``(1-p) g0 + p g1``,
        the smaller, or the larger.
    gradient_norms : callable, default=logistic_gradient_norms
        ``f(context, values) -> (2, n_arms)`` for oracles that are not logistic.

    Notes
    -----
    Algorithm "ActiveExplorer". For logistic oracles on shared features the norm of ``[x, 1]`` is
    the same for all arms, so "weighted", ``2 p (1-p)``, and "min" both choose the arm whose
    expected reward is closest to 1/2, and "max" the one farthest from it.

    Examples
    --------
    >>> context = Context(np.array([[0.0]]), 0)
    >>> ActiveExplore().candidates(np.array([0.1, 0.6, 0.9]), context)
    array([1])
    >>> ActiveExplore(criterion="max").candidates(np.array([0.2, 0.6, 0.9]), context)
    array([2])
    """

    criterion: str = "weighted"
    gradient_norms: GradientNorms = logistic_gradient_norms
    blind: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.criterion not in ("weighted", "min", "max"):
            raise ValueError(f"criterion must be weighted, min or max; got {self.criterion!r}")

    def usefulness(self, values: np.ndarray, context: Context) -> np.ndarray:
        """Return what the criterion makes of each arm, shape (n_arms,)."""
        norms = self.gradient_norms(context, values)
        if self.criterion == "weighted":
            return (1.0 - values) * norms[0] + values * norms[1]
        return norms.min(axis=0) if self.criterion == "min" else norms.max(axis=0)

    def candidates(self, values: np.ndarray, context: Context) -> np.ndarray:
        """Return the arms of largest gradient norm, all of them if tied."""
        usefulness = self.usefulness(values, context)
        return np.flatnonzero(usefulness == usefulness.max())


def explore_chances(explore: Explore, values: ArmValues, context: Context) -> np.ndarray | None:
    """Return each arm's probability in an exploring round, or None where draws decide on it.

    Parameters
    ----------
    explore : Explore
        Names the arms to pick from.
    values : ArmValues
        What the numbers of the arms are drawn from.
    context : Context
        The round's context.
    """
    points = values.points
    if points is None:
        if not getattr(explore, "blind", False):
            return None
        points = np.zeros(values.n_arms)
    candidates = list(explore.candidates(points, context))
    chances = np.zeros(values.n_arms)
    chances[candidates] = 1.0 / len(candidates)
    return chances
