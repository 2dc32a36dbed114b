"""Comparisons behind the verdicts: differences, their intervals, and where claims have them."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from cbkit.experiments.stats import INTERVAL

COLOURS = {"supported": "#0072B2", "open": "#7F7F7F", "contradicted": "#D55E00"}
_CLAIMED = "#DCEBF5"
_MOST = 150  # percent: farther out, a row is a number in the margin, lest it squeeze the others


def effects(comparisons: pd.DataFrame) -> np.ndarray:
    """Draw each comparison's difference, in percent of its reference, a panel per claim.

    Parameters
    ----------
    comparisons : DataFrame
        From `cbkit.studies.claims.verdicts.judge`, at least one row.

    Returns
    -------
    ndarray of Axes, shape (n_claims,)
    """
    if comparisons.empty:
        raise ValueError("there is nothing to draw: no claim has a comparison")
    numbers = list(comparisons["claim"].unique())
    sizes = [int((comparisons["claim"] == number).sum()) for number in numbers]
    fig, axes = plt.subplots(
        len(numbers),
        figsize=(11, 1.2 + 0.55 * len(numbers) + 0.21 * sum(sizes)),
        height_ratios=[size + 0.6 for size in sizes],
        squeeze=False,
    )
    for number, ax in zip(numbers, axes[:, 0], strict=True):
        rows = comparisons[comparisons["claim"] == number]
        n = " to ".join(map(str, sorted({rows["n"].min(), rows["n"].max()})))
        _panel(rows, ax).set_title(f"claim {number}, n = {n}")
    handles = [Line2D([], [], color=colour, marker="o") for colour in COLOURS.values()]
    handles += [Line2D([], [], color="k", marker="o", mfc="white"), Patch(color=_CLAIMED)]
    names = [*COLOURS, "planted data", "where the claim has it"]
    fig.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    axes[-1, 0].set_xlabel(
        "difference, in percent of what is subtracted\n"
        f"lines: {INTERVAL.replace('over', 'of the paired differences over')}"
    )
    return axes[:, 0]


def _panel(rows: pd.DataFrame, ax: Axes) -> Axes:
    scale = 100 / rows["reference"].abs().to_numpy()
    spans = rows[["low", "high"]].fillna({"low": rows["difference"], "high": rows["difference"]})
    bounds = np.nanmin(spans["low"] * scale), np.nanmax(spans["high"] * scale)
    bounds = max(bounds[0], -_MOST), min(bounds[1], _MOST)
    room = 0.08 * (bounds[1] - bounds[0]) + 1
    left, right = min(bounds[0], -10) - room, max(bounds[1], 10) + room
    for height, (row, factor) in enumerate(zip(rows.to_dict("records"), scale, strict=True)):
        margin = row["margin"] * factor
        claimed = {"above": (margin, right), "below": (left, -margin), "near": (-margin, margin)}
        start, end = claimed[row["claimed"]]
        ax.barh(height, end - start, left=start, height=0.86, color=_CLAIMED, lw=0, zorder=0)
        colour = COLOURS[row["outcome"]]
        ax.plot([row["low"] * factor, row["high"] * factor], [height] * 2, color=colour, lw=2)
        face = "white" if row["planted"] else colour
        percent = row["difference"] * factor
        ax.plot(percent, height, "o", color=colour, mfc=face, ms=5)
        if not left <= percent <= right:
            place = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "size": 8}
            ax.annotate(f"{percent:+.0f}%", (right, height), color=colour, **place)
    ax.axvline(0, color="#7F7F7F", linestyle="--", lw=1, zorder=1)
    ax.set_xlim(left, right)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.grid(False, axis="y")
    ax.set_yticks(range(len(rows)), rows["dataset"] + ": " + rows["comparison"], size=8)
    return ax
