"""Policies learned from a log, by weighted classification with any classifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from cbkit._base.validation import Matrix, check_generator
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.reward_models import ClassifierRewards, RewardModel, cross_fitted
from cbkit.oracles.guards import check_classifier, fit_guarded, positive_probability
from cbkit.oracles.resampling import Resampling
from cbkit.policies.policy import Policy

_WEIGHTED = Resampling(kind="gamma(1,1)", n_resamples=1)  # any weights: checks that they are taken


def _default_classifier() -> Any:
    return LogisticRegression(max_iter=500)


class FixedModels:
    """An oracle that scores by models fitted beforehand and learns no more.

    Parameters
    ----------
    models : list of classifier
        One per arm.
    scale, offset : ndarray, shape (n_arms,)
        An arm scores ``offset + scale * probability``.
    """

    streaming = True  # nothing that is recorded has to be kept
    resampling = None

    def __init__(self, models: list[Any], scale: np.ndarray, offset: np.ndarray) -> None:
        self.models, self.scale, self.offset = models, scale, offset

    @property
    def fitted_arms(self) -> np.ndarray:
        """All arms."""
        return np.arange(len(self.models))

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Do nothing: what there is to learn was in the log."""

    def score(self, X: Matrix) -> np.ndarray:
        """Return scores, shape (n_rounds, n_arms, 1)."""
        columns = [positive_probability(model, X) for model in self.models]
        return (self.offset + self.scale * np.stack(columns, axis=1))[:, :, None]

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        del self.models[arm]
        self.scale, self.offset = np.delete(self.scale, arm), np.delete(self.offset, arm)


@dataclass(kw_only=True)
class LearnedPolicy(Policy):
    """A policy that plays greedily by what it learned from a log, and learns no more."""

    @property
    def is_fresh(self) -> bool:
        """Whether it has not chosen yet."""
        return not self.n_choices_


def _policy(name: str, models: list[Any], scale: np.ndarray, offset: np.ndarray) -> LearnedPolicy:
    return LearnedPolicy(name=name, n_arms=len(models), oracle=FixedModels(models, scale, offset))


def _inverse(log: LoggedRounds) -> np.ndarray:
    """Return ``1 / propensity``, at most the square root of n: larger weights teach noise."""
    return np.minimum(1.0 / log.propensities, log.n_rounds**0.5)


@dataclass(frozen=True, kw_only=True)
class ImportanceWeightedLearner:
    """Learn which arm to play from the rewarded rounds, each weighted by ``1 / propensity``.

    Weights are cut at the square root of the number of rounds, and scaled to a mean of 1, so that a
    classifier's regularisation means what it does without weights.

    One classifier per arm tells the rewarded rounds of that arm from those of the others; the
    policy plays the arm with the highest probability. The weighted share of rewarded rounds in
    which a policy would have played alike is its IPS estimate, which this maximises within what
    the classifiers can express.

    Parameters
    ----------
    classifier : scikit-learn-like classifier, default=LogisticRegression()
        Takes sample weights; cloned for each arm.

    Notes
    -----
    Beygelzimer and Langford (2009), The offset tree for learning with partial labels, describe the
    reduction to importance-weighted classification; one-vs-rest over the arms is ours.

    Examples
    --------
    >>> X = np.array([[-1.0], [1.0]] * 20)
    >>> log = LoggedRounds(
    ...     X=X, arms=[0, 1] * 10 + [1, 0] * 10, rewards=[1] * 20 + [0] * 20,
    ...     propensities=[0.5] * 40, n_arms=2,
    ... )
    >>> policy = ImportanceWeightedLearner().fit(log, np.random.default_rng(0))
    >>> policy.select(X[:2], np.random.default_rng(0))
    array([0, 1])
    """

    classifier: Any = field(default_factory=_default_classifier)

    def __post_init__(self) -> None:
        check_classifier(self.classifier, "fit", _WEIGHTED)

    def fit(self, log: LoggedRounds, rng: np.random.Generator) -> LearnedPolicy:
        """Learn from a log.

        Parameters
        ----------
        log : LoggedRounds
            At least one of its rounds is rewarded.
        rng : numpy.random.Generator
            Seeds the classifiers.

        Returns
        -------
        LearnedPolicy
            Can be simulated, selected from and evaluated like any other.
        """
        check_generator(rng)
        rows = np.flatnonzero(log.rewards)
        if not len(rows):
            raise ValueError(
                f"no round of {log.name!r} is rewarded, so that nothing tells its arms apart; "
                "log more rounds"
            )
        X, arms, weights = log.X[rows], log.arms[rows], _inverse(log)[rows]
        weights = weights / weights.mean()
        models = [
            fit_guarded(self.classifier, X, arms == arm, weights, rng) for arm in range(log.n_arms)
        ]
        ones = np.ones(log.n_arms)
        return _policy("ImportanceWeightedLearner", models, ones, 0 * ones)


@dataclass(frozen=True, kw_only=True)
class DoublyRobustLearner:
    """Learn arms' rewards from doubly robust ones, by cost-sensitive classification.

    A round's doubly robust reward of an arm is ``q(x, a) + 1{a logged} (r - q(x, a)) / p``, with a
    cross-fitted reward model ``q``; it can be negative. One classifier per arm predicts its sign,
    weighted by its size; ``2 P(positive) - 1`` times the arm's mean size is its expected reward,
    and the policy plays the arm that has most. Weights are limited and scaled as for
    `ImportanceWeightedLearner`.

    Parameters
    ----------
    classifier : scikit-learn-like classifier, default=LogisticRegression()
        Takes sample weights; cloned for each arm, fitted on all rounds.
    model : RewardModel, default=ClassifierRewards()
        The reward model ``q``.

    Notes
    -----
    Dudík, Langford, Li (2011), Doubly robust policy evaluation and learning, with one-vs-rest in
    place of their cost-sensitive learner.

    Examples
    --------
    >>> X = np.array([[-1.0], [1.0]] * 20)
    >>> log = LoggedRounds(
    ...     X=X, arms=[0, 1] * 10 + [1, 0] * 10, rewards=[1] * 20 + [0] * 20,
    ...     propensities=[0.5] * 40, n_arms=2,
    ... )
    >>> policy = DoublyRobustLearner().fit(log, np.random.default_rng(0))
    >>> policy.select(X[:2], np.random.default_rng(0))
    array([0, 1])
    """

    classifier: Any = field(default_factory=_default_classifier)
    model: RewardModel = field(default_factory=ClassifierRewards)

    def __post_init__(self) -> None:
        check_classifier(self.classifier, "fit", _WEIGHTED)

    def fit(self, log: LoggedRounds, rng: np.random.Generator) -> LearnedPolicy:
        """Learn from a log. Parameters and result as for `ImportanceWeightedLearner.fit`."""
        check_generator(rng)
        rows = np.arange(log.n_rounds)
        rewards = cross_fitted(log, self.model, rng)(rows)
        played = rows, log.arms
        rewards[played] += (log.rewards - rewards[played]) * _inverse(log)
        size = np.abs(rewards).mean(axis=0)
        models = [
            fit_guarded(self.classifier, log.X, column > 0, np.abs(column) / mean, rng)
            for column, mean in zip(rewards.T, size, strict=True)
        ]
        return _policy("DoublyRobustLearner", models, 2 * size, -size)
