"""Do scores mean what they say? All classifiers are taught the same rounds, arms at random.

In the rounds of a policy its own oracle's scores were the highest, and are too high as a rule: they
would speak against that oracle alone.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.oracles.forests import TreeLeafOracle
from cbkit.oracles.oracle import as_oracle
from cbkit.studies.any_classifier.contenders import ORACLES, RARELY, classifier_of
from cbkit.studies.oracles.log_losses import base_rates, log_loss, scores_before_learning

N_BINS = 10
N_COMMON = 5


def calibration(
    dataset: MultilabelDataset, *, seed: int, n_rounds: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score rounds by every oracle of `ORACLES` before it learns them.

    Parameters
    ----------
    dataset : MultilabelDataset
        Where rounds come from, see `random_rounds`.
    seed : int
        Of the rounds.
    n_rounds : int
        At most the number of rows.

    Returns
    -------
    losses : DataFrame
        Per oracle ``log_loss`` per round of an arm that it had been taught, ``base_rate``, that of
        the arm's smoothed share of rewards so far, and ``n`` rounds.
    bins : DataFrame
        Per oracle and tenth of the scores' range that holds any: the number ``n`` of its rounds,
        their mean ``score`` and their mean ``reward``.
    """
    rounds = random_rounds(dataset, seed=seed, n_rounds=n_rounds)
    losses, bins = [], []
    for name in ORACLES:
        oracle = as_oracle(_taught(name, dataset))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*too few for")
            scores, _ = scores_before_learning(dataset, rounds, oracle, refits=RARELY)
        known = ~np.isnan(scores)
        chances, rewards = scores[known], rounds["reward"].to_numpy()[known]
        keys = {"dataset": dataset.name, "oracle": name, "seed": seed}
        base = log_loss(base_rates(rounds)[known], rewards)
        losses.append(
            {**keys, "log_loss": log_loss(chances, rewards), "base_rate": base, "n": len(rewards)}
        )
        bins.append(reliability(chances, rewards).assign(**keys))
    table = pd.concat(bins, ignore_index=True)
    return pd.DataFrame(losses), table[["dataset", "oracle", "seed", "bin", "n", "score", "reward"]]


def random_rounds(dataset: MultilabelDataset, *, seed: int, n_rounds: int) -> pd.DataFrame:
    """Return rounds of the five arms with most rewards, each as probable, whatever the context.

    Parameters
    ----------
    dataset : MultilabelDataset
        Contexts and rewards.
    seed : int
        Of rows and arms.
    n_rounds : int
        At most the number of rows.

    Returns
    -------
    DataFrame
        ``row``, ``arm`` and ``reward`` of each round.

    Examples
    --------
    >>> from cbkit import load_dataset
    >>> rounds = random_rounds(load_dataset("digits"), seed=0, n_rounds=300)
    >>> rounds["row"].nunique(), rounds["arm"].nunique()
    (300, 5)
    """
    rng = np.random.default_rng(seed)
    common = np.argsort(dataset.labels.mean(axis=0))[-N_COMMON:]
    row = rng.permutation(dataset.n_rows)[:n_rounds]
    arm = rng.choice(common, n_rounds)
    rewards = dataset.labels[row].toarray()[np.arange(n_rounds), arm]
    return pd.DataFrame({"row": row, "arm": arm, "reward": rewards})


def _taught(name: str, dataset: MultilabelDataset) -> object:
    """Return the oracle of a name; leaf counts stand for their median, which is near the mean."""
    learns = classifier_of(name, dataset)
    return TreeLeafOracle(tree=learns, percentile=50) if name == "forest, leaf counts" else learns


def reliability(scores: np.ndarray, rewards: np.ndarray) -> pd.DataFrame:
    """Compare mean scores with mean rewards in tenths of [0, 1].

    Parameters
    ----------
    scores : ndarray, shape (n,)
        From 0 to 1.
    rewards : ndarray, shape (n,)
        0 or 1.

    Returns
    -------
    DataFrame
        ``bin`` (0 to 9), ``n``, ``score`` and ``reward``; no rows for tenths without a score.

    Examples
    --------
    >>> reliability(np.array([0.0, 0.05, 1.0]), np.array([0, 1, 1])).values.tolist()
    [[0.0, 2.0, 0.025, 0.5], [9.0, 1.0, 1.0, 1.0]]
    """
    places = np.minimum((scores * N_BINS).astype(int), N_BINS - 1)
    rows = pd.DataFrame({"bin": places, "score": scores, "reward": rewards})
    table = rows.groupby("bin").agg(
        n=("score", "size"), score=("score", "mean"), reward=("reward", "mean")
    )
    return table.reset_index()
