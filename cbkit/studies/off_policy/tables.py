"""From many logs per cell to tables: errors, coverage, and what diagnostics are worth."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import binom

from cbkit.off_policy.diagnostics import (
    FARTHEST_ERRORS,
    FARTHEST_MEAN,
    FEWEST_ROUNDS,
    HEAVIEST_TAIL,
    LARGEST_BIAS,
)

CELL = ["dataset", "log", "size", "target", "estimator"]
INTERVALS = ("normal", "bootstrap", "bernstein")
_JUDGED = INTERVALS[:2]
_LOW, _FLAGGED = 0.8, 0.5
_CONFIDENCE, _NEAR = 0.95, 0.02


def flagged(runs: pd.DataFrame) -> pd.Series:
    """Return whether diagnostics speak against each estimate, as `Diagnostics.warnings` does."""
    off = (runs["mean_weight"] - 1).abs()
    far = (off > 0) & (runs["mean_weight_error"].abs() > FARTHEST_ERRORS)
    overlap = far | (off > FARTHEST_MEAN)
    few = runs[["effective_sample_size", "effective_rounds"]].min(axis=1) < FEWEST_ROUNDS
    heavy = runs["tail_shape"] > HEAVIEST_TAIL
    return overlap | few | heavy | (runs["bias"].abs() > LARGEST_BIAS)


def cell_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Summarise the logs of each cell.

    Parameters
    ----------
    runs : DataFrame
        One row per log, target and estimator, from `coverage.run_cells`.

    Returns
    -------
    DataFrame
        One row per cell and estimator: number of logs, truth, bias, root mean squared error,
        coverage of each 95% interval and the median of its width, the share of logs that
        diagnostics warn of, coverage in the others (``normal_silent``, ...; NaN where there are
        none), and the median effective sample size.
    """
    warned = flagged(runs)
    error = runs["estimate"] - runs["truth"]
    columns = {"truth": runs["truth"], "bias": error, "squared": error**2}
    for kind in INTERVALS:
        low, high = runs[f"{kind}_low"], runs[f"{kind}_high"]
        covers = ((low <= runs["truth"]) & (runs["truth"] <= high)).astype(float)
        unbounded = low.isna() & (kind == "bernstein")  # a ratio has no such bounds
        columns[f"{kind}_coverage"] = covers.mask(unbounded)
    for kind in _JUDGED:
        columns[f"{kind}_silent"] = columns[f"{kind}_coverage"].mask(warned)
    columns["flagged"] = warned.astype(float)
    groups = runs[CELL].assign(**columns).groupby(CELL, sort=False)
    table = groups.mean()
    table.insert(0, "n_logs", groups.size())
    table.insert(3, "rmse", np.sqrt(table.pop("squared")))
    widths = {f"{kind}_width": runs[f"{kind}_high"] - runs[f"{kind}_low"] for kind in INTERVALS}
    others = runs[[*CELL, "effective_sample_size"]].assign(**widths)
    return table.join(others.groupby(CELL, sort=False).median()).reset_index()


def judge_diagnostics(cells: pd.DataFrame) -> pd.DataFrame:
    """Compare what diagnostics say with what intervals cover.

    Parameters
    ----------
    cells : DataFrame
        From `cell_table`.

    Returns
    -------
    DataFrame
        For all data sets together and for each, and for the normal and the bootstrap interval:
        ``n_cells``; ``n_low`` with coverage below 80% and how many of them are flagged, in half of
        their logs or more (``n_low_flagged``); ``n_good`` that are not flagged, their mean and
        least coverage; ``n_needless``, flagged with a coverage of 93% or more; ``n_apart``, not
        flagged and more than 2 points from 95%, and ``n_apart_by_chance``, how many that would be
        if all of them covered 95% of all logs; ``silent_coverage``, of all logs without a warning,
        whatever their cell.
    """
    rows = []
    for name, group in [("all", cells), *cells.groupby("dataset", sort=False)]:
        told = group["flagged"] >= _FLAGGED
        for kind in _JUDGED:
            covered = group[f"{kind}_coverage"]
            low, good = covered < _LOW, covered[~told]
            n_logs = group["n_logs"][~told]
            silent = group["n_logs"] * (1 - group["flagged"])
            covered_silent = (group[f"{kind}_silent"] * silent).sum()
            rows.append(
                {"dataset": name, "interval": kind, "n_cells": len(group)}
                | {"n_low": low.sum(), "n_low_flagged": (low & told).sum()}
                | {"n_good": len(good), "good_mean": good.mean(), "good_least": good.min()}
                | {"n_needless": (told & (covered >= _CONFIDENCE - _NEAR)).sum()}
                | {"n_apart": ((good - _CONFIDENCE).abs() > _NEAR + 1e-9).sum()}
                | {"n_apart_by_chance": _chance_apart(n_logs).sum()}
                | {"silent_coverage": covered_silent / (silent.sum() or np.nan)}
            )
    return pd.DataFrame(rows)


def _chance_apart(n_logs: pd.Series) -> np.ndarray:
    """Return how probably a cell that covers 95% of all logs is over 2 points off in these."""
    least = np.ceil((_CONFIDENCE - _NEAR) * n_logs - 1e-9)
    most = np.floor((_CONFIDENCE + _NEAR) * n_logs + 1e-9)
    within = binom.cdf(most, n_logs, _CONFIDENCE) - binom.cdf(least - 1, n_logs, _CONFIDENCE)
    return 1 - within


def rank_estimators(cells: pd.DataFrame) -> pd.DataFrame:
    """Rank estimators by their error in each cell, and average.

    Parameters
    ----------
    cells : DataFrame
        From `cell_table`.

    Returns
    -------
    DataFrame
        One row per estimator: mean rank by root mean squared error (1 is best) over all cells and
        per logging policy, and the median error relative to the truth.
    """
    ranked = cells.assign(
        rank=cells.groupby(CELL[:-1])["rmse"].rank(),
        relative=cells["rmse"] / cells["truth"],
    )
    table = ranked.pivot_table(index="estimator", columns="log", values="rank", sort=False)
    table.insert(0, "all", ranked.groupby("estimator")["rank"].mean())
    table["median relative rmse"] = ranked.groupby("estimator")["relative"].median()
    return table.sort_values("all").reset_index()
