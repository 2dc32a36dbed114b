"""Estimators of a policy's value from logged rounds, each by its formula.

With ``r`` the reward, ``w`` the weight (target's probability of the logged arm divided by its
propensity), ``q`` a reward model's prediction for the logged arm, and ``v`` the model's
expectation over the target's arms, every estimator is

    mean of offset  +  sum of numerator / sum of denominator

over the rounds. All assume that propensities are right, that rewards depend on nothing but context
and arm, and that every arm the target plays had a chance in the log (*overlap*) unless said
otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from cbkit._base.validation import check_generator, check_number
from cbkit.off_policy.evidence import Evidence


class Parts(NamedTuple):
    """A round's part in an estimate, ``mean(offset) + sum(numerator) / sum(denominator)``.

    Attributes
    ----------
    offset, numerator, denominator : ndarray, shape (n_rounds,)
        Terms of the formula.
    """

    offset: np.ndarray
    numerator: np.ndarray
    denominator: np.ndarray

    @property
    def value(self) -> float:
        """The estimate; NaN where no round counts."""
        total = self.denominator.sum()
        ratio = self.numerator.sum() / total if total > 0 else np.nan
        return float(self.offset.mean() + ratio)

    def contributions(self) -> np.ndarray:
        """Return numbers whose mean is the estimate, and whose spread is its uncertainty.

        Returns
        -------
        ndarray, shape (n_rounds,)
            The terms themselves where the denominator is constant, else the ratio's first-order
            expansion, ``offset + R + (numerator - R denominator) / mean(denominator)``.
        """
        total = self.denominator.sum()
        if not total > 0:
            return np.full(len(self.offset), np.nan)
        ratio = self.numerator.sum() / total
        scale = total / len(self.offset)
        return self.offset + ratio + (self.numerator - ratio * self.denominator) / scale


class Estimator(Protocol):
    """Estimates a policy's value.

    ``unbiased`` is the estimator that this one is a biased version of, so that their difference
    shows the bias; None where there is none such. ``spread`` is ``(c, d)`` where contributions lie
    within ``c + d W`` of each other if no weight exceeds ``W``; None for ratios.
    """

    unbiased: ClassVar[type | None]
    spread: ClassVar[tuple[int, int] | None]

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""


def _mean_of(terms: np.ndarray) -> Parts:
    return Parts(np.zeros(len(terms)), terms, np.ones(len(terms)))


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Mean reward of the rounds in which the target would have done the same (replay).

    A round is accepted with probability ``w / max(w)``: where the log is uniformly random and the
    target deterministic, exactly if they agree. Assumes overlap; biased where the largest weight
    of all is not in the log.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the acceptance draws, which are the same each time that a log is evaluated.

    Notes
    -----
    Li, Chu, Langford, Wang (2011), Unbiased offline evaluation of contextual-bandit-based news
    article recommendation algorithms.

    Examples
    --------
    Only the first and the last round are played alike:

    >>> evidence = Evidence(rewards=np.array([1.0, 1.0, 0.0]), weights=np.array([2.0, 0.0, 2.0]))
    >>> Replay(rng=np.random.default_rng(0)).parts(evidence).value
    0.5
    """

    rng: np.random.Generator
    seed_: int = field(init=False, repr=False, compare=False)
    unbiased: ClassVar[type | None] = None
    spread: ClassVar[tuple[int, int] | None] = None

    def __post_init__(self) -> None:
        check_generator(self.rng)
        # An estimate and its interval have to be of the same rounds.
        object.__setattr__(self, "seed_", int(self.rng.integers(2**63)))

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        w = evidence.weights
        draws = np.random.default_rng(self.seed_).random(len(w))
        accepted = (draws * w.max() < w).astype(np.float64)
        return Parts(np.zeros(len(w)), accepted * evidence.rewards, accepted)


@dataclass(frozen=True, kw_only=True)
class IPS:
    """Inverse propensity score: ``mean(w r)``. Unbiased; its variance grows with the weights.

    Notes
    -----
    Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite
    universe.

    Examples
    --------
    >>> evidence = Evidence(rewards=np.array([1.0, 1.0, 0.0]), weights=np.array([2.0, 1.0, 4.0]))
    >>> IPS().parts(evidence).value                                    # (2 + 1 + 0) / 3
    1.0
    """

    unbiased: ClassVar[type | None] = None
    spread: ClassVar[tuple[int, int] | None] = (0, 1)

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        return _mean_of(evidence.weights * evidence.rewards)


