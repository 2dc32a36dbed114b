"""Diagnostics: whether a log can tell anything about a target policy, and a warning if not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from cbkit.off_policy.estimators import Estimator
from cbkit.off_policy.evidence import Evidence
from cbkit.off_policy.intervals import by_page, standard_error

# Chosen on logs of `yeast` and `bibtex` so that intervals with less coverage than they say are told
# (`cbkit.studies.off_policy`). By the Edgeworth expansion of a studentized mean (Hall, 1992, The
# bootstrap and Edgeworth expansion) a 95% interval misses at most 0.25 / effective rounds more
# often than it says, a point for 25 rounds, as kurtosis exceeds squared skewness.
FEWEST_ROUNDS = 25.0
FARTHEST_MEAN = 0.1
FARTHEST_ERRORS = 3.0
LARGEST_BIAS = 0.25
# Not chosen: with a heavier tail the variance of the weights does not exist.
HEAVIEST_TAIL = 0.5
_FEWEST_IN_TAIL = 5
_ALIKE = 1e-9  # relative to the largest: weights that differ by rounding alone are no tail


@dataclass(frozen=True, kw_only=True)
class Diagnostics:
    """Numbers that show whether an estimate can be trusted.

    Attributes
    ----------
    n_rounds : int
        Rounds in the log.
    effective_sample_size : float
        ``sum(w)^2 / sum(w^2)``: how many rounds of equal weight would tell as much.
    largest_weight : float
        The largest weight.
    mean_weight : float
        Sum of the weights over the number of rounds; 1 in expectation if the log covers all that
        the target does.
    mean_weight_error : float
        How many standard errors that lies from 1.
    tail_shape : float
        Pareto shape of the weights' tail, see `tail_shape`; NaN where there is no tail.
    effective_rounds : float
        ``sum(c^2)^2 / sum(c^4)`` of the centred contributions ``c``: how many rounds the
        estimate's uncertainty rests on.
    bias : float
        The estimate minus that of the estimator's unbiased version, in standard errors of the
        estimate; 0 where there is none.
    """

    n_rounds: int
    effective_sample_size: float
    largest_weight: float
    mean_weight: float
    mean_weight_error: float
    tail_shape: float
    effective_rounds: float
    bias: float

    def warnings(self) -> list[str]:
        """Return what speaks against the estimate and its interval, each in a sentence.

        Returns
        -------
        list of str
            Empty where nothing does. Sentences begin with "don't trust this".
        """
        found = []
        off = abs(self.mean_weight - 1)
        if off > FARTHEST_MEAN or (off > 0 and abs(self.mean_weight_error) > FARTHEST_ERRORS):
            found.append(
                f"don't trust this: the weights' mean is {self.mean_weight:.3g}, not 1, so that "
                "the target does what the log lacks, or propensities are wrong; log with a policy "
                "that does it, or evaluate another target"
            )
        if min(self.effective_sample_size, self.effective_rounds) < FEWEST_ROUNDS:
            few = min(self.effective_sample_size, self.effective_rounds)
            found.append(
                f"don't trust this: it rests on the equivalent of {few:.1f} rounds of "
                f"{self.n_rounds} (largest weight {self.largest_weight:.3g}); log more rounds, or "
                "rounds more like the target's"
            )
        if self.tail_shape > HEAVIEST_TAIL:
            found.append(
                f"don't trust this: the weights have a heavy tail (shape {self.tail_shape:.2f}, "
                "above 1/2), so that heavier rounds than any in this log count too and the "
                "interval is too narrow; explore more, or evaluate a target nearer to the log"
            )
        if abs(self.bias) > LARGEST_BIAS:
            found.append(
                f"don't trust this: it lies {abs(self.bias):.1f} standard errors "
                f"{'above' if self.bias > 0 else 'below'} its unbiased version, so that the "
                "interval is too narrow or misplaced; take the unbiased version, or a higher limit"
            )
        return found


def diagnose(estimator: Estimator, evidence: Evidence) -> Diagnostics:
    """Compute the diagnostics of an estimate.

    Parameters
    ----------
    estimator : Estimator
        What is estimated with.
    evidence : Evidence
        From `gather`.

    Returns
    -------
    Diagnostics
        The numbers, and `Diagnostics.warnings` in words.

    Examples
    --------
    One round of twenty has half of the weight:

    >>> from cbkit.off_policy import IPS
    >>> evidence = Evidence(rewards=np.ones(20), weights=np.array([10.0] + [0.0] * 9 + [1.0] * 10))
    >>> found = diagnose(IPS(), evidence)
    >>> round(found.effective_sample_size, 2)                          # 20 * 20 / (100 + 10)
    3.64
    >>> found.warnings()[0][:72]
    "don't trust this: it rests on the equivalent of 1.2 rounds of 20 (larges"
    """
    w = evidence.weights
    total = w.sum()
    parts = estimator.parts(evidence)
    contributions = parts.contributions()
    squares = by_page(contributions - contributions.mean(), evidence.pages) ** 2
    error = standard_error(contributions, evidence.pages)
    bias = 0.0
    if estimator.unbiased is not None:
        difference = parts.value - estimator.unbiased().parts(evidence).value
        if difference:
            bias = difference / error if error > 0 else np.copysign(np.inf, difference)
    weight_error = standard_error(w, evidence.pages)
    off = w.mean() - 1.0
    return Diagnostics(
        n_rounds=evidence.n_rounds,
        effective_sample_size=float(total**2 / (w**2).sum()) if total > 0 else 0.0,
        largest_weight=float(w.max()),
        mean_weight=float(w.mean()),
        mean_weight_error=float(off / weight_error) if weight_error > 0 else float(np.sign(off)),
        tail_shape=tail_shape(w),
        effective_rounds=float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0,
        bias=float(bias),
    )


def tail_shape(weights: np.ndarray) -> float:
    """Return the shape ``k`` of a Pareto distribution fitted to the largest weights.

    Of a tail with shape ``k``, moments below ``1 / k`` exist: the variance if ``k < 1/2``. Where
    it does not, a mean comes near its expectation more slowly than ``1 / sqrt(n)``, and the sample
    variance of any log falls short, as most of the variance is in rounds too rare to be in it.

    Parameters
    ----------
    weights : ndarray, shape (n_rounds,)
        Not negative.

    Returns
    -------
    float
        Negative where weights end at a bound; NaN where fewer than five of the largest
        ``min(n / 5, 3 sqrt(n))`` exceed the next, so that there is no tail.

    Notes
    -----
    Koopman, Shephard, Creal (2009), Testing the assumptions behind importance sampling, ask this of
    weights; Vehtari, Simpson, Gelman, Yao, Gabry (2024), Pareto smoothed importance sampling, say
    how many are the tail; Zhang and Stephens (2009), A new and efficient estimation method for the
    generalized Pareto distribution, fit it.

    Examples
    --------
    Weights whose moments exist up to the third, and to the first and a half:

    >>> chances = (np.arange(10_000) + 0.5) / 10_000
    >>> round(tail_shape(chances ** (-1 / 3)), 2), round(tail_shape(chances ** (-2 / 3)), 2)
    (0.33, 0.66)
    """
    n_tail = int(min(len(weights) / 5, 3 * len(weights) ** 0.5))
    largest = np.partition(weights, -n_tail - 1)[-n_tail - 1 :]
    excess = np.sort(largest - largest.min())
    excess = excess[excess > _ALIKE * largest.max()]
    return _fit_shape(excess) if len(excess) >= _FEWEST_IN_TAIL else float("nan")


def _fit_shape(excess: np.ndarray) -> float:
    """Average over ``theta``, which the likelihood is a function of, as `Zhang and Stephens` do."""
    n = len(excess)
    n_steps = 30 + int(n**0.5)
    quartile = excess[int(n / 4 + 0.5) - 1]
    steps = 1 - (n_steps / (np.arange(n_steps) + 0.5)) ** 0.5
    theta = 1 / excess[-1] + steps / (3 * quartile)
    theta = theta[theta != 0]  # the exponential distribution, of which there is no ratio
    shapes = np.log1p(-theta[:, None] * excess).mean(axis=1)
    likelihoods = n * (np.log(-theta / shapes) - shapes - 1)
    return float(np.log1p(-(theta @ softmax(likelihoods)) * excess).mean())
