"""Curves over the rounds: lines with interval bands, in one panel or in one per family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cbkit._base.intervals import INTERVAL, mean_interval
from cbkit.plots.end_labels import add_end_labels
from cbkit.plots.style import (
    FAMILIES,
    LIGHT_GREY,
    figure_title,
    line_style,
    looks,
    use_style,
)

__all__ = [
    "banded_lines",
    "caption",
    "curve_panels",
    "family_panels",
    "learning_curves",
    "policy_panels",
    "t_bounds",
    "use_style",
]

IN_HINDSIGHT = "BestArmInHindsight"
MOST_LINES = 6  # more than these in one panel cannot be followed
FEWEST_FOR_BANDS = 4  # replicates; below, an interval says less than the dots
AXES = {
    "mean_reward": "mean reward per round so far",
    "explored_share": "share of rounds explored so far",
    "arms_tried": "share of arms played at least once",
}


def n_range(n: pd.Series) -> str:
    """Return how many replicates there are, from their least to their greatest number.

    Examples
    --------
    >>> n_range(pd.Series([10, 4])), n_range(pd.Series([3, 3]))
    ('n = 4 to 10', 'n = 3')
    """
    low, high = int(n.min()), int(n.max())
    return f"n = {low}" + (f" to {high}" if high > low else "")


def caption(n: pd.Series, what: str = "bands") -> str:
    """Return what is drawn around the means, and over how many replicates.

    Examples
    --------
    >>> caption(pd.Series([10, 10]))
    'bands: 95% t interval over replicates, n = 10'
    >>> caption(pd.Series([3, 3]))
    'dots: replicates, n = 3'
    >>> caption(pd.Series([10, 2]))
    'bands: 95% t interval over replicates, n = 2 to 10; dots: replicates, where n is below 4'
    >>> caption(pd.Series([1, 1]))
    'n = 1 replicate, hence no interval'
    """
    low, high = int(n.min()), int(n.max())
    if high == 1:
        return "n = 1 replicate, hence no interval"
    count = n_range(n)
    if low >= FEWEST_FOR_BANDS:
        return f"{what}: {INTERVAL}, {count}"
    if high < FEWEST_FOR_BANDS or what != "bands":
        return f"dots: replicates, {count}"
    few = f"dots: replicates, where n is below {FEWEST_FOR_BANDS}"
    return f"{what}: {INTERVAL}, {count}; {few}"


def t_bounds(values: pd.Series) -> tuple[float, float]:
    """Return the bounds of the 95% t interval of a mean: an ``errorbar`` for seaborn.

    Examples
    --------
    >>> low, high = t_bounds(pd.Series([0.1, 0.2, 0.3]))
    >>> round(low, 3), round(high, 3)
    (-0.048, 0.448)
    """
    return mean_interval(values)[1:3]


def _bounds_of_many(values: pd.Series) -> tuple[float, float]:
    """Return the bounds of the interval, or none of few values, which are drawn as dots."""
    return t_bounds(values) if len(values) >= FEWEST_FOR_BANDS else (np.nan, np.nan)


def _one_panel(table: pd.DataFrame, needed: set[str]) -> None:
    """Refuse a table that does not belong in one panel."""
    missing = sorted(needed - set(table.columns))
    if missing:
        raise ValueError(f"the table needs the columns {missing}; it has {list(table.columns)}")
    for column in ("dataset", "variant"):
        found = list(table[column].unique()) if column in table.columns else []
        if len(found) > 1:
            raise ValueError(
                f"one panel shows one {column}, got {found}; "
                f"select one: table[table[{column!r}] == {found[0]!r}]"
            )
    if table.empty:
        raise ValueError("there is nothing to draw: the table has no rows")


def learning_curves(
    curves: pd.DataFrame,
    ax: Axes | None = None,
    *,
    value: str = "mean_reward",
    highlight: Sequence[str] | None = None,
    title: str = "",
) -> Axes:
    """Draw one line per policy with its 95% band, labelled at the right end.

    Parameters
    ----------
    curves : DataFrame
        One row per policy, seed and round: ``policy``, ``seed``, ``round`` and `value`; one data
        set and one variant.
    ax : Axes, optional
        Made if missing.
    value : str, default="mean_reward"
        What is drawn.
    highlight : sequence of str, optional
        Policies in colour, the others in grey behind; all by default.
    title : str, optional

    Returns
    -------
    Axes
    """
    _one_panel(curves, {"policy", "seed", "round", value})
    ax = plt.subplots(layout="constrained")[1] if ax is None else ax  # room for the labels
    last = int(curves["round"].max())
    policies = list(curves["policy"].unique())
    shown = [name for name in policies if highlight is None or name in highlight]
    styles = looks(policies)
    n = curves.groupby("policy")["seed"].nunique()
    level = curves["policy"] == IN_HINDSIGHT
    behind = curves[~curves["policy"].isin(shown) & ~level]
    plain = {"x": "round", "y": value, "legend": False, "ax": ax}
    if len(behind):
        grey = {"units": "policy", "estimator": None, "color": LIGHT_GREY, "linewidth": 1}
        means = behind.groupby(["policy", "round"], as_index=False)[value].mean()
        sns.lineplot(means, **plain, **grey, zorder=1)
    front = curves[curves["policy"].isin(shown) & ~level]
    if len(front):
        few = n[front["policy"].unique()] < FEWEST_FOR_BANDS
        sns.lineplot(
            front,
            **plain,
            hue="policy",
            style="policy",
            palette={name: look["color"] for name, look in styles.items()},
            dashes={name: look["dashes"] for name, look in styles.items()},
            errorbar=None if few.all() else _bounds_of_many,
            err_kws={"alpha": 0.13, "linewidth": 0},
        )
        if few.any():
            ends = front[(front["round"] == last) & front["policy"].isin(few.index[few])]
            sns.scatterplot(
                ends, **plain, hue="policy", palette=[styles[p]["color"] for p in
                ends["policy"].unique()], s=14, clip_on=False, zorder=3,
            )  # fmt: skip
    if IN_HINDSIGHT in policies:  # a constant: the level that it reaches, not its way there
        height = curves.loc[level & (curves["round"] == last), value].mean()
        ax.axhline(height, **line_style(styles[IN_HINDSIGHT]), zorder=1)
    at_end = curves[curves["round"] == last].groupby("policy")[value].mean()
    lines = [line_style(styles[name]) for name in shown]
    ax.set(
        xlim=(0, last), ylim=(0, _top(curves, value)), title=title, ylabel=AXES.get(value, value)
    )
    ax.set_xlabel(f"round\n{caption(n[shown])}")
    return add_end_labels(ax, last, list(at_end[shown]), shown, lines)


def _top(curves: pd.DataFrame, value: str) -> float:
    """Return the top of an axis: room above the lines, whatever the bands of a noisy start do."""
    if value != "mean_reward":
        return 1.0
    settled = curves[curves["round"] > curves["round"].max() / 10]
    return min(1.0, 1.3 * settled.groupby(["policy", "round"])[value].mean().max()) or 1.0


def curve_panels(
    curves: pd.DataFrame, by: str = "variant", *, value: str = "mean_reward", title: str = ""
) -> Figure:
    """Draw a panel per value of a column side by side, on one scale.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`, and the column `by`; one data set.
    by : str, default="variant"
        What a panel shows.
    value, title : str
        As for `learning_curves`; the title is the figure's.

    Returns
    -------
    Figure
    """
    names = list(curves[by].unique())
    size = (6.2 * len(names), 4.4)
    fig, axes = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    tops = []
    for name, ax in zip(names, axes[0], strict=True):
        learning_curves(curves[curves[by] == name], ax, value=value, title=name).label_outer()
        tops.append(ax.get_ylim()[1])
    axes[0, 0].set_ylim(0, max(tops))
    figure_title(fig, title)
    return fig


def family_panels(
    curves: pd.DataFrame,
    *,
    value: str = "mean_reward",
    families: Mapping[str, Sequence[str]] = FAMILIES,
    title: str = "",
) -> Figure:
    """Draw a small panel per family, the other policies in grey behind, on one scale.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`; one data set, one variant.
    value : str, default="mean_reward"
    families : mapping of str to sequence of str
        Title and policies of each panel; policies of no family get one of their own.
    title : str, optional
        The figure's.

    Returns
    -------
    Figure
    """
    policies = list(curves["policy"].unique())
    groups = {name: [p for p in policies if p in family] for name, family in families.items()}
    rest = [p for p in policies if not any(p in group for group in groups.values())]
    for start in range(0, len(rest), MOST_LINES):
        groups[f"others {start // MOST_LINES + 1}"] = rest[start : start + MOST_LINES]
    groups = {name: group for name, group in groups.items() if group}
    fig, axes = _grid(len(groups))
    for (name, group), ax in zip(groups.items(), axes, strict=True):
        learning_curves(curves, ax, value=value, highlight=group, title=name)
        ax.set(xlabel="", ylabel="")
        ax.locator_params(axis="x", nbins=5)  # room for five digits
    n = curves.groupby("policy")["seed"].nunique()
    fig.supxlabel(f"round; grey: the other policies; {caption(n)}", size=10)
    fig.supylabel(AXES.get(value, value), size=10)
    figure_title(fig, title)
    return fig


def policy_panels(curves: pd.DataFrame, *, value: str = "mean_reward", title: str = "") -> Figure:
    """Draw a small panel per policy with a line per variant, on one scale.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`, and ``variant``; one data set.
    value, title : str
        As for `family_panels`.

    Returns
    -------
    Figure
    """
    swapped = curves.rename(columns={"policy": "variant", "variant": "policy"})
    policies = list(curves["policy"].unique())
    fig, axes = _grid(len(policies))
    tops = []
    for name, ax in zip(policies, axes, strict=True):
        learning_curves(swapped[swapped["variant"] == name], ax, value=value, title=name)
        ax.set(xlabel="", ylabel="")
        tops.append(ax.get_ylim()[1])
    axes[0].set_ylim(0, max(tops))
    n = curves.groupby(["policy", "variant"])["seed"].nunique()
    fig.supxlabel(f"round; {caption(n)}", size=10)
    fig.supylabel(AXES.get(value, value), size=10)
    figure_title(fig, title)
    return fig


def _grid(n_panels: int) -> tuple[Figure, list[Axes]]:
    """Make panels in rows of three that share their scales."""
    columns = min(3, n_panels)
    rows = -(-n_panels // columns)
    size = (4.9 * columns, 1.0 + 2.3 * rows)
    fig, axes = plt.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax in axes.flat[n_panels:]:
        ax.set_visible(False)
    for ax in axes.flat[n_panels - columns : n_panels]:
        ax.tick_params(labelbottom=True)  # the lowest of each column
    return fig, list(axes.flat[:n_panels])


def banded_lines(
    table: pd.DataFrame,
    ax: Axes,
    *,
    x: str,
    columns: tuple[str, str, str],
    hue: str,
    styles: Mapping[str, dict[str, Any]],
    **line: Any,
) -> Axes:
    """Draw lines with bands whose bounds a table already has.

    Parameters
    ----------
    table : DataFrame
    ax : Axes
    x : str
        Column of the horizontal axis.
    columns : tuple of str
        Columns of the line and of the lower and upper end of its band.
    hue : str
        Column that tells lines apart.
    styles : mapping of str to dict
        Look of each value of `hue`, as from `looks`.
    **line
        Further keywords of the lines.

    Returns
    -------
    Axes
    """
    # seaborn aggregates: of a value and its bounds the median is the value, the range the band
    long = table.melt([x, hue], list(columns), value_name="value")
    names = [name for name in styles if name in set(table[hue])]
    return sns.lineplot(
        long,
        x=x,
        y="value",
        hue=hue,
        style=hue,
        hue_order=names,
        palette={name: styles[name]["color"] for name in names},
        dashes={name: styles[name]["dashes"] for name in names},
        estimator="median",
        errorbar=("pi", 100),
        err_kws={"alpha": 0.1, "linewidth": 0},
        legend=False,
        ax=ax,
        **line,
    )
