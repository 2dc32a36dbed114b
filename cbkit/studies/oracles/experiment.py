"""Policies with one cold start and many oracles, on real sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cbkit.datasets import load_dataset
from cbkit.experiments.experiment import Experiment
from cbkit.experiments.results import CPU_SECONDS, Results
from cbkit.experiments.stats import mean_interval

REAL_SETS = (
    "bibtex",
    "delicious",
    "mediamill-2000",
    "tmc2007",
    "corel5k",
    "enron",
    "yeast",
    "medical",
)

_SMOOTHING = {"Smoothing": {"a": 1, "b": 2}}
_LAPLACE = {"oracle": "streaming-laplace"}

# One greedy policy with each way to learn.
WAYS_TO_LEARN = {
    "Greedy, full refits": {"policy": "SmoothedGreedy"},
    "Greedy, streaming Laplace": {"policy": "SmoothedGreedy", **_LAPLACE},
    "Greedy, SGD of the paper": {"policy": "SmoothedGreedy", "oracle": "streaming-logistic"},
    **{
        f"Greedy, SGD, alpha={alpha:g}": {
            "policy": "SmoothedGreedy",
            "oracle": {"streaming-logistic": {"alpha": alpha}},
        }
        for alpha in (0.01, 0.1)
    },
}
# Bounds and draws from resamples and from posteriors, and policies that call a regression oracle.
WAYS_TO_EXPLORE = {
    "UCB, resamples": {"policy": "OnlineBootstrappedUCB", "cold_start": _SMOOTHING},
    "UCB, resamples, streaming Laplace": {
        "policy": "OnlineBootstrappedUCB",
        "cold_start": _SMOOTHING,
        **_LAPLACE,
    },
    "UCB, posterior": {"policy": "LogisticUCB", "streaming": False, "cold_start": _SMOOTHING},
    "UCB, streaming posterior": {"policy": "LogisticUCB", "cold_start": _SMOOTHING},
    "UCB, ridge": {"policy": "LinUCB"},
    "UCB, ridge, width=0.1": {"policy": "LinUCB", "width": 0.1},
    "TS, resamples": {"policy": "OnlineBootstrappedTS", "cold_start": _SMOOTHING},
    "TS, posterior": {"policy": "LogisticTS", "streaming": False, "cold_start": _SMOOTHING},
    "TS, streaming posterior": {"policy": "LogisticTS", "cold_start": _SMOOTHING},
    "TS, ridge": {"policy": "LinTS"},
    "TS, ridge, width=0.1": {"policy": "LinTS", "width": 0.1},
    "SquareCB": {"policy": "SquareCB", **_LAPLACE},
    "RegCB": {"policy": "RegCB", "excess_loss": 2.0, "cold_start": _SMOOTHING},
    "Bagging": {"policy": "Bagging", "cold_start": _SMOOTHING, **_LAPLACE},
}


def oracle_experiment(
    dataset: str,
    policies: Mapping[str, Any],
    *,
    folder: str,
    n_replicates: int = 5,
    n_rounds: int | None = None,
    seed: int = 0,
) -> Experiment:
    """Return the experiment that plays `policies` on one data set.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    policies : mapping of str to spec
        `WAYS_TO_LEARN`, `WAYS_TO_EXPLORE`, or some of them.
    folder : str
        Where results go; each data set has a folder of its own in it.
    n_replicates : int, default=5
        Runs per policy, each with another seed and row order.
    n_rounds : int, optional
        Rounds per run, at most; by default all rows.
    seed : int, default=0
        Seed of the first replicate.

    Returns
    -------
    Experiment

    Examples
    --------
    >>> oracle_experiment("demo", WAYS_TO_LEARN, folder="outputs/try", n_rounds=100).n_rounds
    100
    """
    n_rows = load_dataset(dataset).n_rows
    return Experiment(
        datasets=[dataset],
        policies=policies,
        folder=f"{folder}/{dataset}",
        n_replicates=n_replicates,
        n_rounds=min(n_rows, n_rounds or n_rows),
        seed=seed,
    )


def finals_with_seconds(results: Results) -> pd.DataFrame:
    """Return the finals of all runs that went well, with ``seconds`` of CPU time beside them."""
    run = ["dataset", "variant", "policy", "seed"]
    seconds = results.timings.assign(seconds=results.timings[[*CPU_SECONDS]].sum(axis=1))
    finals = results.finals[results.finals["mean_reward"].notna()]
    return finals.merge(seconds[[*run, "seconds"]], on=run)


def shares_of(finals: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Compare each policy's mean reward and CPU seconds with those of one policy, in shares.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``dataset``, ``policy``, ``seed``, ``mean_reward`` and ``seconds``.
    reference : str
        The policy that counts as 1.

    Returns
    -------
    DataFrame
        Per data set and policy its ``reward`` and ``seconds``, means over the replicates that it
        shares with the reference, ``share`` of the reference's mean reward with the ``low`` and
        ``high`` ends of the 95% t interval over paired differences, ``seconds_share``, and ``n``.

    Examples
    --------
    >>> finals = pd.DataFrame({"dataset": "d", "policy": ["A", "A", "B", "B"], "seed": [0, 1] * 2})
    >>> finals = finals.assign(mean_reward=[0.2, 0.2, 0.1, 0.1], seconds=[4.0, 4.0, 1.0, 1.0])
    >>> shares_of(finals, "A")[["policy", "share", "seconds_share"]].values.tolist()
    [['A', 1.0, 1.0], ['B', 0.5, 0.25]]
    """
    rows = []
    for (dataset, policy), runs in finals.groupby(["dataset", "policy"], sort=False):
        base = finals[(finals["dataset"] == dataset) & (finals["policy"] == reference)]
        both = runs.merge(base, on="seed", suffixes=("", "_of_base"))
        means = both[["mean_reward", "seconds", "mean_reward_of_base", "seconds_of_base"]].mean()
        differences = both["mean_reward"] - both["mean_reward_of_base"]
        interval = mean_interval(differences.to_numpy())
        shares = 1 + np.array(interval[:3]) / means["mean_reward_of_base"]
        rows.append(
            {
                "dataset": dataset,
                "policy": policy,
                "reward": means["mean_reward"],
                "share": shares[0],
                "low": shares[1],
                "high": shares[2],
                "seconds": means["seconds"],
                "seconds_share": means["seconds"] / means["seconds_of_base"],
                "n": len(both),
            }
        )
    return pd.DataFrame(rows)
