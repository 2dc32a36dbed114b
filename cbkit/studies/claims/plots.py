"""The comparisons behind a claim: differences, their intervals, and where the claim has them."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from cbkit.experiments.stats import INTERVAL
from cbkit.plots.dots import dots
from cbkit.plots.style import GREY

COLOURS = {"supported": "#0072B2", "open": "#9E9E9E", "contradicted": "#D55E00"}
_CLAIMED = "#E3EFF7"
_ROOM = 0.08  # of the width, beyond the longest interval


def effects(comparisons: pd.DataFrame) -> Figure:
    """Draw each comparison on real or simulated data, in percent of its reference.

    Those on planted data do not count for the verdict and are in the table alone.

    Parameters
    ----------
    comparisons : DataFrame
        From `cbkit.studies.claims.verdicts.judge`, of one claim, at least one row.

    Returns
    -------
    Figure
    """
    comparisons = comparisons[~comparisons["planted"].astype(bool)]
    if comparisons.empty:
        raise ValueError("there is nothing to draw: the claim has no comparison on real data")
    numbers = list(comparisons["claim"].unique())
    if len(numbers) > 1:
        raise ValueError(f"a figure shows one claim, got {numbers}; select one of them")
    scale = 100 / comparisons["reference"].abs()
    percent = ["difference", "low", "high", "margin"]
    table = comparisons.assign(**{name: comparisons[name] * scale for name in percent})
    setting = table["setting"].map({"tuned prior": ", tuned prior"}).fillna("")
    table["row"] = table["comparison"] + setting
    places = list(table["dataset"].unique())
    sizes = [len(table[table["dataset"] == place]) for place in places]
    fig, axes = plt.subplots(
        len(places),
        figsize=(10.5, 1.2 + 0.5 * len(places) + 0.19 * sum(sizes)),
        height_ratios=[size + 0.5 for size in sizes],
        squeeze=False,
    )
    for place, ax in zip(places, axes[:, 0], strict=True):
        rows = table[table["dataset"] == place].reset_index(drop=True)
        look = {"row": "row", "hue": "outcome", "colours": COLOURS, "apart": False}
        dots(rows, ax, mean="difference", **look)
        ends = rows[["low", "high", "difference"]]
        left, right = min(ends.min().min(), -1.0), max(ends.max().max(), 1.0)
        room = _ROOM * (right - left)
        left, right = left - room, right + room
        for height, row in rows.iterrows():
            claimed = {
                "above": (row["margin"], right),
                "below": (left, -row["margin"]),
                "near": (-row["margin"], row["margin"]),
            }
            start, end = claimed[row["claimed"]]
            ax.barh(height, end - start, left=start, height=0.86, color=_CLAIMED, lw=0, zorder=0)
        ax.axvline(0, color=GREY, linestyle="--", lw=1, zorder=1)
        ax.set_xlim(left, right)
        ax.tick_params(axis="y", labelsize=8)
        n = sorted({rows["n"].min(), rows["n"].max()})
        ax.set_title(f"{place}, n = {' to '.join(map(str, n))}", size=9)
    handles = [Line2D([], [], color=colour, marker="o") for colour in COLOURS.values()]
    names = [*COLOURS, "where the claim has it"]
    fig.legend(
        [*handles, Patch(color=_CLAIMED)], names, loc="outside upper right", ncols=len(names)
    )
    fig.supxlabel(
        "difference, in percent of what is subtracted; each panel has its own scale\n"
        f"lines: {INTERVAL.replace('over', 'of the paired differences over')}",
        size=9,
    )
    return fig
