"""Tables of the study of bound coverage: cells, the paper's numbers, weights compared, a choice."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.experiments.stats import intervals, mean_interval
from cbkit.paths import project_root

CELL = ["table", "ridge", "sample_size", "weights", "n_resamples", "percentile", "target"]
PAPER_SAMPLES = 100
PAPER_TEST_POINTS = 1000
MARGIN_PCT = 2.0
TOLERANCE_PCT = 1.0  # about a standard error of the means that a choice rests on


def paper_tables() -> pd.DataFrame:
    """Read the paper's three tables: ``table, sample_size, weights, mean_pct, std_pct``.

    Examples
    --------
    >>> paper_tables().groupby("table").size().to_dict()
    {'linear': 80, 'logistic_correlated': 80, 'logistic_independent': 80}
    """
    return pd.read_csv(project_root() / "data" / "paper_coverage_tables.csv")


def summarise(samples: pd.DataFrame) -> pd.DataFrame:
    """Compute means and intervals of a study by cell.

    Parameters
    ----------
    samples : DataFrame
        What `run_study` returns.

    Returns
    -------
    DataFrame
        One row per cell: `CELL`, ``mean_pct``, ``low_pct`` and ``high_pct`` (95% t interval over
        samples), ``n_samples``, ``std_pct`` (over samples), ``n_test``, ``point_spread_pct``,
        ``one_label_pct``.
    """
    renamed = samples.rename(columns={"sample": "seed"})
    table = intervals(renamed, CELL, "coverage_pct")
    table.columns = [*CELL, "mean_pct", "low_pct", "high_pct", "n_samples"]
    groups = samples.groupby(CELL, sort=False)
    others = groups.agg(
        std_pct=("coverage_pct", "std"),
        n_test=("n_test", "first"),
        point_spread_pct=("point_spread_pct", "first"),
        one_label_pct=("one_label_pct", "mean"),
    )
    return table.merge(others.reset_index(), on=CELL)


def against_paper(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells beside the paper's, each difference in standard errors.

    Both means are over samples and over test points, and both were drawn at random. The squared
    standard error adds up ``std_pct**2 / n_samples`` and ``point_spread_pct**2 / n_test`` of ours
    and the paper's (the paper's point spread is taken to be ours).

    Parameters
    ----------
    cells : DataFrame
        What `summarise` returns; cells that the paper does not show are left out.

    Returns
    -------
    DataFrame
        `cells` with ``paper_mean_pct``, ``paper_std_pct``, ``difference_pct`` (ours minus the
        paper's), ``standard_errors`` and ``std_ratio`` (ours over the paper's).
    """
    paper = paper_tables().rename(
        columns={"mean_pct": "paper_mean_pct", "std_pct": "paper_std_pct"}
    )
    both = cells.merge(paper, on=["table", "sample_size", "weights"])
    samples = both["std_pct"] ** 2 / both["n_samples"] + both["paper_std_pct"] ** 2 / PAPER_SAMPLES
    points = both["point_spread_pct"] ** 2 * (1 / both["n_test"] + 1 / PAPER_TEST_POINTS)
    both["difference_pct"] = both["mean_pct"] - both["paper_mean_pct"]
    both["standard_errors"] = both["difference_pct"] / np.sqrt(samples + points)
    both["std_ratio"] = both["std_pct"] / both["paper_std_pct"]
    return both


