"""Diagnostics: whether a log can tell anything about a target policy, and a warning if not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbkit.off_policy.estimators import Estimator
from cbkit.off_policy.evidence import Evidence
from cbkit.off_policy.intervals import by_page, standard_error


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
    effective_rounds: float
    bias: float


def diagnose(estimator: Estimator, evidence: Evidence) -> Diagnostics:
    """Compute the diagnostics of an estimate."""
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
        effective_rounds=float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0,
        bias=float(bias),
    )
