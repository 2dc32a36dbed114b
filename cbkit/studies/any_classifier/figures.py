"""Figures of the study: rewards, cost, and what scores are worth."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from cbkit.experiments.stats import intervals
from cbkit.plots.curves import FEWEST_FOR_BANDS, caption
from cbkit.plots.dots import ROW, dots, marker_legend
from cbkit.plots.style import GREY, PALETTE
from cbkit.studies.any_classifier.contenders import RULES
from cbkit.studies.evaluation.figures import title_of

FEWEST_IN_A_BIN = 20


def _panels(n: int, height: float) -> tuple[Figure, list[plt.Axes]]:
    width = max(7.5, 2.6 + 2.1 * n)
    fig, axes = plt.subplots(1, n, figsize=(width, height), sharey=True, squeeze=False)
    return fig, list(axes[0])


def reward_dots(finals: pd.DataFrame) -> Figure:
    """Draw the reward of each oracle under each policy, a panel per data set.

    Parameters
    ----------
    finals : DataFrame
        From `run.played`.

    Returns
    -------
    Figure
        The dashed line is the best fixed arm on the same rows.
    """
    return _by_dataset(finals, "mean_reward", "mean reward per round")


def second_dots(finals: pd.DataFrame) -> Figure:
    """Draw the CPU seconds of each oracle's runs, on a logarithmic axis, a panel per data set."""
    return _by_dataset(finals, "seconds", "CPU seconds per run")


def _by_dataset(finals: pd.DataFrame, value: str, label: str) -> Figure:
    oracles = finals[finals["oracle"] != "none"]
    names, order = sorted(oracles["dataset"].unique()), list(oracles["oracle"].unique())
    fig, axes = _panels(len(names), 1.6 + (ROW + 0.12) * len(order))
    colours = dict(zip(RULES, PALETTE, strict=False))
    for name, ax in zip(names, axes, strict=True):
        here = oracles[oracles["dataset"] == name]
        table = intervals(here, ["rule", "oracle"], value)
        if value == "seconds" or table["n"].min() < FEWEST_FOR_BANDS:
            # a logarithmic axis has no place for a bound below 0
            table = table.assign(low=np.nan, high=np.nan)
        runs = here.rename(columns={value: "mean"})
        look: dict[str, Any] = {"row": "oracle", "hue": "rule", "order": order, "colours": colours}
        dots(table, ax, **look, replicates=runs)
        n_rounds = int(here["n_rounds"].iloc[0])
        ax.set_title(f"{title_of(name)}\n{n_rounds:,} rounds", size=9)
        if value == "seconds":
            ax.set_xscale("log")
        else:
            fixed = finals[(finals["dataset"] == name) & (finals["oracle"] == "none")]
            ax.axvline(fixed[value].mean(), color=GREY, ls="--", lw=1)
            top = table["high"].fillna(0).max(), here[value].max()
            ax.set_xlim(min(0, table["low"].fillna(0).min()), 1.05 * max(top))
    note = f"{caption(table['n'], 'lines')}; dashed: the best fixed arm"
    if value == "seconds":
        note = "means, and faint dots for the replicates"
    fig.supxlabel(f"{label}\n{note}", size=9)
    marker_legend(axes[0], RULES)
    return fig


def reliability_panels(bins: pd.DataFrame) -> Figure:
    """Draw mean rewards against mean scores, a panel per oracle and a line per data set.

    Parameters
    ----------
    bins : DataFrame
        From `calibration.calibration`, of several seeds.

    Returns
    -------
    Figure
        Tenths of the scores with fewer than 20 rounds are left out; a mark's area grows with its
        number of rounds.
    """
    weighted = bins.assign(score=bins["score"] * bins["n"], reward=bins["reward"] * bins["n"])
    keys = ["oracle", "dataset", "bin"]
    table = weighted.groupby(keys, sort=False)[["n", "score", "reward"]].sum().reset_index()
    table = table[table["n"] >= FEWEST_IN_A_BIN].sort_values("bin")
    oracles, names = list(bins["oracle"].unique()), sorted(bins["dataset"].unique())
    n_columns = 4
    n_rows = -(-len(oracles) // n_columns)
    fig, axes = plt.subplots(
        n_rows, n_columns, figsize=(9, 0.7 + 2.3 * n_rows), sharex=True, sharey=True, squeeze=False
    )
    for ax in axes.flat[len(oracles) :]:
        ax.set_axis_off()
    for oracle, ax in zip(oracles, axes.flat, strict=False):
        ax.plot([0, 1], [0, 1], color=GREY, ls="--", lw=1)
        for name, colour in zip(names, PALETTE, strict=False):
            part = table[(table["oracle"] == oracle) & (table["dataset"] == name)]
            x, y = part["score"] / part["n"], part["reward"] / part["n"]
            ax.plot(x, y, color=colour, lw=1, label=name)
            ax.scatter(x, y, s=2 + 1.5 * np.sqrt(part["n"]), color=colour)
        ax.set_title(oracle, size=9)
        ax.set(xlim=(0, 1), ylim=(0, 1))
    handles, labels = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(names), frameon=False)
    fig.supxlabel("mean score, before the round was learned", size=9)
    fig.supylabel("mean reward", size=9)
    return fig
