"""How well oracles predict the rewards that come next, all taught by the same rows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.oracles.oracle import Oracle, as_oracle
from cbkit.policies.named.smoothed_greedy import SmoothedGreedy
from cbkit.policies.refits import EVERY_BLOCK, Refit
from cbkit.simulate import simulate

ORACLES = {
    "full refits": "logistic",
    "streaming Laplace": "streaming-laplace",
    "streaming Laplace, no window": {"streaming-laplace": {"window": 0}},
    "SGD of the paper, alpha=0.0001": "streaming-logistic",
    **{
        f"SGD, alpha={alpha:g}": {"streaming-logistic": {"alpha": alpha}}
        for alpha in (0.001, 0.01, 0.1)
    },
}


def log_losses(
    dataset: MultilabelDataset,
    oracles: Mapping[str, Any] = ORACLES,
    *,
    seed: int,
    n_rounds: int | None = None,
    refit_every: int = 50,
) -> pd.DataFrame:
    """Teach oracles the rows that one policy played, and score each row before it is learned.

    Rows, arms and rewards are those of `SmoothedGreedy` with full refits: what differs is how an
    oracle learns, not what it gets to see.

    Parameters
    ----------
    dataset : MultilabelDataset
        What is played.
    oracles : mapping of str to anything that `as_oracle` takes, default=ORACLES
        The oracles.
    seed : int
        Of the run.
    n_rounds : int, optional
        At most (default) the number of rows.
    refit_every : int, default=50
        Rounds per block.

    Returns
    -------
    DataFrame
        Per oracle ``log_loss`` per row of an arm that it had been taught, probabilities cut off at
        1e-6; ``base_rate``, that of the arm's smoothed share of rewards so far; ``sure``, the
        share of scores below .01 or above .99; CPU ``seconds``; and ``n`` rows.

    Examples
    --------
    >>> from cbkit import load_dataset
    >>> losses = log_losses(load_dataset("digits"), seed=0, n_rounds=600).set_index("oracle")
    >>> bool(losses.log_loss["streaming Laplace"] < losses.base_rate["streaming Laplace"])
    True
    """
    policy = SmoothedGreedy(dataset.n_arms)
    rounds = simulate(
        policy, dataset, seed=seed, n_rounds=n_rounds, refit_every=refit_every, progress=False
    ).rounds
    rows = []
    for name, oracle in oracles.items():
        scores, seconds = scores_before_learning(
            dataset, rounds, as_oracle(oracle), refit_every=refit_every
        )
        scored = ~np.isnan(scores)
        rewards = rounds["reward"].to_numpy()[scored]
        chances = scores[scored]
        rows.append(
            {
                "oracle": name,
                "log_loss": log_loss(chances, rewards),
                "base_rate": log_loss(base_rates(rounds)[scored], rewards),
                "sure": pd.Series((chances < 0.01) | (chances > 0.99)).mean(),
                "seconds": seconds,
                "n": len(rewards),
            }
        )
    return pd.DataFrame(rows)


def log_loss(chances: np.ndarray, rewards: np.ndarray) -> float:
    """Return the mean log loss of chances, cut off at 1e-6 from 0 and 1; NaN of none.

    Examples
    --------
    >>> round(log_loss(np.array([0.5, 0.5]), np.array([1, 0])), 3)
    0.693
    """
    if not len(rewards):
        return float("nan")
    chances = np.clip(chances, 1e-6, 1 - 1e-6)
    return float(-np.mean(np.log(np.where(rewards == 1, chances, 1 - chances))))


def base_rates(rounds: pd.DataFrame) -> np.ndarray:
    """Return each played arm's ``(rewards + 1) / (rounds + 2)`` before the round.

    Examples
    --------
    >>> base_rates(pd.DataFrame({"arm": [0, 0, 1], "reward": [1, 0, 0]})).round(2)
    array([0.5 , 0.67, 0.5 ])
    """
    by_arm = rounds.groupby("arm")["reward"]
    return ((by_arm.cumsum() - rounds["reward"] + 1) / (by_arm.cumcount() + 2)).to_numpy()


def scores_before_learning(
    dataset: MultilabelDataset,
    rounds: pd.DataFrame,
    oracle: Oracle,
    *,
    refit_every: int = 50,
    refits: Refit = EVERY_BLOCK,
) -> tuple[np.ndarray, float]:
    """Teach an oracle rounds that were played, and score each before it is learned.

    Parameters
    ----------
    dataset : MultilabelDataset
        What was played.
    rounds : DataFrame
        Of a log: ``row``, ``arm`` and ``reward``.
    oracle : Oracle
        Fresh. One that does not stream is taught an arm from its first round of either reward on.
    refit_every : int, default=50
        Rounds per block.
    refits : Refit, optional
        Which arms an oracle that does not stream learns anew at a block's end; by default all that
        were played in it.

    Returns
    -------
    scores : ndarray, shape (n_rounds,)
        The played arms', the first resample's; NaN before an arm was taught.
    seconds : float
        CPU seconds in scoring and learning.
    """
    row, arm, reward = (rounds[name].to_numpy() for name in ("row", "arm", "reward"))
    reward = reward.astype(np.float64)
    scores, seconds = np.full(len(rounds), np.nan), 0.0
    rng = np.random.default_rng(0)
    n_fitted: dict[int, int] = {}
    for start in range(0, len(rounds), refit_every):
        block = np.arange(start, min(start + refit_every, len(rounds)))
        contexts = dataset.features[row[block]]
        clock = time.process_time()
        given = oracle.score(contexts)[:, :, 0]
        seconds += time.process_time() - clock
        for place, fitted in enumerate(oracle.fitted_arms):
            of_arm = arm[block] == fitted
            scores[block[of_arm]] = given[of_arm, place]
        for played in np.unique(arm[block]).tolist():
            seen = np.flatnonzero(arm[: block[-1] + 1] == played)
            if oracle.streaming:
                seen = seen[seen >= start]
            elif reward[seen].min() == reward[seen].max():
                continue
            elif not refits.is_due(len(seen), n_fitted.get(played, 0)):
                continue
            n_fitted[played] = len(seen)
            taught = dataset.features[row[seen]]
            clock = time.process_time()
            oracle.learn(played, taught, reward[seen], rng)
            seconds += time.process_time() - clock
    return scores, seconds
