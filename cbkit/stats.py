"""Intervals and paired comparisons over replicates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
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


def _half_width(std: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Half the width of a t interval; NaN where n is 1."""
    std, n = np.asarray(std, dtype=float), np.asarray(n)
    quantile = distributions.t.ppf((1 + CONFIDENCE) / 2, np.maximum(n - 1, 1))
    return np.where(n > 1, quantile * std / np.sqrt(np.maximum(n, 1)), np.nan)


def mean_interval(values: np.ndarray) -> Interval:
    """Mean of one value per replicate, with a 95% t interval.

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


def intervals(runs: pd.DataFrame, by: list[str], value: str = "mean_reward") -> pd.DataFrame:
    """Mean and 95% t interval of `value` over the replicates of each group, in order of appearance.

    Returns
    -------
    DataFrame
        The columns `by`, then mean, low, high, n.
    """
    groups = runs.groupby(by, sort=False)[value]
    table = groups.agg(mean="mean", std="std", n="count").reset_index()
    half = _half_width(table.pop("std"), table["n"])
    table.insert(len(by) + 1, "low", table["mean"] - half)
    table.insert(len(by) + 2, "high", table["mean"] + half)
    return table
