"""Figures of the study: shares of full refits' reward, and policies by data set."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from cbkit.experiments.stats import intervals
from cbkit.plots.curves import FEWEST_FOR_BANDS, caption
from cbkit.plots.dots import ROW, dots, marker_legend
from cbkit.plots.style import GREY, PALETTE
from cbkit.studies.evaluation.figures import title_of
from cbkit.studies.oracles.experiment import shares_of

FULL = "Greedy, full refits"
FAMILIES = {"UCB": PALETTE[0], "TS": PALETTE[1], "Greedy": PALETTE[2]}
OTHERS = PALETTE[3]


def share_dots(learned: pd.DataFrame) -> Figure:
    """Draw rewards and CPU seconds as shares of those of full refits, a row per data set.

    Parameters
    ----------
    learned : DataFrame
        Runs of `WAYS_TO_LEARN`, from `run.played`.

    Returns
    -------
    Figure
        The dashed line is full refits' own, the dotted ones 95% of its reward and a tenth of its
        cost.
    """
    shares = shares_of(learned, FULL)
    shares = shares[shares["policy"] != FULL]
    shares = shares.assign(policy=shares["policy"].str.removeprefix("Greedy, "))
    names, ways = list(shares["dataset"].unique()), list(shares["policy"].unique())
    height = 1.6 + (ROW + 0.14 * len(ways)) * len(names)
    fig, (left, right) = plt.subplots(1, 2, figsize=(8.5, height), sharey=True)
    look: dict[str, Any] = {"row": "dataset", "hue": "policy", "order": names}
    dots(shares, left, mean="share", **look)
    left.set_xlim(left=0)
    left.set_xlabel("reward / that of full refits")
    costs = shares.drop(columns=["low", "high"]).assign(low=float("nan"), high=float("nan"))
    dots(costs, right, mean="seconds_share", **look)
    right.set_xscale("log")
    right.set_xlabel("CPU seconds / those of full refits")
    for ax, line in ((left, 0.95), (right, 0.1)):
        ax.axvline(1, color=GREY, ls="--", lw=1, zorder=1)
        ax.axvline(line, color=GREY, ls=":", lw=1, zorder=1)
    n = int(shares["n"].min()), int(shares["n"].max())
    several = f"{n[0]}" if n[0] == n[1] else f"{n[0]} to {n[1]}"
    fig.supxlabel(f"lines: 95% t interval of the paired differences, n = {several}", size=9)
    marker_legend(left, ways)
    return fig


def explore_dots(explored: pd.DataFrame) -> Figure:
    """Draw the reward of bounds, draws and regression-oracle policies, a panel per data set.

    Parameters
    ----------
    explored : DataFrame
        Runs of `WAYS_TO_EXPLORE` and of greedy with smoothing, from `run.played`.

    Returns
    -------
    Figure
        Dashed: greedy with smoothing.
    """
    names, order = list(explored["dataset"].unique()), list(explored["policy"].unique())
    n_columns = min(4, len(names))
    n_rows = -(-len(names) // n_columns)
    size = 3.0 + 1.7 * n_columns, 1.0 + n_rows * (0.7 + 0.2 * len(order))
    fig, axes = plt.subplots(n_rows, n_columns, figsize=size, sharey=True, squeeze=False)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    colours = {name: FAMILIES.get(name.partition(",")[0], OTHERS) for name in order}
    for name, ax in zip(names, axes.flat, strict=False):
        here = explored[explored["dataset"] == name]
        table = intervals(here, ["policy"])
        if table["n"].min() < FEWEST_FOR_BANDS:
            table = table.assign(low=np.nan, high=np.nan)
        runs = here.rename(columns={"mean_reward": "mean"})
        dots(table, ax, order=order, colours=colours, replicates=runs)
        greedy = table.loc[table["policy"] == FULL, "mean"]
        ax.axvline(greedy.iloc[0], color=GREY, ls="--", lw=1, zorder=1)
        top = table["high"].fillna(0).max(), runs["mean"].max()
        ax.set_xlim(min(0, table["low"].fillna(0).min()), 1.05 * max(top))
        ax.set_title(f"{title_of(name)}\n{int(here['n_rounds'].iloc[0]):,} rounds", size=9)
    n = explored.groupby(["dataset", "policy"])["seed"].nunique()
    few = f"; no lines below n = {FEWEST_FOR_BANDS}" if n.min() < FEWEST_FOR_BANDS else ""
    note = f"{caption(n[n >= min(FEWEST_FOR_BANDS, n.max())], 'lines')}{few}"
    what = f"mean reward per round; dashed: greedy\nfaint dots: replicates; {note}"
    fig.supxlabel(what, size=9)
    return fig
