"""Figures of the study of bound coverage, from its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from cbkit.plots.curves import banded_lines
from cbkit.plots.dots import dots, marker_legend
from cbkit.plots.end_labels import add_end_labels
from cbkit.plots.style import DOTTED, GREY, PALETTE, SOLID, line_style
from cbkit.studies.coverage.study import SPREADS, expected_coverage
from cbkit.studies.coverage.tables import MARGIN_PCT

SHOWN = ("linear", "logistic_independent", "logistic_correlated")
LOOKS: dict[str, dict[str, Any]] = {
    "bootstrap": {"color": "#000000", "dashes": SOLID},
    "poisson": {"color": PALETTE[0], "dashes": (4, 1.6)},
    "gamma_1_1": {"color": PALETTE[1], "dashes": SOLID},
    "gamma_2_2": {"color": PALETTE[2], "dashes": (5, 1.2, 1, 1.2)},
    "uniform": {"color": PALETTE[3], "dashes": DOTTED},
}
LABELS = {
    "bootstrap": "bootstrap",
    "poisson": "Poisson(1)",
    "gamma_1_1": "Gamma(1,1)",
    "gamma_2_2": "Gamma(2,2)",
    "uniform": "Uniform(0,1)",
}
BANDS = ("mean_pct", "low_pct", "high_pct")
NOMINAL = {"color": GREY, "linestyle": "--", "linewidth": 1}
READ_AS = {"mean_pct": "mean coverage (%)", "std_pct": "std over samples (points)"}


def coverage_curves(cells: pd.DataFrame) -> Figure:
    """Draw mean coverage over sample size, a panel per table, with 95% bands.

    Parameters
    ----------
    cells : DataFrame
        From `cbkit.studies.coverage.tables.summarise`, for one target and bound.

    Returns
    -------
    Figure
    """
    tables = [table for table in SHOWN if table in set(cells["table"])]
    size = (4.6 * len(tables), 4.0)
    fig, axes = plt.subplots(1, len(tables), figsize=size, sharey=True, squeeze=False)
    for table, ax in zip(tables, axes[0], strict=True):
        part = cells[cells["table"] == table]
        names = [name for name in LOOKS if name in set(part["weights"])]
        last = part["sample_size"].max()
        bands: dict[str, Any] = {"columns": BANDS, "hue": "weights", "styles": LOOKS}
        banded_lines(part, ax, x="sample_size", **bands)
        ax.axhline(cells["percentile"].iloc[0], **NOMINAL)
        _size_axis(ax, part["sample_size"])
        ax.set(title=_words(table), ylabel="expected targets below the bound (%)")
        ends = part[part["sample_size"] == last].set_index("weights")["mean_pct"][names]
        lines = [line_style(LOOKS[name]) for name in names]
        add_end_labels(ax, last, list(ends), [LABELS[name] for name in names], lines).label_outer()
    n = cells["n_samples"].iloc[0]
    fig.supxlabel(f"sample size; bands: 95% t interval over samples, n = {n}", size=10)
    return fig


def difference_heatmaps(compared: pd.DataFrame, limit: float = 6) -> Figure:
    """Draw each cell's difference from the paper in Monte-Carlo standard errors.

    Parameters
    ----------
    compared : DataFrame
        From `cbkit.studies.coverage.tables.against_paper`, for one target.
    limit : float, default=6
        Differences from this many standard errors on have the strongest colour.

    Returns
    -------
    Figure
    """
    tables = [table for table in SHOWN if table in set(compared["table"])]
    size = (4.3 * len(tables), 1.6 + 0.26 * compared["sample_size"].nunique())
    fig, axes = plt.subplots(1, len(tables), figsize=size, sharey=True, squeeze=False)
    for table, ax in zip(tables, axes[0], strict=True):
        part = compared[compared["table"] == table]
        wide = part.pivot(index="sample_size", columns="weights", values="standard_errors")
        wide = wide[[name for name in LOOKS if name in wide]].rename(columns=LABELS)
        wide.columns = wide.columns.str.replace("(", "\n(")
        sns.heatmap(
            wide,
            ax=ax,
            cmap="RdBu_r",
            vmin=-limit,
            vmax=limit,
            annot=True,
            fmt="+.1f",
            annot_kws={"size": 7},
            cbar=False,
        )
        ax.set(title=_words(table), xlabel="", ylabel="sample size")
        ax.tick_params(labelsize=8, rotation=0)
        ax.label_outer()
    fig.suptitle("Ours minus the paper's mean coverage, in Monte-Carlo standard errors", size=11)
    return fig


def reading_curves(compared: pd.DataFrame) -> Figure:
    """Draw the paper's logistic tables beside what several readings of its text give.

    Parameters
    ----------
    compared : DataFrame
        From `cbkit.studies.coverage.readings.shown_readings`, for one kind of weights.

    Returns
    -------
    Figure
    """
    tables = list(compared["table"].unique())
    fig, axes = plt.subplots(len(tables), 2, figsize=(10.5, 3.3 * len(tables)), squeeze=False)
    labels = list(compared["label"].unique())
    palette = dict(zip(labels, PALETTE, strict=False))
    for table, pair in zip(tables, axes, strict=True):
        part = compared[compared["table"] == table]
        for value, ax in zip(READ_AS, pair, strict=True):
            look = {"hue": "label", "style": "label", "markers": True, "palette": palette}
            sns.lineplot(part, x="sample_size", y=value, **look, ax=ax, errorbar=None)
            paper = part.drop_duplicates("sample_size")
            ax.plot(paper["sample_size"], paper[f"paper_{value}"], "ko", label="paper", zorder=5)
            _size_axis(ax, part["sample_size"])
            ax.set_xlim(part["sample_size"].min() / 1.2, part["sample_size"].max() * 1.2)
            if value == "std_pct":
                ax.set_yscale("log")
                ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
                ax.yaxis.set_minor_formatter(NullFormatter())
            ax.set(ylabel=READ_AS[value], title=_words(table))
            ax.legend().remove()
    handles, names = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside upper right", ncols=len(names))
    return fig


def weight_differences(compared: pd.DataFrame) -> Figure:
    """Draw paired differences of mean coverage from the bootstrap's with their 95% intervals.

    Parameters
    ----------
    compared : DataFrame
        From `cbkit.studies.coverage.tables.compare_weights`.

    Returns
    -------
    Figure
    """
    groups = ["below 100", "100 and more"]
    part = compared[compared["table"].isin(SHOWN) & compared["sample_sizes"].isin(groups)]
    names = [name for name in LOOKS if name in set(part["weights"])]
    groups = list(part["sample_sizes"].unique())
    fig, axes = plt.subplots(
        1,
        len(groups),
        figsize=(2 + 4.6 * len(groups), 3.6),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for group, ax in zip(groups, axes[0], strict=True):
        rows = part[part["sample_sizes"] == group].assign(model=lambda t: t["table"].map(_words))
        rows = rows.set_index("weights").loc[names].reset_index()
        columns: dict[str, Any] = {"mean": "difference_pct", "low": "low_pct", "high": "high_pct"}
        colours = {name: LOOKS[name]["color"] for name in names}
        dots(rows, ax, **columns, row="model", hue="weights", colours=colours)
        ax.axvspan(-MARGIN_PCT, MARGIN_PCT, color="#EFEFEF", zorder=0)
        ax.axvline(0, **NOMINAL)
        ax.set_title(f"sample sizes: {group}")
    marker_legend(axes[0, 0], [LABELS[name] for name in names], list(colours.values()))
    low, high = part["n_pairs"].min(), part["n_pairs"].max()
    pairs = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    fig.supxlabel(
        "coverage minus the bootstrap's (points); grey: within "
        f"{MARGIN_PCT:g} points\n95% t interval over paired samples, n = {pairs}",
        size=10,
    )
    return fig


def resample_curves(cells: pd.DataFrame, percentiles: Sequence[float] = (80, 90, 95)) -> Figure:
    """Draw mean coverage of the largest samples over the number of resamples.

    Parameters
    ----------
    cells : DataFrame
        From `cbkit.studies.coverage.tables.summarise`, for several numbers of resamples.
    percentiles : sequence of float
        A column of panels each; the rows are the first two tables of `SHOWN`.

    Returns
    -------
    Figure
    """
    largest = cells[cells["sample_size"] == cells["sample_size"].max()]
    fig, axes = plt.subplots(2, len(percentiles), figsize=(11, 6.4), sharey=True, squeeze=False)
    numbers = sorted(cells["n_resamples"].unique())
    for table, row in zip(SHOWN[:2], axes, strict=True):
        for percentile, ax in zip(percentiles, row, strict=True):
            part = largest[(largest["table"] == table) & (largest["percentile"] == percentile)]
            bands: dict[str, Any] = {"columns": BANDS, "hue": "weights", "styles": LOOKS}
            banded_lines(part, ax, x="n_resamples", **bands, markersize=4)
            for spread in sorted(set(SPREADS.values())):
                limits = [100 * expected_coverage(spread, n, percentile) for n in numbers]
                ax.plot(numbers, limits, color=GREY, linestyle=(0, DOTTED), linewidth=1)
            ax.axhline(percentile, **NOMINAL)
            ax.set_xscale("log")
            ax.set_xticks(numbers, [f"{number}" for number in numbers])
            ax.xaxis.set_minor_locator(NullLocator())
            title = f"{_words(table)}, {percentile:g}th percentile"
            ax.set(xlabel="number of resamples", ylabel="mean coverage (%)", title=title)
            ax.label_outer()
    names = [name for name in LOOKS if name in set(cells["weights"])]
    handles = [Line2D([], [], **line_style(LOOKS[name])) for name in names]
    texts = [LABELS[name] for name in names]
    fig.legend(handles, texts, loc="outside upper right", ncols=len(names))
    return fig


def _words(table: str) -> str:
    return table.replace("_", " ")


def _size_axis(ax: Axes, sizes: pd.Series) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.set_xlim(sizes.min(), sizes.max())
    ax.set_xlabel("")