@dataclass(frozen=True, kw_only=True)
class _WithLargest:
    """What the estimators that limit weights share: the limit, by default the square root of n."""

    largest: float | None = None

    def __post_init__(self) -> None:
        if self.largest is not None:
            check_number("largest", self.largest)
            if self.largest <= 0:
                raise ValueError(f"largest must be greater than 0, got {self.largest!r}")

    def limit(self, evidence: Evidence) -> float:
        """Return the largest weight that is left as it is."""
        return evidence.n_rounds**0.5 if self.largest is None else self.largest


@dataclass(frozen=True, kw_only=True)
class ClippedIPS(_WithLargest):
    """Inverse propensity score with weights of at most ``m``: ``mean(min(w, m) r)``.

    Biased downwards, by ``mean((w - m)^+ r)``; with a smaller variance. The only assumption beyond
    those of `IPS` is that what is cut off matters little.

    Parameters
    ----------
    largest : float, optional
        The limit ``m``; by default the square root of the number of rounds.

    Notes
    -----
    Ionides (2008), Truncated importance sampling, from where the default is.

    Examples
    --------
    >>> evidence = Evidence(rewards=np.array([1.0, 1.0, 0.0]), weights=np.array([2.5, 1.0, 4.0]))
    >>> ClippedIPS(largest=2).parts(evidence).value                    # (2 + 1 + 0) / 3
    1.0
    """

    unbiased: ClassVar[type | None] = IPS
    spread: ClassVar[tuple[int, int] | None] = (0, 1)

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        return _mean_of(np.minimum(evidence.weights, self.limit(evidence)) * evidence.rewards)


@dataclass(frozen=True, kw_only=True)
class SNIPS:
    """Self-normalised inverse propensity score: ``sum(w r) / sum(w)``.

    Within the range of the rewards, and the same for rewards counted from another zero; its bias
    vanishes as 1/n.

    Notes
    -----
    Hesterberg (1995), Weighted average importance sampling and defensive mixture distributions;
    Swaminathan and Joachims (2015), The self-normalized estimator for counterfactual learning.

    Examples
    --------
    >>> evidence = Evidence(rewards=np.array([1.0, 1.0, 0.0]), weights=np.array([2.0, 1.0, 1.0]))
    >>> SNIPS().parts(evidence).value                                  # (2 + 1) / (2 + 1 + 1)
    0.75
    """

    unbiased: ClassVar[type | None] = None
    spread: ClassVar[tuple[int, int] | None] = None

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        w = evidence.weights
        return Parts(np.zeros(len(w)), w * evidence.rewards, w)


@dataclass(frozen=True, kw_only=True)
class DoublyRobust:
    """Doubly robust: ``mean(v + w (r - q))``.

    Unbiased if propensities are right, whatever the reward model, which must not depend on the
    round's reward (see `cross_fitted`); the better the model, the smaller the variance.

    Notes
    -----
    Dudík, Langford, Li (2011), Doubly robust policy evaluation and learning.

    Examples
    --------
    >>> evidence = Evidence(
    ...     rewards=np.array([1.0, 0.0]), weights=np.array([2.0, 1.0]),
    ...     predicted=np.array([0.5, 0.5]), expected=np.array([0.25, 0.5]),
    ... )
    >>> DoublyRobust().parts(evidence).value            # (.25 + 2 * .5 + .5 - 1 * .5) / 2
    0.625
    """

    unbiased: ClassVar[type | None] = None
    spread: ClassVar[tuple[int, int] | None] = (1, 2)

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        q, v = evidence.modelled()
        return _mean_of(v + evidence.weights * (evidence.rewards - q))


