"""The value of a policy that learns: replay, and sequential doubly robust, over one log."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cbkit._base.validation import check_generator, check_whole
from cbkit.off_policy.evidence import Predict
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.policies.policy import Policy

_ROUNDS_AHEAD = 500  # contexts that are scored together


@dataclass(frozen=True, kw_only=True)
class LearnerValue:
    """What a policy would earn on average over its first rounds, learning as it goes.

    Attributes
    ----------
    replay : float
        Mean reward of the accepted rounds; NaN where there are none.
    sequential_dr : float
        Sequential doubly robust estimate of the same; NaN without a reward model.
    replay_error, sequential_dr_error : float
        Their standard errors, given the path that the learner took.
    n_accepted : int
        Rounds that the learner has learned from: the estimate is of so many rounds.
    """

    replay: float
    replay_error: float
    sequential_dr: float
    sequential_dr_error: float
    n_accepted: int


def evaluate_learner(
    policy: Policy,
    log: LoggedRounds,
    rng: np.random.Generator,
    *,
    predict: Predict | None = None,
    refit_every: int = 50,
) -> LearnerValue:
    """Update a policy by the logged rounds that it would have played alike.

    In each logged round the policy chooses an arm ``a'`` given what it has learned so far. If that
    is the logged arm ``a``, the round is accepted with probability ``c / p``, where ``p`` is the
    propensity and ``c`` the smallest in the log; only accepted rounds count for the policy, so its
    history is distributed as if it had played. *Replay* is the mean reward of the accepted rounds.
    *Sequential doubly robust* uses all rounds: the mean of ``q(x, a') + 1{a' = a} (r - q(x, a)) /
    p`` given the history at that time.

    Assumes that contexts come independently of each other, and propensities as for a fixed policy.

    Parameters
    ----------
    policy : Policy
        Fresh, or warm; has learned from the accepted rounds afterwards.
    log : LoggedRounds
        Played in its order.
    rng : numpy.random.Generator
        Source of all draws.
    predict : callable, optional
        Expected rewards ``q``, from `cross_fitted`.
    refit_every : int, default=50
        Accepted rounds between refits.

    Returns
    -------
    LearnerValue
        Both estimates.

    Notes
    -----
    Replay: Li, Chu, Langford, Wang (2011), as for `Replay`. Sequential doubly robust: Dudík, Erhan,
    Langford, Li (2012), Sample-efficient nonstationary policy evaluation for contextual bandits;
    here with the arm the policy draws in place of an expectation over its arms, which asks nothing
    of the policy but to choose.

    Examples
    --------
    A policy that always plays arm 0 accepts the rounds in which arm 0 was logged:

    >>> from cbkit import BestArmInHindsight
    >>> log = LoggedRounds(
    ...     X=[[0.0]] * 4, arms=[0, 1, 0, 1], rewards=[1, 0, 0, 1], propensities=[0.5] * 4, n_arms=2
    ... )
    >>> policy = BestArmInHindsight(2, arm=0)
    >>> evaluate_learner(policy, log, np.random.default_rng(0)).replay
    0.5
    """
    check_generator(rng)
    check_whole("refit_every", refit_every)
    if policy.n_arms != log.n_arms:
        raise ValueError(
            f"the policy has {policy.n_arms} arms, the log {log.n_arms}; write n_arms=log.n_arms"
        )
    rewards = log.rewards.astype(np.float64)
    drawn, accepted = np.empty((2, log.n_rounds), dtype=np.int64)
    for row, arm, was_accepted in _walk(policy, log, rng, refit_every):
        drawn[row], accepted[row] = arm, was_accepted
    chosen = rewards[accepted > 0]
    terms = np.array([])
    if predict is not None:
        terms = np.concatenate(
            [_terms(log, drawn, rewards, rows, predict) for rows in _blocks(log)]
        )
    return LearnerValue(
        replay=_mean(chosen),
        replay_error=_error(chosen),
        sequential_dr=_mean(terms),
        sequential_dr_error=_error(terms),
        n_accepted=len(chosen),
    )


def _walk(
    policy: Policy, log: LoggedRounds, rng: np.random.Generator, refit_every: int
) -> Iterator[tuple[int, int, bool]]:
    """Yield per logged round its number, the arm the policy draws, and whether it is accepted."""
    smallest = log.propensities.min()
    start, waiting = 0, 0
    while start < log.n_rounds:
        X = log.X[start : start + _ROUNDS_AHEAD]
        block = policy.prepare(X)
        for position in range(X.shape[0]):
            row = start + position
            # A round that is not accepted has not happened: schedules stay where they were.
            chooser, n_choices = copy.deepcopy(policy.chooser), policy.n_choices_
            arm = policy.choose(block, position, rng).arm
            agrees = arm == log.arms[row]
            accepted = bool(agrees and rng.random() * log.propensities[row] < smallest)
            if accepted:
                policy.record(block.X, position, arm, int(log.rewards[row]))
                waiting += 1
            else:
                policy.chooser, policy.n_choices_ = chooser, n_choices
            yield row, arm, accepted
            if waiting == refit_every:
                break
        start += position + 1
        if waiting == refit_every or start == log.n_rounds:
            policy.refit(rng)
            waiting = 0


def _blocks(log: LoggedRounds) -> Iterator[np.ndarray]:
    for start in range(0, log.n_rounds, _ROUNDS_AHEAD):
        yield np.arange(start, min(start + _ROUNDS_AHEAD, log.n_rounds))


def _terms(
    log: LoggedRounds, drawn: np.ndarray, rewards: np.ndarray, rows: np.ndarray, predict: Predict
) -> np.ndarray:
    q = predict(rows)
    here, arms = np.arange(len(rows)), drawn[rows]
    correction = (rewards[rows] - q[here, log.arms[rows]]) / log.propensities[rows]
    return q[here, arms] + (arms == log.arms[rows]) * correction


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else float("nan")