def agreement(compared: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Compute how near groups of cells come to the paper's.

    Parameters
    ----------
    compared : DataFrame
        What `against_paper` returns.
    by : list of str
        Columns that make the groups.

    Returns
    -------
    DataFrame
        `by`, ``n_cells``, ``rms_difference_pct``, ``rms_standard_errors`` (1 where only chance
        differs), ``std_ratio`` (geometric mean), ``std_factor`` (typical factor, whichever way, by
        which a cell's standard deviation differs) and ``verdict``: *reproduces* where
        ``rms_standard_errors`` is below 1.5 and ``std_factor`` below 1.25, *near* below 3 and 2.
    """
    with np.errstate(divide="ignore"):  # a few samples may all have the same coverage
        logs = np.log(compared["std_ratio"])
    squares = compared.assign(
        squared_difference=compared["difference_pct"] ** 2,
        squared_errors=compared["standard_errors"] ** 2,
        log_ratio=logs,
        squared_log=logs**2,
    )
    means = squares.groupby(by, sort=False)[
        ["squared_difference", "squared_errors", "log_ratio", "squared_log"]
    ].mean()
    table = pd.DataFrame(
        {
            "n_cells": squares.groupby(by, sort=False).size(),
            "rms_difference_pct": np.sqrt(means["squared_difference"]),
            "rms_standard_errors": np.sqrt(means["squared_errors"]),
            "std_ratio": np.exp(means["log_ratio"]),
            "std_factor": np.exp(np.sqrt(means["squared_log"])),
        }
    )
    errors, factor = table["rms_standard_errors"], table["std_factor"]
    table["verdict"] = np.select(
        [(errors < 1.5) & (factor < 1.25), (errors < 3) & (factor < 2)],
        ["reproduces", "near"],
        "does not reproduce",
    )
    return table.reset_index()


def compare_weights(
    samples: pd.DataFrame, baseline: str = "bootstrap", *, margin_pct: float = MARGIN_PCT
) -> pd.DataFrame:
    """Compare mean coverages of two kinds of weights on the same samples.

    Parameters
    ----------
    samples : DataFrame
        What `run_study` returns, with one number of resamples, one percentile and
        one target.
    baseline : str, default="bootstrap"
        The weights that the others are compared with.
    margin_pct : float, default=2
        Coverages are called equivalent where the whole interval of the difference lies within this
        many points of 0.

    Returns
    -------
    DataFrame
        One row per table, sample sizes (all, below 100, 100 and more) and weights:
        ``difference_pct`` with its 95% t interval over the ``n_pairs`` paired samples, both means,
        and ``verdict`` (equivalent, lower, higher, undecided).
    """
    keys = ["table", "sample_size", "sample"]
    wide = samples.pivot(index=keys, columns="weights", values="coverage_pct").reset_index()
    if baseline not in wide:
        raise ValueError(f"baseline {baseline!r} is not among {sorted(set(samples['weights']))}")
    parts = {"all": wide["sample_size"] > 0, "below 100": wide["sample_size"] < 100}
    parts["100 and more"] = ~parts["below 100"]
    rows = []
    for sizes, chosen in parts.items():
        for table in samples["table"].unique():
            part = wide[chosen & (wide["table"] == table)]
            if part.empty:
                continue
            for weights in samples["weights"].unique():
                if weights == baseline:
                    continue
                difference, low, high, n = mean_interval(part[weights] - part[baseline])
                rows.append(
                    {
                        "table": table,
                        "sample_sizes": sizes,
                        "weights": weights,
                        "baseline": baseline,
                        "difference_pct": difference,
                        "low_pct": low,
                        "high_pct": high,
                        "n_pairs": n,
                        "mean_pct": part[weights].mean(),
                        "baseline_mean_pct": part[baseline].mean(),
                        "verdict": _verdict(low, high, margin_pct),
                    }
                )
    return pd.DataFrame(rows)


def _verdict(low: float, high: float, margin: float) -> str:
    if -margin < low and high < margin:
        return "equivalent"
    if high < 0:
        return "lower"
    return "higher" if low > 0 else "undecided"


def choice_table(cells: pd.DataFrame, wanted: tuple[float, ...] = (75, 80, 85, 90)) -> pd.DataFrame:
    """Return the cheapest bound that reaches a wanted coverage.

    Parameters
    ----------
    cells : DataFrame
        What `summarise` returns for several numbers of resamples and percentiles, one target.
    wanted : tuple of float
        Wanted mean coverages, in percent.

    Returns
    -------
    DataFrame
        One row per table and wanted coverage, one column per weights: the fewest resamples, and the
        lowest percentile with that many, whose mean coverage over the sample sizes of 100 and more
        is at most `TOLERANCE_PCT` below the wanted one; ``-`` where none is.
    """
    large = cells[cells["sample_size"] >= 100]
    keys = ["table", "weights", "n_resamples", "percentile"]
    means = large.groupby(keys, sort=False)["mean_pct"].mean().reset_index()
    means = means.sort_values(["n_resamples", "percentile"])
    rows = []
    for table in cells["table"].unique():
        for goal in wanted:
            row = {"table": table, "wanted coverage": f"{goal:g}%"}
            for weights in cells["weights"].unique():
                here = means[(means["table"] == table) & (means["weights"] == weights)]
                enough = here[here["mean_pct"] >= goal - TOLERANCE_PCT]
                row[weights] = "-"
                if len(enough):
                    first = enough.iloc[0]
                    row[weights] = f"{first.n_resamples:.0f} at {first.percentile:g}"
            rows.append(row)
    return pd.DataFrame(rows)
