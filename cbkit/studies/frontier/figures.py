"""Figures of relative gains."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from cbkit.plots.dots import dots
from cbkit.plots.style import GREY
from cbkit.studies.frontier.contenders import BEST_ARM, REFERENCE


def gain_panels(table: pd.DataFrame) -> Figure:
    """Draw gains over the reference with their intervals, a panel per policy, a row per data set.

    Parameters
    ----------
    table : DataFrame
        What `cbkit.studies.frontier.gains.gains` returns.
    """
    policies = [
        name for name in dict.fromkeys(table["policy"]) if name not in (REFERENCE, BEST_ARM)
    ]
    order = list(dict.fromkeys(table["dataset"]))
    fig, axes = plt.subplots(
        1,
        len(policies),
        figsize=(1.6 + 2.3 * len(policies), 1.4 + 0.25 * len(order)),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for policy, ax in zip(policies, axes[0], strict=True):
        shown = table[table["policy"] == policy]
        percent = shown.assign(**{name: 100 * shown[name] for name in ("gain", "low", "high")})
        dots(percent, ax, mean="gain", row="dataset", order=order)
        ax.axvline(0, color=GREY, lw=1, ls="--", zorder=0)
        ax.set_title(policy, size=10)
    seeds = f"{table['n'].min()} to {table['n'].max()} replicates"
    fig.supxlabel(f"gain over {REFERENCE}, percent: 95% t intervals over {seeds}", size=9)
    return fig