@dataclass(frozen=True, kw_only=True)
class DirectMethod:
    """Direct method: ``mean(v)``, what a reward model expects of the target.

    Needs neither propensities nor overlap, but a reward model that is right; its interval knows
    nothing of the model's error.

    Notes
    -----
    Dudík, Langford, Li (2011), as for `DoublyRobust`.

    Examples
    --------
    >>> evidence = Evidence(
    ...     rewards=np.array([1.0, 0.0]), weights=np.array([2.0, 1.0]),
    ...     predicted=np.array([0.5, 0.5]), expected=np.array([0.25, 0.5]),
    ... )
    >>> DirectMethod().parts(evidence).value                           # (.25 + .5) / 2
    0.375
    """

    unbiased: ClassVar[type | None] = DoublyRobust
    spread: ClassVar[tuple[int, int] | None] = (1, 0)

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        return _mean_of(evidence.modelled()[1])


@dataclass(frozen=True, kw_only=True)
class SelfNormalizedDR:
    """Self-normalised doubly robust (SNDR): ``mean(v) + sum(w (r - q)) / sum(w)``.

    Notes
    -----
    Thomas and Brunskill (2016), Data-efficient off-policy policy evaluation for reinforcement
    learning (weighted doubly robust, for one step).

    Examples
    --------
    >>> evidence = Evidence(
    ...     rewards=np.array([1.0, 0.0]), weights=np.array([3.0, 1.0]),
    ...     predicted=np.array([0.5, 0.5]), expected=np.array([0.25, 0.5]),
    ... )
    >>> SelfNormalizedDR().parts(evidence).value        # .375 + (3 * .5 - 1 * .5) / 4
    0.625
    """

    unbiased: ClassVar[type | None] = None
    spread: ClassVar[tuple[int, int] | None] = None

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        q, v = evidence.modelled()
        w = evidence.weights
        return Parts(v, w * (evidence.rewards - q), w)


@dataclass(frozen=True, kw_only=True)
class SwitchDR(_WithLargest):
    """Doubly robust where weights are at most ``m``, the direct method elsewhere.

    ``mean(v + w 1{w <= m} (r - q))``; biased by the model's error where weights are large.

    Parameters
    ----------
    largest : float, optional
        The limit ``m``; by default the square root of the number of rounds.

    Notes
    -----
    Wang, Agarwal, Dudík (2017), Optimal and adaptive off-policy evaluation in contextual bandits.

    Examples
    --------
    >>> evidence = Evidence(
    ...     rewards=np.array([1.0, 0.0]), weights=np.array([9.0, 1.0]),
    ...     predicted=np.array([0.5, 0.5]), expected=np.array([0.25, 0.5]),
    ... )
    >>> SwitchDR(largest=5).parts(evidence).value                      # (.25 + .5 - 1 * .5) / 2
    0.125
    """

    unbiased: ClassVar[type | None] = DoublyRobust
    spread: ClassVar[tuple[int, int] | None] = (1, 2)

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        q, v = evidence.modelled()
        w = np.where(evidence.weights <= self.limit(evidence), evidence.weights, 0.0)
        return _mean_of(v + w * (evidence.rewards - q))


@dataclass(frozen=True, kw_only=True)
class ShrunkDR(_WithLargest):
    """Doubly robust with optimistic shrinkage (DRos): weights ``w m^2 / (w^2 + m^2)``.

    The direct method for ``m = 0``, doubly robust for ``m`` without bound; the largest weight that
    counts is ``m / 2``. The source writes lambda for ``m^2``.

    Parameters
    ----------
    largest : float, optional
        The weight ``m`` that is halved; by default the square root of the number of rounds.

    Notes
    -----
    Su, Dimakopoulou, Krishnamurthy, Dudík (2020), Doubly robust off-policy evaluation with
    shrinkage.

    Examples
    --------
    >>> evidence = Evidence(
    ...     rewards=np.array([1.0, 0.0]), weights=np.array([2.0, 0.0]),
    ...     predicted=np.array([0.5, 0.5]), expected=np.array([0.25, 0.5]),
    ... )
    >>> ShrunkDR(largest=2).parts(evidence).value               # (.25 + 2 / 2 * .5 + .5) / 2
    0.625
    """

    unbiased: ClassVar[type | None] = DoublyRobust
    spread: ClassVar[tuple[int, int] | None] = (1, 2)

    def parts(self, evidence: Evidence) -> Parts:
        """Return each round's part in the estimate."""
        q, v = evidence.modelled()
        square = self.limit(evidence) ** 2
        w = evidence.weights * square / (evidence.weights**2 + square)
        return _mean_of(v + w * (evidence.rewards - q))
