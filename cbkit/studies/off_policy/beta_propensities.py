"""How probably each of many Beta draws is the highest of all, and above a number."""

from __future__ import annotations

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.special import betainc, betaln, expit

_LOGITS = np.linspace(-30.0, 30.0, 12_001)


def highest_of_draws(a: np.ndarray, b: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return each arm's probability that its draw exceeds all others and a number.

    Parameters
    ----------
    a, b : ndarray, shape (n_arms,)
        Parameters of the Beta distributions, independent of each other.
    above : ndarray, shape (n_rounds,)
        A number per round, such as the highest score of the arms without draws.

    Returns
    -------
    ndarray, shape (n_rounds, n_arms)
        ``integral over v > above of f_i(v) prod_{j != i} F_j(v)``, by Simpson's rule over the
        logit of ``v``, where the integrand is smooth; arms of equal parameters share one integral.

    Examples
    --------
    Two uniform draws: both below 1/2 with probability 1/4, else either is the higher one.

    >>> highest_of_draws(np.ones(2), np.ones(2), np.array([0.0, 0.5])).round(6)
    array([[0.5  , 0.5  ],
           [0.375, 0.375]])
    """
    if not len(a):
        return np.empty((len(above), 0))
    groups, group, sizes = np.unique(
        np.stack([a, b], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    a, b = groups.T[:, :, None]
    values = expit(_LOGITS)
    distributions = np.maximum(betainc(a, b, values), 1e-300)
    log_densities = -a * np.logaddexp(0, -_LOGITS) - b * np.logaddexp(0, _LOGITS) - betaln(a, b)
    highest = (sizes[:, None] * np.log(distributions)).sum(axis=0)
    integrands = np.exp(log_densities - np.log(distributions) + highest)
    reached = cumulative_simpson(integrands, x=_LOGITS, initial=0, axis=1)
    at = np.log(np.clip(above, 1e-13, 1 - 1e-13)) - np.log1p(-np.clip(above, 1e-13, 1 - 1e-13))
    shares = np.stack([whole[-1] - np.interp(at, _LOGITS, whole) for whole in reached], axis=1)
    return np.maximum(shares, 0.0)[:, group.ravel()]
