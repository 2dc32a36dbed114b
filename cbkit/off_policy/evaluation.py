"""Evaluate a target policy by several estimators at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cbkit.off_policy.diagnostics import diagnose
from cbkit.off_policy.estimators import IPS, SNIPS, DoublyRobust, Estimator, SelfNormalizedDR
from cbkit.off_policy.evidence import Target, gather
from cbkit.off_policy.intervals import Interval, NormalInterval
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.reward_models import RewardModel, cross_fitted


def evaluate(
    log: LoggedRounds,
    target: Target,
    *,
    rng: np.random.Generator,
    model: RewardModel | None = None,
    estimators: Sequence[Estimator] | None = None,
    interval: Interval | None = None,
) -> pd.DataFrame:
    """Estimate what a target policy would have earned per round.

    Parameters
    ----------
    log : LoggedRounds
        The log.
    target : ndarray of shape (n_rounds, n_arms), or callable
        The target's probabilities, as for `gather`.
    rng : numpy.random.Generator
        Source of the reward model's folds.
    model : RewardModel, optional
        Cross-fitted where it is given.
    estimators : sequence of Estimator, optional
        By default IPS and SNIPS, and with a `model` the doubly robust estimator and its
        self-normalised version.
    interval : Interval, default=NormalInterval()
        Its bounds are ``low`` and ``high``.

    Returns
    -------
    DataFrame
        One row per estimator: ``estimate``, ``low``, ``high``, the effective sample size, and a
        ``warning`` in words, empty where nothing speaks against the estimate.

    Examples
    --------
    >>> from cbkit.off_policy import planted_log
    >>> log, _ = planted_log()
    >>> uniform = np.full((log.n_rounds, log.n_arms), 1 / log.n_arms)
    >>> table = evaluate(log, uniform, rng=np.random.default_rng(0))
    >>> list(table.index)
    ['IPS', 'SNIPS']
    """
    if estimators is None:
        estimators = [IPS(), SNIPS()]
        estimators += [] if model is None else [DoublyRobust(), SelfNormalizedDR()]
    interval = NormalInterval() if interval is None else interval
    predict = None if model is None else cross_fitted(log, model, rng)
    evidence = gather(log, target, predict)
    rows = {}
    for estimator in estimators:
        low, high = interval.bounds(estimator, evidence)
        found = diagnose(estimator, evidence)
        rows[type(estimator).__name__] = {
            "estimate": estimator.parts(evidence).value,
            "low": low,
            "high": high,
            "effective_sample_size": found.effective_sample_size,
            "warning": "; ".join(found.warnings()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("estimator")
