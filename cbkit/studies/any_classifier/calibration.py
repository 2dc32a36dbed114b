"""Do scores mean what they say? All classifiers taught the same rounds of a policy that knows none.

The rounds are of `BestArmOnline`, which looks at no context: those of a policy with an oracle are
where that oracle's scores were highest, too high as a rule, and would speak against it alone.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.oracles.forests import TreeLeafOracle
from cbkit.oracles.oracle import as_oracle
from cbkit.policies.registry import make_policy
from cbkit.simulate import simulate
from cbkit.studies.any_classifier.contenders import ORACLES, RARELY, classifier_of
from cbkit.studies.oracles.log_losses import base_rates, log_loss, scores_before_learning

N_BINS = 10


def calibration(
    dataset: MultilabelDataset, *, seed: int, n_rounds: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score rounds by every oracle of `ORACLES` before it learns them.

    Parameters
    ----------
    dataset : MultilabelDataset
        What is played.
    seed : int
        Of the run.
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
    policy = make_policy("BestArmOnline", dataset)
    rounds = simulate(policy, dataset, seed=seed, n_rounds=n_rounds, progress=False).rounds
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
