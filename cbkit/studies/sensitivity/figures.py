"""Figures of the sensitivity to constants, of one data set or of the mean over several."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cbkit.experiments.stats import INTERVAL
from cbkit.plots.dots import MARKERS
from cbkit.plots.style import GREY, LIGHT_GREY, figure_title, looks
from cbkit.studies.evaluation.figures import title_of
from cbkit.studies.sensitivity.grid import CONSTANTS, PRIOR
from cbkit.studies.sensitivity.shares import change_table, variance_shares

_COLUMNS = 4  # panels in a row
_APART = 0.11  # between the policies' marks at a value
_NAMES = {constant.name: constant for constant in CONSTANTS}


def _title(runs: pd.DataFrame, what: str) -> str:
    names = list(runs["dataset"].unique())
    where = title_of(names[0]) if len(names) == 1 else f"mean over {', '.join(names)}"
    return f"{what}: {where}"


def value_panels(runs: pd.DataFrame) -> Figure:
    """Draw how reward changes with each value of each constant, a panel per constant.

    Parameters
    ----------
    runs : DataFrame
        From `cbkit.studies.sensitivity.runs.runs_of`; several data sets are averaged.

    Returns
    -------
    Figure
    """
    table = change_table(runs, by_set=False)
    names = [name for name in _NAMES if name in set(table["constant"])]
    n_rows = -(-len(names) // _COLUMNS)
    fig, axes = plt.subplots(n_rows, _COLUMNS, figsize=(11, 1.2 + 2.2 * n_rows), squeeze=False)
    styles = looks(table["policy"].unique())
    for name, ax in zip(names, axes.flat, strict=False):
        _panel(table[table["constant"] == name], ax, styles)
        ax.set_title(name)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    handles = [
        plt.Line2D([], [], color=look["color"], marker=marker, ms=5, label=policy)
        for (policy, look), marker in zip(styles.items(), MARKERS, strict=False)
    ]
    fig.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    fig.supylabel("change of the mean reward against the centre, %", size=10)
    n = table["n"]
    count = f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
    fig.supxlabel(
        f"dashed: the centre; grey: its value of the constant; lines: {INTERVAL}, n = {count}\n"
        "each panel has a scale of its own",
        size=10,
    )
    figure_title(fig, _title(runs, "One constant at a time"), below_legend=True)
    return fig


def _panel(table: pd.DataFrame, ax: Axes, styles: dict[str, dict[str, str]]) -> None:
    """Draw a mark with its interval per policy and value of a constant."""
    values = _NAMES[table["constant"].iloc[0]].values
    places = {value: at for at, value in enumerate(v for v in values if v in set(table["value"]))}
    policies = list(table["policy"].unique())
    for (policy, look), marker in zip(styles.items(), MARKERS, strict=False):
        own = table[table["policy"] == policy].sort_values("value", key=lambda v: v.map(places))
        if own.empty:
            continue
        shift = _APART * (policies.index(policy) - (len(policies) - 1) / 2)
        ax.errorbar(
            own["value"].map(places) + shift,
            own["mean"],
            yerr=[own["mean"] - own["low"], own["high"] - own["mean"]],
            color=look["color"],
            marker=marker,
            markersize=4.5,
            linewidth=0.9,
            elinewidth=1.3,
        )
    ax.axhline(0, color=GREY, linestyle=(0, (4, 1.6)), linewidth=1, zorder=1)
    for value, at in places.items():
        if not values[value]:
            ax.axvline(at, color=LIGHT_GREY, linewidth=9, alpha=0.5, zorder=0)
    ax.set_xticks(range(len(places)), list(places))
    if max(map(len, places)) > 7:
        ax.set_xticks(range(len(places)), list(places), rotation=30, ha="right", size=8)
    ax.grid(visible=False, axis="x")


def share_bars(runs: pd.DataFrame) -> Figure:
    """Draw each constant's share of the variance, the largest first, a panel per policy.

    Parameters
    ----------
    runs : DataFrame
        As for `value_panels`, at least two replicates.

    Returns
    -------
    Figure
    """
    # The picture of a table is always the same, and draws as the table of shares does.
    sets = variance_shares(runs, np.random.default_rng(0))
    table = variance_shares(runs, np.random.default_rng(0), by_set=False)
    several = sets["dataset"].nunique() > 1
    policies = list(table["policy"].unique())
    n_rows = -(-len(policies) // 2)
    size = (10.5, 1.0 + 2.9 * n_rows)
    fig, axes = plt.subplots(n_rows, 2, figsize=size, squeeze=False)
    for policy, ax in zip(policies, axes.flat, strict=False):
        of_sets = sets[sets["policy"] == policy] if several else None
        _bars(table[table["policy"] == policy], of_sets, ax, looks([policy])[policy]["color"])
        ax.set_title(policy)
    for ax in axes.flat[len(policies) :]:
        ax.set_axis_off()
    dots = "; dots: data sets" if several else ""
    fig.supxlabel(
        "share of the variance of mean rewards that all constants but the prior cause, %\n"
        "grey: the prior's share of the variance with it; SD: over the values, in percent of the "
        "reward at the centre\n"
        f"lines: 95% bootstrap interval over replicates, n = {table['n'].min()}{dots}",
        size=10,
    )
    figure_title(fig, _title(runs, "Which constant matters"))
    return fig


def _bars(table: pd.DataFrame, sets: pd.DataFrame | None, ax: Axes, colour: str) -> None:
    """Draw a bar with its interval per constant, and a dot for each data set."""
    table = table.sort_values("share_pct", ascending=False, kind="stable").reset_index(drop=True)
    bounds = np.abs(table[["low", "high"]].T.to_numpy() - table["share_pct"].to_numpy())
    colours = np.where(table["constant"] == PRIOR, LIGHT_GREY, colour)
    ax.barh(table.index, table["share_pct"], color=colours, height=0.62)
    look: dict[str, Any] = {"color": "black", "linestyle": "none"}
    ax.errorbar(table["share_pct"], table.index, xerr=bounds, **look, elinewidth=1)
    if sets is not None:
        places = sets["constant"].map({name: at for at, name in table["constant"].items()})
        ax.plot(sets["share_pct"], places + 0.2, **look, marker=".", markersize=4, clip_on=False)
    sd = table["sd_pct"].map("{:.1f}%".format)
    ax.set_yticks(table.index, table["constant"] + ", SD " + sd)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.grid(visible=False, axis="y")
