"""Cold start: what an arm scores while its oracle has too little to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_number, check_whole
from cbkit.policies.beta_draws import draw_betas
from cbkit.policies.history import History

Constant = float | np.ndarray


def _constant(name: str, value: Any, *, zero_allowed: bool) -> Constant:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    bound = "at least 0" if zero_allowed else "greater than 0"
    wrong = array < 0 if zero_allowed else array <= 0
    if array.ndim > 1 or not np.isfinite(array).all() or wrong.any():
        raise ValueError(f"{name} must be {bound}, one number or one per arm; got {value!r}")
    return array if array.ndim else float(array)


class _Constants:  # a dataclass in both subclasses
    """What both cold starts share: constants that are one number or one per arm."""

    a: Constant
    b: Constant

    def __repr__(self) -> str:
        """Return the call that makes it; per-arm constants as a list, which can be copied back."""
        constants = {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]
        shown = (f"{k}={v.tolist() if np.ndim(v) else v!r}" for k, v in constants.items())
        return f"{type(self).__name__}({', '.join(shown)})"

    def check_arms(self, n_arms: int) -> None:
        """Check that there are no per-arm constants of another length than `n_arms`."""
        for name in ("a", "b"):
            value = getattr(self, name)
            if np.ndim(value) and len(value) != n_arms:
                raise ValueError(
                    f"{type(self).__name__} has {len(value)} values of {name} for {n_arms} arms; "
                    "give one number or one value per arm"
                )

    def add_arm(self, constants: dict[str, float]) -> Any:
        """Return a copy with one more arm; per-arm constants take theirs from `constants`."""
        changed = {}
        for name in ("a", "b"):
            value = getattr(self, name)
            if np.ndim(value):
                if name not in constants:
                    raise ValueError(
                        f"{type(self).__name__} has a value of {name} per arm: "
                        f"write add_arm({name}=...) with the new arm's"
                    )
                check_number(name, constants[name])
                changed[name] = np.append(value, constants[name])
        return replace(self, **changed)  # type: ignore[type-var]

    def drop_arm(self, arm: int) -> Any:
        """Return a copy without the constants of `arm`."""
        names = [name for name in ("a", "b") if np.ndim(getattr(self, name))]
        fewer = {name: np.delete(getattr(self, name), arm) for name in names}
        return replace(self, **fewer)  # type: ignore[type-var]


@suggest_keywords
@dataclass(frozen=True, kw_only=True, repr=False)
class MABFirst(_Constants):
    """Play an arm by Beta draws until both labels were seen `m` times, then by its oracle.

    Below the threshold the arm's score is a fresh draw in each round,
    ``Beta(a + positives, b + negatives)``.

    Parameters
    ----------
    a, b : float or array of shape (n_arms,)
        Parameters of the Beta prior, greater than 0.
    m : int, default=2
        Number of rewards and of non-rewards from which on the oracle scores the arm.

    Notes
    -----
    Algorithm "MAB-first". The paper suggests ``(a, b, m)`` of (1, 1, 2), (3, 7, 3) and (5/k, 4, 2).

    Examples
    --------
    >>> MABFirst(a=3, b=7).is_cold(np.array([2, 1]), np.array([5, 80]))
    array([False,  True])
    """

    a: Constant
    b: Constant
    m: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", _constant("a", self.a, zero_allowed=False))
        object.__setattr__(self, "b", _constant("b", self.b, zero_allowed=False))
        check_whole("m", self.m)

    def is_cold(self, positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
        """Return which arms are below the threshold; counts and result of shape (n_arms,)."""
        return (positives < self.m) | (negatives < self.m)

    def draw(
        self,
        arms: int | np.ndarray,
        positives: int | np.ndarray,
        negatives: int | np.ndarray,
        rng: np.random.Generator,
        n_rounds: int,
    ) -> np.ndarray:
        """Draw scores of `arms` from their Beta posteriors.

        Parameters
        ----------
        arms : int or ndarray of int, shape (n_drawn,)
            The arms.
        positives, negatives : int or ndarray of int, shape (n_drawn,)
            Counts of these arms.
        rng : numpy.random.Generator
            Source of the draws.
        n_rounds : int
            Number of draws per arm.

        Returns
        -------
        ndarray, shape (n_rounds,) or (n_rounds, n_drawn)
            The draws.
        """
        a: Any = self.a if isinstance(self.a, float) else self.a[arms]
        b: Any = self.b if isinstance(self.b, float) else self.b[arms]
        if not isinstance(arms, np.ndarray):  # one arm: far quicker with two numbers of Python
            return rng.beta(float(a) + int(positives), float(b) + int(negatives), size=n_rounds)
        return draw_betas(a + positives, b + negatives, n_rounds, rng)


@suggest_keywords
@dataclass(frozen=True, kw_only=True, repr=False)
class Smoothing(_Constants):
    """Pull an arm's expected reward towards a/b while it has few observations.

    ``score = (n * expected_reward + a) / (n + b)`` with ``n`` the arm's number of observations.
    An arm with one label only predicts that label; an unplayed arm scores ``a / b``.

    Parameters
    ----------
    a, b : float or array of shape (n_arms,)
        Smoothing constants, ``0 <= a < b``.

    Notes
    -----
    Section "Cold-start problem".

    Examples
    --------
    >>> Smoothing(a=1, b=2)(np.array([0.5, 0.0]), np.array([8, 0]))
    array([0.5, 0.5])
    """

    a: Constant
    b: Constant

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", _constant("a", self.a, zero_allowed=True))
        object.__setattr__(self, "b", _constant("b", self.b, zero_allowed=False))
        if np.any(np.asarray(self.a) >= np.asarray(self.b)):
            raise ValueError(f"smoothing needs a < b, got a={self.a!r} and b={self.b!r}")

    def __call__(self, scores: np.ndarray, n_observations: np.ndarray) -> np.ndarray:
        """Smooth `scores`, shape (n_arms,), by `n_observations`, shape (n_arms,)."""
        return (n_observations * scores + self.a) / (n_observations + self.b)


ColdStartLike = (
    MABFirst
    | Smoothing
    | Sequence[MABFirst | Smoothing]
    | Mapping[str, Mapping[str, Constant | int]]
    | None
)


def split_cold_start(cold_start: ColdStartLike) -> tuple[MABFirst | None, Smoothing | None]:
    """Split a policy's `cold_start` into its MAB-first and its smoothing part.

    Parameters
    ----------
    cold_start : MABFirst, Smoothing, a pair of both, a mapping, or None
        A mapping is the plain-data form, ``{"MABFirst": {"a": 3, "b": 7, "m": 2}}``.

    Returns
    -------
    (MABFirst or None, Smoothing or None)
        The two parts.

    Raises
    ------
    ValueError
        If something else is given, or one of the two twice.

    Examples
    --------
    >>> split_cold_start({"Smoothing": {"a": 1, "b": 10}})
    (None, Smoothing(a=1.0, b=10.0))
    """
    if cold_start is None:
        return None, None
    if isinstance(cold_start, dict):
        unknown = set(cold_start) - {"MABFirst", "Smoothing"}
        if unknown:
            raise ValueError(
                f"cold_start has unknown parts {sorted(unknown)}; write MABFirst or Smoothing"
            )
        if not all(isinstance(constants, dict) for constants in cold_start.values()):
            raise ValueError(
                'cold_start takes constants by name, such as {"MABFirst": {"a": 3, "b": 7}}; '
                f"got {cold_start!r}"
            )
        kinds = {"MABFirst": MABFirst, "Smoothing": Smoothing}
        cold_start = [kinds[name](**constants) for name, constants in cold_start.items()]
    parts = list(cold_start) if isinstance(cold_start, Sequence) else [cold_start]
    mab_first = [part for part in parts if isinstance(part, MABFirst)]
    smoothing = [part for part in parts if isinstance(part, Smoothing)]
    if len(mab_first) + len(smoothing) != len(parts) or len(mab_first) > 1 or len(smoothing) > 1:
        raise ValueError(
            "cold_start must be MABFirst(...), Smoothing(...), both in a tuple, or None; "
            f"got {cold_start!r}"
        )
    return next(iter(mab_first), None), next(iter(smoothing), None)


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

    def __init__(self, cold_start: ColdStartLike, n_arms: int) -> None:
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
        """Return which arms have seen enough for an oracle, shape (n_arms,)."""
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
        if self.mab_first:
            counts = history.positives[arms], history.negatives[arms]
            return self.mab_first.draw(arms, *counts, rng, n_rounds)
        return self.expected_score(arms, history)

    def beta_parameters(self, arms: Any, history: History) -> tuple[np.ndarray, np.ndarray]:
        """Return the parameters of the Beta draws of cold `arms`, shape (n_cold,) each."""
        if not self.mab_first:
            return np.empty(0), np.empty(0)
        a, b = (
            np.broadcast_to(c, history.n_arms)[arms] for c in (self.mab_first.a, self.mab_first.b)
        )
        return a + history.positives[arms], b + history.negatives[arms]

    def expected_score(self, arms: Any, history: History) -> np.ndarray:
        """Return the mean of what `score` draws for cold `arms`, shape (n_cold,)."""
        if self.mab_first:
            a, b = self.beta_parameters(arms, history)
            return a / (a + b)
        positives, negatives = history.positives[arms], history.negatives[arms]
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
