"""The comparisons behind a claim: differences, their intervals, and where the claim has them."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from cbkit.plots.dots import MARKERS
from cbkit.plots.style import GREY
from cbkit.studies.claims.verdicts import in_percent
from cbkit.studies.evaluation.experiment import PAPERS

COLOURS = {"supported": "#0072B2", "open": "#9E9E9E", "contradicted": "#D55E00"}
COLOURS |= {"equivalent": "#E69F00", "identical": "#4D4D4D"}
_CLAIMED = "#E3EFF7"
_MARK, _SET = 0.13, 0.14  # inches per mark, and between data sets


def effects(comparisons: pd.DataFrame) -> Figure:
    """Draw a claim's comparisons on real or simulated data, in percent of their references.

    A panel per question, a row per data set, the largest effect of the first question on top. What
    is planted or stands beside the verdict is in the table alone.

    Parameters
    ----------
    comparisons : DataFrame
        From `cbkit.studies.claims.verdicts.judge`, of one claim.

    Returns
    -------
    Figure
    """
    numbers = list(comparisons["claim"].unique())
    if len(numbers) > 1:
        raise ValueError(f"a figure shows one claim, got {numbers}; select one of them")
    chosen = ~comparisons["planted"].astype(bool) & (comparisons["setting"] == PAPERS)
    shown = comparisons[chosen]
    if shown.empty:
        raise ValueError("there is nothing to draw: the claim has no comparison on real data")
    shown = shown.assign(**in_percent(shown))
    questions, names = list(shown["question"].unique()), list(shown["who"].unique())
    most = shown.groupby("question")["who"].nunique().max()
    first = shown[shown["question"] == questions[0]].groupby("dataset")["difference"].mean()
    order = list(dict.fromkeys([*first.sort_values(ascending=False).index, *shown["dataset"]]))
    height = 1.5 + len(order) * (_SET + _MARK * most)
    fig, axes = plt.subplots(
        1, len(questions), figsize=(2.6 + 2.7 * len(questions), height), sharey=True, squeeze=False
    )
    for question, ax in zip(questions, axes[0], strict=True):
        _panel(shown[shown["question"] == question], ax, order, names)
        ax.set_title(question.replace(", ", ",\n"), size=9)
    counts = shown.groupby("dataset")["n"].agg(["min", "max"])
    spans = [" to ".join(dict.fromkeys(map(str, counts.loc[name]))) for name in order]
    labels = [f"{name}, n = {span}" for name, span in zip(order, spans, strict=True)]
    axes[0, 0].set_yticks(range(len(order)), labels, size=9)
    axes[0, 0].set_ylim(len(order) - 0.5, -0.5)
    found = [name for name in COLOURS if name in set(shown["outcome"])]
    handles: list[Artist] = [Line2D([], [], color=COLOURS[name], marker="o") for name in found]
    handles.append(Patch(color=_CLAIMED))
    labels = [*found, "where the claim has it"]
    if len(names) > 1:
        labels += names
        handles += [Line2D([], [], color=GREY, marker=mark, ls="") for mark in MARKERS]
    fig.legend(handles[: len(labels)], labels, loc="outside upper left", ncols=3, fontsize=8)
    fig.supxlabel(
        "difference in percent of the reference\n"
        "lines: 95% t interval over n replicates; colours: after Holm's correction",
        size=9,
    )
    return fig


def _panel(table: pd.DataFrame, ax: Axes, order: list[str], names: list[str]) -> None:
    """Draw one question: marks of one data set below each other, claimed values in light blue."""
    span = table[["low", "high", "difference"]].to_numpy()
    left, right = min(np.nanmin(span), -1.0), max(np.nanmax(span), 1.0)
    room = 0.08 * (right - left)
    left, right = left - room, right + room
    here = [name for name in names if name in set(table["who"])]
    step = 0.8 / len(here)
    scale = 100 / table["reference"].abs()
    bounds = table.assign(margin=table["margin"] * scale, small=table["small"] * scale)
    for row in bounds.to_dict("records"):
        y = order.index(row["dataset"]) + step * (here.index(row["who"]) - (len(here) - 1) / 2)
        start, end = {
            "above": (row["margin"], right),
            "below": (left, -row["margin"]),
            "near": (-row["small"], row["small"]),
        }[row["claimed"]]
        ax.barh(y, end - start, left=start, height=step, color=_CLAIMED, lw=0, zorder=0)
        ax.plot([row["low"], row["high"]], [y, y], color=COLOURS[row["outcome"]], lw=1.5)
        same = row["low"] == row["high"] == 0
        ax.plot(
            row["difference"],
            y,
            MARKERS[names.index(row["who"])],
            color=COLOURS[row["outcome"]],
            mfc="white" if same else None,
            ms=5,
        )
        if same:
            ax.annotate(
                "identical", (0, y), (6, 0), textcoords="offset points", va="center", size=7
            )
    ax.axvline(0, color=GREY, linestyle="--", lw=1, zorder=1)
    ax.set_xlim(left, right)
    ax.grid(False, axis="y")
    ax.locator_params(axis="x", nbins=5)
