"""Logs whose truth is known: drawn from data that say what every arm would have earned."""

from __future__ import annotations

import numpy as np

from cbkit._base.validation import check_generator
from cbkit.datasets import MultilabelDataset, load_dataset
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.targets import softmax_probabilities

_N_ARMS = 20


def draw_log(
    dataset: MultilabelDataset,
    probabilities: np.ndarray,
    rows: np.ndarray,
    rng: np.random.Generator,
    name: str = "log",
) -> LoggedRounds:
    """Return the log of a policy with known probabilities that plays some rows of a data set.

    Parameters
    ----------
    dataset : MultilabelDataset
        Gives contexts and rewards.
    probabilities : ndarray, shape (n_rounds, n_arms)
        The policy's probability of every arm in each round.
    rows : ndarray of int, shape (n_rounds,)
        The data set's rows to play.
    rng : numpy.random.Generator
        Source of the arms.
    name : str, default="log"
        Name of the log.

    Returns
    -------
    LoggedRounds
        With exact propensities.

    Examples
    --------
    >>> data = MultilabelDataset.from_arrays([[0.5], [1.5]], [[1, 0], [0, 1]])
    >>> rows = np.array([0, 1, 1])
    >>> log = draw_log(data, np.tile([1.0, 0.0], (3, 1)), rows, np.random.default_rng(0))
    >>> log.arms, log.rewards
    (array([0, 0, 0]), array([1, 0, 0], dtype=int8))
    """
    check_generator(rng)
    cumulative = np.cumsum(probabilities, axis=1)
    drawn = rng.random(len(rows)) * cumulative[:, -1]
    arms = (cumulative <= drawn[:, None]).sum(axis=1)
    return LoggedRounds(
        X=dataset.features[rows],
        arms=arms,
        rewards=np.asarray(dataset.labels[rows, arms]).ravel(),
        propensities=probabilities[np.arange(len(rows)), arms],
        n_arms=dataset.n_arms,
        name=name,
    )


def true_value(dataset: MultilabelDataset, probabilities: np.ndarray) -> float:
    """Return the mean reward of a policy over a data set's rows, given its probabilities there.

    Parameters
    ----------
    dataset : MultilabelDataset
        Says what every arm earns in every row.
    probabilities : ndarray, shape (n_rows, n_arms)
        The policy's probabilities.

    Examples
    --------
    >>> data = MultilabelDataset.from_arrays([[0.5], [1.5]], [[1, 0], [0, 1]])
    >>> true_value(data, np.array([[1.0, 0.0], [0.5, 0.5]]))
    0.75
    """
    return float(dataset.labels.multiply(probabilities).sum() / dataset.n_rows)


def planted_log(n_rounds: int = 2000, seed: int = 0) -> tuple[LoggedRounds, MultilabelDataset]:
    """Return a small log that needs no download, and the data set that knows its truth.

    Twenty arms of the planted demo, logged by a softmax of each arm's share of rewards in the rows
    that have one of the context's features: a policy that learned a little.

    Parameters
    ----------
    n_rounds : int, default=2000
        Rows are drawn with replacement.
    seed : int, default=0
        Seed of the rows and arms.

    Returns
    -------
    (LoggedRounds, MultilabelDataset)
        The log, and the data set of 3,000 rows that it was drawn from.

    Examples
    --------
    >>> log, dataset = planted_log()
    >>> log.n_rounds, log.n_arms, dataset.n_rows
    (2000, 20, 3000)
    """
    dataset = load_dataset("demo").subset_arms(_N_ARMS, 0)
    shares = np.asarray(dataset.labels.mean(axis=0)).ravel()
    features = dataset.features
    by_feature = (features.T @ dataset.labels).toarray() + 10 * shares
    by_feature /= np.asarray(features.sum(axis=0)).ravel()[:, None] + 10
    totals = np.maximum(np.asarray(features.sum(axis=1)).ravel(), 1)
    probabilities = softmax_probabilities((features @ by_feature) / totals[:, None], 1.0)
    rng = np.random.default_rng(seed)
    rows = rng.integers(dataset.n_rows, size=n_rounds)
    return draw_log(dataset, probabilities[rows], rows, rng, "planted log"), dataset
