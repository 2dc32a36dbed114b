"""Dots with intervals, one row per policy: facts side by side, or differences from a reference."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from cbkit.experiments.stats import CONFIDENCE, intervals
from cbkit.plots.curves import caption, paired_caption
from cbkit.plots.style import colour_of

_MARKERS = ("o", "s", "^", "D")
_NEUTRAL = "#4D4D4D"


def interval_dots(finals: pd.DataFrame, values: dict[str, str]) -> np.ndarray:
    """Draw the mean and 95% interval of some columns, a panel each; axes start at 0.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``policy``, ``variant``, ``seed`` and the columns of `values`; one dataset.
        Variants differ by their marker.
    values : dict of str to str
        Column and label of each panel.

    Returns
    -------
    ndarray of Axes, shape (n_values,)

    Examples
    --------
    >>> finals = pd.DataFrame({"policy": "Greedy", "variant": "default", "seed": [0, 1]})
    >>> axes = interval_dots(finals.assign(mean_reward=[0.1, 0.2]), {"mean_reward": "reward"})
    >>> axes.shape
    (1,)
    >>> plt.close(axes[0].figure)
    """
    policies = list(finals["policy"].unique())
    variants = list(finals["variant"].unique())
    size = 2.6 + 2.5 * len(values), 1.7 + (0.2 + 0.16 * len(variants)) * len(policies)
    fig, axes = plt.subplots(
        1, len(values), figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    heights = dict(zip(policies, np.arange(len(policies))[::-1], strict=True))
    offsets = 0.28 * (np.arange(len(variants))[::-1] - (len(variants) - 1) / 2)
    for (column, label), ax in zip(values.items(), axes[0], strict=True):
        table = intervals(finals, ["variant", "policy"], column)
        for _, row in table.iterrows():
            position = variants.index(row["variant"])
            height, colour = heights[row["policy"]] + offsets[position], colour_of(row["policy"])
            ax.plot([row["low"], row["high"]], [height, height], color=colour, lw=1.5)
            face = colour if position == 0 else "white"
            marker = _MARKERS[position % len(_MARKERS)]
            dot = {"color": colour, "mfc": face, "markersize": 5, "clip_on": False, "zorder": 3}
            ax.plot(row["mean"], height, marker, **dot)
        top = 1.08 * table[["mean", "high"]].max(axis=None)
        if table["mean"].max() <= 1 < top:
            top = 1.02  # no share is larger, whatever its interval
        ax.set_xlim(0, top if top > 0 else 1.0)
        ax.set_xlabel(label)
    fig.get_layout_engine().set(w_pad=0.14)
    axes[0, 0].set_yticks(list(heights.values()), policies)
    fig.supxlabel(caption(table["n"], "lines"), size=10)
    if len(variants) > 1:
        marks = [
            Line2D([], [], color=_NEUTRAL, marker=marker, ls="", mfc=_NEUTRAL if first else "white")
            for marker, first in zip(_MARKERS[: len(variants)], [True, *[False] * 3], strict=False)
        ]
        fig.legend(marks, variants, loc="outside upper right", ncols=len(variants), frameon=False)
    return axes[0]


def difference_dots(table: pd.DataFrame) -> np.ndarray:
    """Draw paired differences from a reference, a panel per variant, with 95% intervals.

    Parameters
    ----------
    table : DataFrame
        From `cbkit.experiments.stats.paired_differences`, with a column ``variant``; one dataset.

    Returns
    -------
    ndarray of Axes, shape (n_variants,)
    """
    policies, variants = list(table["policy"].unique()), list(table["variant"].unique())
    size = 2.6 + 3.2 * len(variants), 1.8 + 0.28 * len(policies)
    fig, axes = plt.subplots(
        1,
        len(variants),
        figsize=size,
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    heights = dict(zip(policies, np.arange(len(policies))[::-1], strict=True))
    for variant, ax in zip(variants, axes[0], strict=True):
        for _, row in table[table["variant"] == variant].iterrows():
            height, colour = heights[row["policy"]], colour_of(row["policy"])
            ax.plot([row["low"], row["high"]], [height, height], color=colour, lw=1.8)
            face = colour if row["p_holm"] < 1 - CONFIDENCE else "white"
            ax.plot(row["difference"], height, "o", color=colour, mfc=face, zorder=3)
        ax.axvline(0, color="#7F7F7F", linestyle="--", lw=1, zorder=1)
        ax.set_title(variant)
        ax.locator_params(axis="x", nbins=5)
    fig.get_layout_engine().set(w_pad=0.14)
    axes[0, 0].set_yticks(list(heights.values()), policies)
    what = paired_caption(table["n"])
    fig.supxlabel(
        f"mean reward per round, difference from {table['reference'].iloc[0]}\n{what}\n"
        "filled: differs at 5% after Holm's correction",
        size=10,
    )
    return axes[0]
