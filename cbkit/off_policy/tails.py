"""How heavy the tail of weights is, and with it what a log does not show yet."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

_FEWEST = 5  # weights in a tail, as in the source


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
    excess = excess[excess > 0]
    return _fit_shape(excess) if len(excess) >= _FEWEST else float("nan")


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
