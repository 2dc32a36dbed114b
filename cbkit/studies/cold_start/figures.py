"""Figures of the appendix on cold starts, many arms and exclusive rewards, one data set each."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from cbkit.experiments.stats import intervals
from cbkit.plots.curves import FEWEST_FOR_BANDS, caption, t_bounds
from cbkit.plots.dots import ROW, difference_caption, difference_panel, dots
from cbkit.plots.style import DARK_GREY, LIGHT_GREY, PALETTE, figure_title, looks
from cbkit.studies.cold_start.study import FAMILIES, NEITHER, SUGGESTED
from cbkit.studies.cold_start.tables import sharing_gains, variance_table
from cbkit.studies.evaluation.figures import title_of

_PARTS = ("constants", "policy", "interaction")
_KINDS = {
    "MAB-first, suggested": PALETTE[0],
    "MAB-first, other": PALETTE[5],
    "smoothing, suggested": PALETTE[1],
    "smoothing, other": PALETTE[4],
    NEITHER: DARK_GREY,
}


def _title(table: pd.DataFrame, what: str) -> str:
    return f"{title_of(table['dataset'].iloc[0])}, {table['n_rounds'].max():,} rounds: {what}"


def grid_dots(finals: pd.DataFrame) -> Figure:
    """Draw the mean reward of every cold start, a panel per policy, with 95% intervals.

    Parameters
    ----------
    finals : DataFrame
        Of `cbkit.studies.cold_start.study.grid_experiment`, one data set.

    Returns
    -------
    Figure
    """
    table = intervals(finals, ["policy", "family", "variant"])
    suggested = table["variant"].isin(list(SUGGESTED)).map({True: "suggested", False: "other"})
    family = table["family"]
    table["kind"] = (family + ", " + suggested).where(family != NEITHER, NEITHER)
    families = [NEITHER, *FAMILIES]
    order = [v for f in families for v in dict.fromkeys(table.loc[family == f, "variant"])]
    policies = list(table["policy"].unique())
    size = (3 + 3.2 * len(policies), 1.6 + ROW * len(order))
    fig, axes = plt.subplots(
        1, len(policies), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    few = table["n"].min() < 8 or (table["low"] < 0).any()
    for policy, ax in zip(policies, axes[0], strict=True):
        runs = finals[finals["policy"] == policy].rename(columns={"mean_reward": "mean"})
        own = table[table["policy"] == policy]
        if few:  # each replicate is drawn, as an interval of few or lopsided ones misleads
            shared = {"x": "mean", "y": "variant", "order": order, "ax": ax, "color": LIGHT_GREY}
            sns.stripplot(runs, **shared, size=3.5, jitter=False, zorder=1)
        look: dict[str, Any] = {"row": "variant", "hue": "kind", "order": order, "apart": False}
        dots(own, ax, **look, colours=_KINDS)
        ax.set_title(policy)
    axes[0, 0].set_xlim(min(0.0, 1.05 * table["low"].min()), None)
    kinds = [kind for kind in _KINDS if kind in set(table["kind"])]
    handles = [plt.Line2D([], [], color=_KINDS[kind], marker="o") for kind in kinds]
    fig.legend(handles, kinds, loc="outside upper right", ncols=len(kinds))
    dot = "; grey: replicates" if few else ""
    fig.supxlabel(f"mean reward per round\n{caption(table['n'], 'lines')}{dot}", size=10)
    figure_title(fig, _title(finals, "cold starts and their constants"), below_legend=True)
    return fig


def variance_bars(finals: pd.DataFrame) -> Figure:
    """Draw what the variance of mean final rewards is due to, a bar per choice of constants."""
    table = variance_table(finals)
    fig, ax = plt.subplots(figsize=(8, 2.6))
    left = np.zeros(len(table))
    for part, colour in zip(_PARTS, (PALETTE[0], PALETTE[4], "#BBBBBB"), strict=True):
        width = table[f"{part}_pct"].to_numpy()
        ax.barh(table.index, width, left=left, color=colour, label=part)
        left = left + width
    ax.invert_yaxis()
    ax.set(xlim=(0, 100), xlabel="share of the variance of mean final rewards, %")
    ax.grid(axis="y", visible=False)
    fig.legend(loc="outside upper right", ncols=3)
    figure_title(fig, _title(finals, "what final rewards differ by"), below_legend=True)
    return fig


def arm_lines(table: pd.DataFrame) -> Figure:
    """Draw final mean reward against the number of arms, a panel per cold start.

    Parameters
    ----------
    table : DataFrame
        From `cbkit.studies.cold_start.study.many_arms_table`, one data set.

    Returns
    -------
    Figure
    """
    variants = list(table["variant"].unique())
    size = (2 + 3.3 * len(variants), 3.6)
    fig, axes = plt.subplots(1, len(variants), figsize=size, sharey=True, squeeze=False)
    styles = looks(table["policy"].unique())
    n = table.groupby(["variant", "policy", "n_arms"])["seed"].nunique()
    banded = n.min() >= FEWEST_FOR_BANDS
    for variant, ax in zip(variants, axes[0], strict=True):
        shared: dict[str, Any] = {
            "data": table[table["variant"] == variant],
            "x": "n_arms",
            "y": "mean_reward",
            "hue": "policy",
            "palette": {name: look["color"] for name, look in styles.items()},
            "ax": ax,
        }
        sns.lineplot(
            **shared,
            marker="o",
            errorbar=t_bounds if banded else None,
            err_kws={"alpha": 0.13, "linewidth": 0},
            legend=variant == variants[0],
        )
        if not banded:
            sns.scatterplot(**shared, s=12, legend=False)
        ax.set(title=variant, xlabel="arms", ylabel="mean reward per round", xscale="log")
        sizes = sorted(table["n_arms"].unique())
        ax.set_xticks(sizes, sizes)
        ax.minorticks_off()
    axes[0, 0].set_ylim(bottom=0)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    axes[0, 0].get_legend().remove()
    fig.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    fig.supxlabel(caption(n), size=10)
    figure_title(fig, _title(table, "random subsets of the arms"), below_legend=True)
    return fig


def sharing_dots(table: pd.DataFrame) -> Figure:
    """Draw what exclusive rewards gain, a row per data set and policy.

    Parameters
    ----------
    table : DataFrame
        From `cbkit.studies.cold_start.study.sharing_table`.

    Returns
    -------
    Figure
    """
    gains = sharing_gains(table)
    places = list(gains["dataset"].unique())
    size = (3.2 + 3.4 * len(places), 1.9 + 0.3 * gains["policy"].nunique())
    fig, axes = plt.subplots(1, len(places), figsize=size, sharey=True, squeeze=False)
    for place, ax in zip(places, axes[0], strict=True):
        own = gains[gains["dataset"] == place]
        difference_panel(own, ax, order=list(gains["policy"].unique()))
        ax.set_title(f"{place}\n{own['labels_per_row'].iloc[0]:.1f} labels per row")
    fig.supxlabel(
        "mean reward per round, with exclusive rewards minus without\n"
        f"{difference_caption(gains['n'])}",
        size=10,
    )
    figure_title(fig, _title(table, "a reward counts as a non-reward of all other arms"))
    return fig
