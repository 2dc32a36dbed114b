"""The figure of relative gains."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from cbkit.plots.dots import difference_caption, dots
from cbkit.plots.style import DARK_GREY
from cbkit.studies.frontier.contenders import CHANGES, REFERENCE
from cbkit.studies.frontier.gains import gains


def gain_panels(finals: pd.DataFrame) -> Figure:
    """Draw gains of the changes over the reference, a panel per change, a row per data set.

    Parameters
    ----------
    finals : DataFrame
        As `cbkit.studies.frontier.contenders.play` returns it.
    """
    table = gains(finals, REFERENCE)
    table[["gain", "low", "high"]] *= 100
    order = list(dict.fromkeys(table["dataset"]))
    n_columns = len(CHANGES) // 2
    fig, axes = plt.subplots(
        2,
        n_columns,
        figsize=(1.6 + 2.6 * n_columns, 1.9 + 0.52 * len(order)),
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for change, ax in zip(CHANGES, axes.flat, strict=True):
        shown = table[table["policy"] == change]
        dots(shown, ax, mean="gain", row="dataset", hue="policy", order=order)
        ax.axvline(0, color=DARK_GREY, lw=1, ls="--", zorder=1)
        ax.set_title(change, size=10)
    lines, _ = difference_caption(table[table["policy"].isin(CHANGES)]["n"]).splitlines()
    fig.supxlabel(f"gain in mean reward over {REFERENCE}, percent\n{lines}", size=9)
    return fig
