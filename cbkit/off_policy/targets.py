"""Target policies: the probability of every arm, from numbers per arm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logit, softmax

from cbkit._base.validation import Matrix, check_number, check_probability
from cbkit.policies.policy import Policy


def greedy_probabilities(values: np.ndarray) -> np.ndarray:
    """Return the probabilities of a greedy policy, ties shared.

    Parameters
    ----------
    values : ndarray, shape (n_rounds, n_arms)
        One number per arm, the higher the better.

    Returns
    -------
    ndarray, shape (n_rounds, n_arms)
        Rows sum to 1.

    Examples
    --------
    >>> greedy_probabilities(np.array([[0.1, 0.3, 0.3]]))
    array([[0. , 0.5, 0.5]])
    """
    best = values == values.max(axis=1, keepdims=True)
    return best / best.sum(axis=1, keepdims=True)


def epsilon_greedy_probabilities(values: np.ndarray, explore_probability: float) -> np.ndarray:
    """Return the probabilities of a policy that explores at random, and is greedy else.

    Examples
    --------
    >>> epsilon_greedy_probabilities(np.array([[0.1, 0.3]]), 0.2)
    array([[0.1, 0.9]])
    """
    check_probability("explore_probability", explore_probability)
    greedy = greedy_probabilities(values)
    return explore_probability / values.shape[1] + (1 - explore_probability) * greedy


def softmax_probabilities(values: np.ndarray, multiplier: float) -> np.ndarray:
    """Return ``softmax(multiplier * logit(values))`` per round, as `SoftmaxExplorer` draws.

    Examples
    --------
    >>> softmax_probabilities(np.array([[0.5, 0.8]]), 1.0)             # odds 1 and 4
    array([[0.2, 0.8]])
    """
    check_number("multiplier", multiplier)
    return softmax(multiplier * logit(np.clip(values, 1e-9, 1 - 1e-9)), axis=1)


def greedy_target(policy: Policy) -> Callable[[Matrix], np.ndarray]:
    """Return what a learned policy would do without exploring, as a target for `gather`.

    Parameters
    ----------
    policy : Policy
        Has learned; is not changed, and is to learn no more while the target is used.

    Returns
    -------
    callable
        From contexts to probabilities (n_rounds, n_arms) of the arms whose oracles score best, by
        the mean over resamples. Arms without an oracle are never played; all are alike while there
        is none.

    Examples
    --------
    >>> from cbkit import RandomArm
    >>> greedy_target(RandomArm(4))(np.zeros((1, 2)))
    array([[0.25, 0.25, 0.25, 0.25]])
    """

    def probabilities(X: Matrix) -> np.ndarray:
        scores = policy.score(X).mean(axis=2)
        return greedy_probabilities(np.where(np.isnan(scores), -np.inf, scores))

    return probabilities


def policy_target(policy: Policy) -> Callable[[Matrix], np.ndarray]:
    """Return what a policy would do if it were frozen as it is, exploration included.

    Parameters
    ----------
    policy : Policy
        Is not changed, and is to learn no more while the target is used.

    Returns
    -------
    callable
        From contexts to exact probabilities (n_rounds, n_arms), at up to a few milliseconds per
        round.

    Raises
    ------
    ValueError
        On use, if the policy's probabilities have no exact form.

    Examples
    --------
    >>> from cbkit import EpsilonGreedy, Smoothing
    >>> policy = EpsilonGreedy(2, explore_probability=0.2, cold_start=Smoothing(a=1, b=2))
    >>> policy.update(np.zeros((1, 3)), [1], [1], np.random.default_rng(0))
    >>> policy_target(policy)(np.zeros((1, 3)))
    array([[0.1, 0.9]])
    """

    def probabilities(X: Matrix) -> np.ndarray:
        block = policy.prepare(X)
        chances = np.stack([policy.chances(block, row) for row in range(X.shape[0])])
        if np.isnan(chances).any():
            raise ValueError(
                f"{policy.name} has no exact probabilities; evaluate what it would do without "
                "exploring, greedy_target(policy)"
            )
        return chances

    return probabilities
