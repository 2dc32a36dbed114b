"""Warm start: let a policy learn from a log before it plays."""

from __future__ import annotations

import numpy as np

from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.policies.policy import Policy


def warm_start(policy: Policy, log: LoggedRounds, rng: np.random.Generator) -> None:
    """Record a log's rounds in a policy and fit its oracles (the paper's "historical data").

    The policy counts them as if it had played them: arms with enough rewards leave the cold start.
    Schedules, such as a decaying probability of exploring, do not move.

    Parameters
    ----------
    policy : Policy
        With as many arms as the log; changed in place.
    log : LoggedRounds
        What to learn from; propensities play no part.
    rng : numpy.random.Generator
        Source of resample weights and seeds of models.

    Examples
    --------
    >>> from cbkit import Greedy
    >>> log = LoggedRounds(
    ...     X=[[0.0], [1.0]] * 8, arms=[0] * 16, rewards=[0, 1] * 8, propensities=[0.5] * 16,
    ...     n_arms=2,
    ... )
    >>> policy = Greedy(2)
    >>> warm_start(policy, log, np.random.default_rng(0))
    >>> policy.n_fitted_arms
    1
    """
    if policy.n_arms != log.n_arms:
        raise ValueError(
            f"the policy has {policy.n_arms} arms, the log {log.n_arms}; write n_arms=log.n_arms"
        )
    names = np.array(policy.arm_names, dtype=object)[log.arms]
    policy.update(log.X, names.tolist(), log.rewards, rng)
