"""Figures from tidy tables of runs; every function takes and returns axes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from cbkit.endlabels import add_end_labels
from cbkit.stats import INTERVAL, intervals
from cbkit.style import colour_of, line_styles, linestyle_of, save_figure, use_style

__all__ = [
    "colour_of",
    "exploration_share",
    "learning_curve_panels",
    "learning_curves",
    "linestyle_of",
    "save_figure",
    "use_style",
]

IN_HINDSIGHT = "BestArmInHindsight"


def caption(n: pd.Series) -> str:
    """Say what the bands are and over how many replicates.

    Examples
    --------
    >>> caption(pd.Series([10, 10]))
    'bands: 95% t interval over replicates, n = 10'
    >>> caption(pd.Series([1, 1]))
    'n = 1 replicate, hence no interval'
    """
    low, high = int(n.min()), int(n.max())
    if high == 1:
        return "n = 1 replicate, hence no interval"
    return f"bands: {INTERVAL}, n = {low}" + (f" to {high}" if high > low else "")


def _one_panel(curves: pd.DataFrame, value: str) -> None:
    """Refuse curves that do not belong in one panel."""
    missing = sorted({"policy", "seed", "round", value} - set(curves.columns))
    if missing:
        raise ValueError(f"curves need the columns {missing}; they have {list(curves.columns)}")
    for column in {"dataset", "variant"} & set(curves.columns):
        found = list(curves[column].unique())
        if len(found) > 1:
            raise ValueError(
                f"one panel shows one {column}, got {found}; "
                f"select one: curves[curves[{column!r}] == {found[0]!r}]"
            )
    if curves.empty:
        raise ValueError("there are no curves to draw: the table has no rows")


def _lines(curves: pd.DataFrame, value: str, ax: Axes | None) -> Axes:
    """Draw mean and band of `value` per policy, labelled at the right end."""
    _one_panel(curves, value)
    ax = plt.subplots()[1] if ax is None else ax
    table = intervals(curves, ["policy", "round"], value)
    styles = line_styles(table["policy"].unique())
    last_round = int(table["round"].max())
    ends = []
    for policy, line in table.groupby("policy", sort=False):
        line = line.sort_values("round")
        style = styles[policy]
        if policy == IN_HINDSIGHT:  # a constant: the level it reaches, not its way there
            line = line.iloc[[-1, -1]].assign(round=[0, last_round])
        ax.plot(line["round"], line["mean"], **style, zorder=1 if policy == IN_HINDSIGHT else 2)
        if (line["n"] > 1).any():
            ax.fill_between(
                line["round"], line["low"], line["high"], color=style["color"], alpha=0.15, lw=0
            )
        ends.append(line["mean"].iloc[-1])
    ax.set_xlim(0, last_round)
    ax.set_xlabel(f"round\n{caption(table['n'])}")
    return add_end_labels(ax, last_round, ends, list(styles), list(styles.values()))


def learning_curves(curves: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Cumulative mean reward over rounds, one line per policy with its 95% band.

    Parameters
    ----------
    curves : DataFrame
        One row per policy, seed and round: columns ``policy``, ``seed``, ``round``,
        ``mean_reward``; one dataset and one variant.
    ax : Axes, optional
        Made if missing.
    title : str, optional

    Returns
    -------
    Axes
    """
    ax = _lines(curves, "mean_reward", ax)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("mean reward per round so far")
    ax.set_title(title)
    return ax


def learning_curve_panels(curves: pd.DataFrame, axes: np.ndarray | None = None) -> np.ndarray:
    """The paper's panels side by side: one per variant, such as full refit and mini-batch.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`, with a column ``variant``; one dataset.
    axes : ndarray of Axes, shape (n_variants,), optional
        Made if missing, with one reward axis for all.

    Returns
    -------
    ndarray of Axes, shape (n_variants,)
    """
    variants = list(curves["variant"].unique())
    if axes is None:
        axes = plt.subplots(
            ncols=len(variants), figsize=(6.6 * len(variants), 4.8), sharey=True, squeeze=False
        )[1][0]
    for variant, ax in zip(variants, axes, strict=True):
        learning_curves(curves[curves["variant"] == variant], ax, title=variant).label_outer()
    return axes


def exploration_share(curves: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Share of the rounds so far in which each policy explored, with its 95% band.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`, with a column ``explored_share``.
    ax : Axes, optional
    title : str, optional

    Returns
    -------
    Axes
    """
    ax = _lines(curves[curves["policy"] != IN_HINDSIGHT], "explored_share", ax)
    ax.set_ylim(0, 1)
    ax.set_ylabel("share of rounds explored so far")
    ax.set_title(title)
    return ax
