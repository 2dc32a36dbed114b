"""Means over replicates with their 95% t intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats as distributions

CONFIDENCE = 0.95
INTERVAL = "95% t interval over replicates"
KEYS = ("dataset", "variant", "policy")


class Interval(NamedTuple):
    """A mean over replicates with its 95% t interval; the bounds are NaN for one replicate."""

    mean: float
    low: float
    high: float
    n: int


def _half_width(std: ArrayLike, n: ArrayLike) -> np.ndarray:
    """Compute half the width of a t interval; NaN where n is 1."""
    std, n = np.asarray(std, dtype=float), np.asarray(n)
    quantile = distributions.t.ppf((1 + CONFIDENCE) / 2, np.maximum(n - 1, 1))
    return np.where(n > 1, quantile * std / np.sqrt(np.maximum(n, 1)), np.nan)


def mean_interval(values: ArrayLike) -> Interval:
    """Compute the mean of one value per replicate, with a 95% t interval.

    Examples
    --------
    >>> mean, low, high, n = mean_interval([0.1, 0.2, 0.3])
    >>> f"{mean:.3f} in [{low:.3f}, {high:.3f}], n = {n}"
    '0.200 in [-0.048, 0.448], n = 3'
    >>> mean_interval([0.1])
    Interval(mean=0.1, low=nan, high=nan, n=1)
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ValueError(f"an interval needs one finite value per replicate, got {values!r}")
    mean, n = float(values.mean()), len(values)
    half = float(_half_width(values.std(ddof=1) if n > 1 else np.nan, n))
    return Interval(mean, mean - half, mean + half, n)


def keys_of(table: pd.DataFrame) -> list[str]:
    """Return the columns that tell the runs of different data sets, variants and policies apart."""
    return [key for key in KEYS if key in table.columns]


def intervals(
    runs: pd.DataFrame, by: list[str] | None = None, value: str = "mean_reward"
) -> pd.DataFrame:
    """Compute mean and 95% t interval over the replicates of each group, in order of appearance.

    Parameters
    ----------
    runs : DataFrame
        Final rewards (one row per run) or curves (one per run and round), with a column ``seed``.
    by : list of str, optional
        What makes a group; by default data set, variant, policy and round, those that are there.
    value : str, default="mean_reward"

    Returns
    -------
    DataFrame
        The columns `by`, then mean, low, high, n; the bounds are NaN for one replicate.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": "Greedy", "seed": [0, 1, 2], "mean_reward": [0.1, 0.2, 0.3]})
    >>> intervals(runs).round(3)
       policy  mean    low   high  n
    0  Greedy   0.2 -0.048  0.448  3
    """
    if by is None:
        by = keys_of(runs) + (["round"] if "round" in runs.columns else [])
    if runs[value].isna().any():
        raise ValueError(
            f"{value} is missing in {runs[value].isna().sum()} rows of {len(runs)}: "
            "runs that failed; run them again, or leave them out and say so"
        )
    twice = runs[runs.duplicated([*by, "seed"])]
    if len(twice):
        raise ValueError(
            f"{dict(twice.iloc[0][[*by, 'seed']])} appears more than once; "
            "one replicate counted twice would narrow the interval"
        )
    groups = runs.groupby(by, sort=False)[value]
    table = groups.agg(mean="mean", std="std", n="count").reset_index()
    half = _half_width(table.pop("std"), table["n"])
    table.insert(len(by) + 1, "low", table["mean"] - half)
    table.insert(len(by) + 2, "high", table["mean"] + half)
    return table
