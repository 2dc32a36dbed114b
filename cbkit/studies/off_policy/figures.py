"""Figures of the off-policy study."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

COLOURS = {
    "IPS": "#D55E00",
    "SNIPS": "#E69F00",
    "DirectMethod": "#7F7F7F",
    "DoublyRobust": "#0072B2",
    "SelfNormalizedDR": "#56B4E9",
    "ShrunkDR": "#009E73",
}
_PLACES = {500: 0, 2000: 1, 0: 2}  # of sizes on an axis; 0 is all rows


def plot_errors(cells: pd.DataFrame, target: str) -> Figure:
    """Draw the error of six estimators against the size of the log.

    Parameters
    ----------
    cells : DataFrame
        From `tables.cell_table`.
    target : str
        The policy that is evaluated.

    Returns
    -------
    Figure
        A row per logging policy, a column per data set; root mean squared error relative to the
        truth, cut at 3.
    """
    shown = cells[(cells["target"] == target) & cells["estimator"].isin(list(COLOURS))]
    logs, names = list(shown["log"].unique()), list(shown["dataset"].unique())
    size = 2.2 + 2.3 * len(names), 1.2 + 1.7 * len(logs)
    fig, axes = plt.subplots(len(logs), len(names), figsize=size, sharey=True, squeeze=False)
    for row, log in zip(axes, logs, strict=True):
        for ax, name in zip(row, names, strict=True):
            panel = shown[(shown["log"] == log) & (shown["dataset"] == name)]
            for estimator, of_one in panel.groupby("estimator", sort=False):
                relative = (of_one["rmse"] / of_one["truth"]).set_axis(of_one["size"].map(_PLACES))
                ax.plot(relative.sort_index().clip(upper=3), "o-", ms=3)
                ax.lines[-1].set(color=COLOURS[estimator], label=estimator)
            ax.set_xticks([0, 1, 2], ["500", "2,000", "all"])
            ax.set_xlim(-0.3, 2.3)
            ax.set_yscale("log")
            ax.set_title(f"{name}: {log}", size=9)
        row[0].set_ylabel("RMSE / truth")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=6, frameon=False, fontsize=8)
    fig.supxlabel(f"rounds in the log; target: {target}; 200 logs per point", size=9)
    return fig


def plot_coverage(cells: pd.DataFrame) -> Figure:
    """Draw each cell's coverage of the normal interval against how often diagnostics warn.

    Parameters
    ----------
    cells : DataFrame
        From `tables.cell_table`.

    Returns
    -------
    Figure
        Unbiased and self-normalised estimators at the left, those that trade bias for variance at
        the right.
    """
    biased = cells["estimator"].isin(["ClippedIPS", "DirectMethod", "SwitchDR", "ShrunkDR"])
    fig, axes = plt.subplots(1, 2, figsize=(8.5, 3.8), sharey=True)
    titles = ("unbiased or self-normalised", "limited weights, or none")
    for ax, group, title in zip(axes, (cells[~biased], cells[biased]), titles, strict=True):
        ax.axhspan(0, 0.8, color="#F2E3DC", zorder=0)
        ax.axhline(0.95, color="#7F7F7F", ls="--", lw=1)
        ax.plot(group["flagged"], group["normal_coverage"], "o", ms=3, alpha=0.4, color="#0072B2")
        ax.axvline(0.5, color="#7F7F7F", lw=1)
        ax.set_title(title)
        ax.set_xlabel("share of logs with a warning")
    axes[0].set_ylabel("coverage of the 95% normal interval")
    axes[0].set_ylim(0, 1.02)
    return fig


def plot_learning(table: pd.DataFrame) -> Figure:
    """Draw the value of what was learned from equal rounds, a panel per data set.

    Parameters
    ----------
    table : DataFrame
        Rows of `learning.run_learning` over seeds.

    Returns
    -------
    Figure
        A dot per seed and a line at their mean; dashed is the best fixed arm.
    """
    names = list(table["dataset"].unique())
    fig, axes = plt.subplots(1, len(names), figsize=(2.6 + 2.1 * len(names), 3.4), sharey=True)
    for ax, name in zip(np.atleast_1d(axes), names, strict=True):
        of_set = table[table["dataset"] == name]
        ways = of_set.groupby(["log", "learned"], sort=False)["value"]
        labels = [
            f"{learned}, {log} log".removesuffix(", none log") for log, learned in ways.groups
        ]
        for height, (_, values) in zip(range(len(labels))[::-1], ways, strict=True):
            ax.plot(values, [height] * len(values), "o", color="#0072B2", ms=3, alpha=0.5)
            ax.plot(values.mean(), height, "|", color="#0072B2", ms=14, mew=2)
        ax.axvline(of_set["best_fixed_arm"].mean(), color="#7F7F7F", ls="--", lw=1)
        ax.set_yticks(range(len(labels))[::-1], labels)
        ax.set_xlim(0, None)
        n = of_set["seed"].nunique()
        ax.set_title(f"{name}\n{of_set['n_rounds'].iloc[0]:,} rounds, n = {n}", size=9)
    fig.supxlabel("mean reward per round on held-out rows, without exploring", size=9)
    return fig
