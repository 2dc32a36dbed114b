"""Dots with intervals, one row per policy or comparison: one drawing of them for all studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cbkit._base.intervals import CONFIDENCE, INTERVAL, intervals
from cbkit.plots.curves import FEWEST_FOR_BANDS, caption, n_range
from cbkit.plots.style import GREY, PALETTE, figure_title, looks

MARKERS = ("o", "s", "^", "D", "v", "P")
CLEAR, UNCLEAR = "#0072B2", "#9E9E9E"
FEW = 8  # replicates, below which every one of them is drawn
ROW, EXTRA = 0.24, 0.11  # inches per row, and per further mark in it


def dots(
    table: pd.DataFrame,
    ax: Axes,
    *,
    mean: str = "mean",
    low: str = "low",
    high: str = "high",
    row: str = "policy",
    hue: str | None = None,
    order: Sequence[str] | None = None,
    colours: Mapping[str, str] | None = None,
    apart: bool = True,
    replicates: pd.DataFrame | None = None,
) -> Axes:
    """Draw a dot with its interval per row of a table.

    Parameters
    ----------
    table : DataFrame
        Columns `mean`, `low` and `high` (missing bounds draw no interval), `row` and `hue`.
    ax : Axes
    mean, low, high : str
        Columns of the value and its bounds.
    row : str, default="policy"
        Column whose values are the rows, from the top.
    hue : str, optional
        Column whose values share a row, told apart by colour and marker; all rows have colours of
        their own otherwise.
    order : sequence of str, optional
        Values of `row`; in order of appearance by default.
    colours : mapping of str to str, optional
        Colour of each value of `hue`, or of `row` where there is no hue.
    apart : bool, default=True
        Give each value of `hue` a height and a marker of its own in its row; False where a row has
        one of them and the colour only says which.
    replicates : DataFrame, optional
        Columns `mean`, `row` and `hue` of what the intervals are of, drawn as faint dots.

    Returns
    -------
    Axes
    """
    order = list(dict.fromkeys(table[row])) if order is None else list(order)
    by = row if hue is None else hue
    levels = order if hue is None else list(dict.fromkeys(table[hue]))
    if colours is None and hue is None:
        colours = {name: look["color"] for name, look in looks(levels).items()}
    colours = dict(zip(levels, PALETTE * 3, strict=False)) if colours is None else colours
    several = apart and hue is not None and len(levels) > 1
    spread = min(0.55, 0.16 * len(levels)) if several else False
    shared: dict[str, Any] = {"y": row, "order": order, "hue": by, "hue_order": levels, "ax": ax}
    shared |= {"palette": {level: colours[level] for level in levels}, "legend": False}
    if replicates is not None:
        dodge = bool(several)
        faint = {"size": 3, "alpha": 0.45, "jitter": False, "zorder": 1}
        sns.stripplot(replicates, x=mean, **shared, **faint, dodge=dodge)
    # seaborn aggregates: of a value and its bounds the median is the value, the range the interval
    long = table.melt([*dict.fromkeys([row, by])], [mean, low, high], value_name=mean + " ")
    sns.pointplot(
        long,
        x=mean + " ",
        **shared,
        estimator="median",
        errorbar=("pi", 100),
        linestyle="none",
        dodge=spread,
        markers=list(MARKERS[: len(levels)]) if several else "o",
        markersize=5,
        err_kws={"linewidth": 1.5},
        zorder=2,
    )
    for drawn in (*ax.lines, *ax.collections):
        drawn.set_clip_on(False)  # a mark at an axis is drawn whole
    ax.set(xlabel="", ylabel="")
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(False, axis="y")
    ax.locator_params(axis="x", nbins=5)
    return ax


def marker_legend(ax: Axes, levels: Sequence[str], colours: Sequence[str] = PALETTE) -> None:
    """Draw a legend of colours and markers above the panels of a figure."""
    pairs = zip(MARKERS, colours, strict=False)
    handles = [Line2D([], [], color=c, marker=m, ls="", ms=5) for m, c in pairs]
    ncols = min(len(levels), 5)
    ax.figure.legend(handles[: len(levels)], levels, loc="outside upper right", ncols=ncols)


def interval_dots(
    finals: pd.DataFrame,
    values: Mapping[str, str],
    *,
    row: str = "policy",
    hue: str = "variant",
    sort: bool = False,
    title: str = "",
) -> Figure:
    """Draw the mean and 95% interval of some columns, a panel each.

    Parameters
    ----------
    finals : DataFrame
        One row per run: `row`, `hue`, ``seed`` and the columns of `values`; one data set.
    values : mapping of str to str
        Column and label of each panel.
    row, hue : str
        Columns that make the rows, and the marks within a row.
    sort : bool, default=False
        Best rows first, by the mean of their marks in the first column; in order of appearance
        otherwise.
    title : str, optional

    Returns
    -------
    Figure

    Examples
    --------
    >>> finals = pd.DataFrame({"policy": "Greedy", "variant": "default", "seed": [0, 1]})
    >>> fig = interval_dots(finals.assign(mean_reward=[0.1, 0.2]), {"mean_reward": "reward"})
    >>> len(fig.axes)
    1
    >>> plt.close(fig)
    """
    levels = list(finals[hue].unique())
    order = list(finals[row].unique())
    if sort:
        means = finals.groupby([row, hue])[next(iter(values))].mean().groupby(row).mean()
        order = list(means.sort_values().index[::-1])
    height = 1.4 + (ROW + EXTRA * (len(levels) - 1)) * len(order)
    width = 2.4 + max(4.5, 2.7 * len(values))  # a legend of four needs as much
    fig, axes = plt.subplots(1, len(values), figsize=(width, height), sharey=True, squeeze=False)
    split = hue if len(levels) > 1 else None
    note = ""
    for (column, label), ax in zip(values.items(), axes[0], strict=True):
        table = intervals(finals, [*([hue] if split else []), row], column)
        few = table["n"].min() < FEWEST_FOR_BANDS
        bounds = table.assign(low=np.nan, high=np.nan) if few else table
        bounds = bounds.rename(columns={"mean": column})
        runs = finals if table["n"].min() < FEW or _lopsided(finals, row, hue, column) else None
        dots(bounds, ax, mean=column, row=row, hue=split, order=order, replicates=runs)
        note = "; faint dots: replicates" if runs is not None and not few else note
        top = 1.05 * finals[column].max() if runs is not None else 0.0
        top = max(top, 1.05 * table[["mean", "high"]].max(axis=None) if not few else top)
        ax.set_xlim(min(0.0, 1.05 * bounds["low"].min()) if not few else 0.0, top or 1.0)
        ax.set_xlabel(label)
    fig.supxlabel(caption(table["n"], "lines") + note, size=10)
    figure_title(fig, title, below_legend=bool(split))
    if split:
        marker_legend(axes[0, 0], levels)
    return fig


def _lopsided(finals: pd.DataFrame, row: str, hue: str, column: str) -> bool:
    """Return whether some interval would leave the range that its replicates can have."""
    table = intervals(finals, [hue, row], column)
    return bool((table["low"] < 0).any())


def difference_dots(table: pd.DataFrame, *, by: str = "variant", title: str = "") -> Figure:
    """Draw paired differences from a reference, a panel per value of a column, each on its scale.

    Parameters
    ----------
    table : DataFrame
        From `cbkit.experiments.stats.paired_differences`; one data set.
    by : str, default="variant"
        What a panel shows.
    title : str, optional

    Returns
    -------
    Figure
    """
    names = list(table[by].unique())
    order = list(table["policy"].unique())
    size = (2.4 + 3.0 * len(names), 1.9 + ROW * len(order))
    fig, axes = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    for name, ax in zip(names, axes[0], strict=True):
        difference_panel(table[table[by] == name], ax, order=order).set_title(name)
    reference = table["reference"].iloc[0]
    fig.supxlabel(
        f"mean reward per round, difference from {reference}\n{difference_caption(table['n'])}",
        size=10,
    )
    figure_title(fig, title)
    return fig


def difference_panel(
    table: pd.DataFrame, ax: Axes, *, row: str = "policy", order: Sequence[str] | None = None
) -> Axes:
    """Draw differences around 0, blue where they are clear after Holm's correction.

    Parameters
    ----------
    table : DataFrame
        ``difference``, ``low``, ``high``, ``p_holm`` and the column `row`.
    ax : Axes
    row, order
        As for `dots`.

    Returns
    -------
    Axes
    """
    clear = np.where(table["p_holm"] < 1 - CONFIDENCE, "clear", "open")
    colours = {"clear": CLEAR, "open": UNCLEAR}
    shown = table.assign(clear=clear)
    look: dict[str, Any] = {"row": row, "hue": "clear", "order": order, "colours": colours}
    dots(shown, ax, mean="difference", apart=False, **look)
    ax.axvline(0, color=GREY, linestyle=(0, (4, 1.6)), lw=1, zorder=1)
    return ax


def difference_caption(n: pd.Series) -> str:
    """Return what the lines and colours of paired differences are.

    Examples
    --------
    >>> difference_caption(pd.Series([10, 4])).splitlines()[0]
    'lines: 95% t interval of the paired differences, n = 4 to 10'
    """
    interval = INTERVAL.replace("over replicates", "of the paired differences")
    return f"lines: {interval}, {n_range(n)}\nblue: differs at 5% after Holm's correction"
