"""A heat map of policies by data sets, coloured by the difference from one policy."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from cbkit.experiments.stats import intervals, keys_of
from cbkit.experiments.tables import by_dataset
from cbkit.plots.curves import caption

MOST = 60  # percent of the reference's reward, from which the colours are strongest


def reward_heatmap(
    finals: pd.DataFrame, *, reference: str = "Greedy", value: str = "mean_reward", title: str = ""
) -> Figure:
    """Draw each policy's final reward per data set, coloured by its lead over one policy.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``policy``, ``dataset``, ``seed``, `value`, and ``variant`` if several.
    reference : str, default="Greedy"
        The policy of the colour scale's middle.
    value : str, default="mean_reward"
    title : str, optional

    Returns
    -------
    Figure
    """
    table = intervals(finals, keys_of(finals), value)
    table["half"] = table["high"] - table["mean"]
    means, halves = by_dataset(table, "mean"), by_dataset(table, "half")
    if reference not in means.index:
        raise ValueError(f"no policy is named {reference!r}; choose from {list(means.index)}")
    lead = 100 * (means / means.loc[reference] - 1)
    order = lead.mean(axis=1).sort_values(ascending=False, kind="stable").index
    text = means.map("{:.3f}".format) + halves.map(" ± {:.3f}".format).where(halves.notna(), "")
    text = text.where(means.notna(), "")
    labels = means.columns.str.replace(", ", "\n")
    width = max(1.35, 0.085 * max(len(line) for label in labels for line in label.split("\n")))
    size = (3.4 + width * means.shape[1], 1.8 + 0.3 * means.shape[0])
    fig, ax = plt.subplots(figsize=size)
    sns.heatmap(
        lead.loc[order],
        ax=ax,
        annot=text.loc[order],
        fmt="",
        annot_kws={"size": 8},
        cmap="RdBu",
        vmin=-MOST,
        vmax=MOST,
        linewidths=0.5,
        cbar_kws={"label": f"reward above that of {reference}, %", "extend": "both"},
    )
    ax.set_xticks(ax.get_xticks(), labels, rotation=0)
    ax.set(xlabel=f"mean reward per round\n{caption(table['n'], '±')}", ylabel="", title=title)
    return fig
