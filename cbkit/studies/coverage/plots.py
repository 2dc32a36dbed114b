"""Figures of the study of bound coverage; every function takes and returns axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from cbkit.plots.end_labels import add_end_labels
from cbkit.studies.coverage.study import SPREADS, expected_coverage

# The weights are not policies: Okabe and Ito's colours once more, and a marker each.
LOOKS = {
    "bootstrap": ("#000000", "-", "o"),
    "poisson": ("#0072B2", "--", "s"),
    "gamma_1_1": ("#D55E00", "-", "^"),
    "gamma_2_2": ("#009E73", "-.", "v"),
    "uniform": ("#CC79A7", ":", "D"),
}
LABELS = {
    "bootstrap": "bootstrap",
    "poisson": "Poisson(1)",
    "gamma_1_1": "Gamma(1,1)",
    "gamma_2_2": "Gamma(2,2)",
    "uniform": "Uniform(0,1)",
}
NOMINAL = {"color": "#7F7F7F", "linestyle": "--", "linewidth": 1}


def coverage_curves(cells: pd.DataFrame, ax: Axes, *, title: str = "") -> Axes:
    """Draw mean coverage over sample size, one line per weights with its 95% band.

    Parameters
    ----------
    cells : DataFrame
        What `summarise` returns, for one table, target and bound.
    ax : Axes
    title : str, optional

    Returns
    -------
    Axes
    """
    _one(cells, ["table", "target", "n_resamples", "percentile", "n_samples"])
    names = [name for name in LOOKS if name in set(cells["weights"])]
    ends, lines = [], []
    for name in names:
        line = cells[cells["weights"] == name].sort_values("sample_size")
        colour, style, _ = LOOKS[name]
        lines.append({"color": colour, "linestyle": style})
        ax.plot(line["sample_size"], line["mean_pct"], **lines[-1])
        ax.fill_between(
            line["sample_size"], line["low_pct"], line["high_pct"], color=colour, alpha=0.1, lw=0
        )
        ends.append(line["mean_pct"].iloc[-1])
    ax.axhline(cells["percentile"].iloc[0], **NOMINAL)
    _size_axis(ax, cells["sample_size"])
    n = cells["n_samples"].iloc[0]
    ax.set_xlabel(f"sample size\nbands: 95% t interval over samples, n = {n}")
    ax.set_ylabel("expected targets below the bound (%)")
    ax.set_title(title)
    last = cells["sample_size"].max()
    return add_end_labels(ax, last, ends, [LABELS[name] for name in names], lines)


def difference_heatmap(compared: pd.DataFrame, ax: Axes, *, title: str = "", limit=6) -> Axes:
    """Show each cell's difference from the paper in Monte-Carlo standard errors.

    Parameters
    ----------
    compared : DataFrame
        What `cbkit.studies.coverage.tables.against_paper` returns, for one table and target.
    ax : Axes
    title : str, optional
    limit : float, default=6
        Differences from this many standard errors on have the strongest colour.

    Returns
    -------
    Axes
    """
    _one(compared, ["table", "target", "ridge"])
    wide = compared.pivot(index="sample_size", columns="weights", values="standard_errors")
    wide = wide[[name for name in LOOKS if name in wide]]
    ax.imshow(wide, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    for (row, column), value in np.ndenumerate(wide.to_numpy()):
        shade = "white" if abs(value) > 0.7 * limit else "black"
        ax.text(column, row, f"{value:+.1f}", ha="center", va="center", size=7, color=shade)
    columns = [LABELS[name].replace("(", "\n(") for name in wide]
    ax.set_xticks(range(len(columns)), columns, size=8)
    ax.set_yticks(range(len(wide)), [f"{size:,}" for size in wide.index], size=8)
    ax.set_ylabel("sample size")
    ax.grid(False)
    ax.set_title(title)
    return ax


def reading_curves(
    compared: pd.DataFrame, labels: Sequence[str], ax: Axes, *, value: str, title: str = ""
) -> Axes:
    """Set one column of the paper's table beside what several readings give, for one weights.

    Parameters
    ----------
    compared : DataFrame
        Cells of `cbkit.studies.coverage.readings.try_readings` with a column ``label``.
    labels : sequence of str
        The labels to draw, at most five.
    ax : Axes
    value : {"mean_pct", "std_pct"}
        What to draw; standard deviations get a logarithmic axis.
    title : str, optional

    Returns
    -------
    Axes
    """
    _one(compared, ["table", "weights"])
    paper = compared.drop_duplicates("sample_size").sort_values("sample_size")
    ax.plot(
        paper["sample_size"], paper[f"paper_{value}"], "ko", markersize=6, label="paper", zorder=5
    )
    for label, (colour, style, marker) in zip(labels, list(LOOKS.values())[1:], strict=False):
        line = compared[compared["label"] == label].sort_values("sample_size")
        ax.plot(
            line["sample_size"],
            line[value],
            color=colour,
            linestyle=style,
            marker=marker,
            markersize=3.5,
            label=label,
        )
    _size_axis(ax, compared["sample_size"])
    ax.set_xlim(compared["sample_size"].min() / 1.2, compared["sample_size"].max() * 1.2)
    if value == "std_pct":
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
    words = {"mean_pct": "mean coverage (%)", "std_pct": "std over samples (points)"}
    ax.set_ylabel(words[value])
    ax.set_title(title)
    return ax


def weight_differences(compared: pd.DataFrame, ax: Axes, *, margin_pct: float) -> Axes:
    """Draw paired differences of mean coverage from the bootstrap's with their 95% intervals.

    Parameters
    ----------
    compared : DataFrame
        What `cbkit.studies.coverage.tables.compare_weights` returns, for one group of sample sizes.
    ax : Axes
    margin_pct : float
        Half width of the shaded band of equivalence.

    Returns
    -------
    Axes
    """
    _one(compared, ["sample_sizes", "baseline"])
    tables = list(compared["table"].unique())
    names = [name for name in LOOKS if name in set(compared["weights"])]
    for name in names:
        colour, _, marker = LOOKS[name]
        rows = compared[compared["weights"] == name].set_index("table").loc[tables]
        y = np.arange(len(tables)) + 0.15 * (names.index(name) - (len(names) - 1) / 2)
        error = rows["difference_pct"] - rows["low_pct"]
        style = {"color": colour, "marker": marker, "markersize": 5, "linestyle": ""}
        ax.errorbar(rows["difference_pct"], y, xerr=error, label=LABELS[name], **style)
    ax.axvspan(-margin_pct, margin_pct, color="#EFEFEF", zorder=0)
    ax.axvline(0, **NOMINAL)
    ax.set_yticks(range(len(tables)), [table.replace("_", " ") for table in tables])
    ax.invert_yaxis()
    low, high = compared["n_pairs"].min(), compared["n_pairs"].max()
    pairs = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    ax.set_xlabel(
        f"coverage minus the bootstrap's (points)\n95% t interval over paired samples, n = {pairs}"
    )
    ax.set_title(f"sample sizes: {compared['sample_sizes'].iloc[0]}")
    return ax


def resample_curves(cells: pd.DataFrame, ax: Axes, *, title: str = "") -> Axes:
    """Draw mean coverage over the number of resamples, with the large-sample limit dotted.

    Parameters
    ----------
    cells : DataFrame
        What `summarise` returns, for one table, sample size and percentile.
    ax : Axes
    title : str, optional

    Returns
    -------
    Axes
    """
    _one(cells, ["table", "target", "sample_size", "percentile"])
    percentile = cells["percentile"].iloc[0]
    numbers = sorted(cells["n_resamples"].unique())
    for name in [name for name in LOOKS if name in set(cells["weights"])]:
        line = cells[cells["weights"] == name].sort_values("n_resamples")
        colour, style, marker = LOOKS[name]
        look = {"color": colour, "linestyle": style, "marker": marker, "markersize": 4}
        ax.plot(line["n_resamples"], line["mean_pct"], label=LABELS[name], **look)
        ax.fill_between(
            line["n_resamples"], line["low_pct"], line["high_pct"], color=colour, alpha=0.08, lw=0
        )
    for spread in sorted(set(SPREADS.values())):
        limits = [100 * expected_coverage(spread, number, percentile) for number in numbers]
        ax.plot(numbers, limits, color="#7F7F7F", linestyle=(0, (1, 2)), linewidth=1)
    ax.axhline(percentile, **NOMINAL)
    ax.set_xscale("log")
    ax.set_xticks(numbers, [f"{number}" for number in numbers])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("number of resamples")
    ax.set_ylabel("mean coverage (%)")
    ax.set_title(title)
    return ax


def _size_axis(ax: Axes, sizes: pd.Series) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.set_xlim(sizes.min(), sizes.max())
    ax.set_xlabel("sample size")


def _one(table: pd.DataFrame, columns: list[str]) -> None:
    for column in columns:
        found = list(table[column].unique())
        if len(found) != 1:
            raise ValueError(f"one panel shows one {column}, got {found}; select one of them")
