"""Relative gains over a reference: per data set, and their mean over data sets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.experiments.stats import mean_interval


def gains(finals: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Compute each policy's relative gain over the reference on each data set.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``dataset``, ``policy``, ``seed``, ``n_rounds``, ``mean_reward``,
        ``seconds``.
    reference : str
        The policy that gains are over.

    Returns
    -------
    DataFrame
        Per data set and policy: ``reward``; ``gain``, the mean paired difference divided by the
        reference's mean reward, with its 95% t interval ``low``, ``high``; CPU ``seconds`` and
        their ``cost`` as a multiple of the reference's; ``n`` replicates of ``n_rounds``.

    Examples
    --------
    >>> finals = pd.DataFrame({"dataset": "d", "policy": ["A", "A", "B", "B"], "seed": [0, 1] * 2})
    >>> finals = finals.assign(mean_reward=[0.2, 0.2, 0.3, 0.3], seconds=1.0, n_rounds=9)
    >>> gains(finals, "A")[["policy", "gain", "cost"]].round(2).values.tolist()
    [['A', 0.0, 1.0], ['B', 0.5, 1.0]]
    """
    rows = []
    for (dataset, policy), runs in finals.groupby(["dataset", "policy"], sort=False):
        base = finals[(finals["dataset"] == dataset) & (finals["policy"] == reference)]
        both = runs.merge(base, on="seed", suffixes=("", "_of_base"))
        if both.empty:
            continue
        means = both[["mean_reward", "seconds", "mean_reward_of_base", "seconds_of_base"]].mean()
        differences = (both["mean_reward"] - both["mean_reward_of_base"]).to_numpy()
        gain, low, high = np.array(mean_interval(differences)[:3]) / means["mean_reward_of_base"]
        rows.append(
            {
                "dataset": dataset,
                "policy": policy,
                "reward": means["mean_reward"],
                "gain": gain,
                "low": low,
                "high": high,
                "seconds": means["seconds"],
                "cost": means["seconds"] / means["seconds_of_base"],
                "n": len(both),
                "n_rounds": both["n_rounds"].max(),
            }
        )
    return pd.DataFrame(rows)


def mean_gains(
    finals: pd.DataFrame, reference: str, *, n_draws: int = 2000, seed: int = 0
) -> pd.DataFrame:
    """Compute the mean relative gain over all data sets, with an interval over sets and replicates.

    Parameters
    ----------
    finals : DataFrame
        As for `gains`.
    reference : str
        The policy that gains are over.
    n_draws : int, default=2000
        Bootstrap draws: data sets with replacement, and in each its replicates with replacement.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    DataFrame
        Per policy: ``gain``, the mean of its gains over sets, the 2.5th and 97.5th percentiles
        ``low`` and ``high`` of the draws, the gain ``without_best`` its best set, its ``worst``
        gain, and ``n_datasets``.

    Examples
    --------
    >>> finals = pd.DataFrame({"policy": ["A", "A", "B", "B"], "seed": [0, 1] * 2})
    >>> finals = finals.assign(mean_reward=[0.2, 0.2, 0.3, 0.3])
    >>> both = pd.concat([finals.assign(dataset=name) for name in ("d", "e")])
    >>> mean_gains(both, "A")[["policy", "gain", "low", "high"]].round(2).values.tolist()
    [['B', 0.5, 0.5, 0.5]]
    """
    rng = np.random.default_rng(seed)
    wide = finals.pivot_table(index=["dataset", "seed"], columns="policy", values="mean_reward")
    rows = []
    for policy in finals["policy"].unique():
        if policy == reference:
            continue
        paired = wide[[policy, reference]].dropna()
        pairs = [runs.to_numpy() for _, runs in paired.groupby(level="dataset")]
        points = np.array([_gain(runs) for runs in pairs])
        draws = [
            np.mean(
                [_gain(_redrawn(pairs[d], rng)) for d in rng.integers(len(pairs), size=len(pairs))]
            )
            for _ in range(n_draws)
        ]
        low, high = np.percentile(draws, [2.5, 97.5])
        rows.append(
            {
                "policy": policy,
                "gain": points.mean(),
                "low": low,
                "high": high,
                "without_best": np.sort(points)[:-1].mean(),
                "worst": points.min(),
                "n_datasets": len(points),
            }
        )
    return pd.DataFrame(rows)


def _redrawn(runs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return runs[rng.integers(len(runs), size=len(runs))]


def _gain(runs: np.ndarray) -> float:
    """Return the relative gain of the first over the second column, shape (n_replicates, 2)."""
    mine, reference = runs.mean(axis=0)
    return float(mine / reference - 1)
