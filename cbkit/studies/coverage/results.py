"""The committed results of the study of bound coverage, and sentences drawn from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cbkit.paths import output_root, results_dir
from cbkit.studies.coverage.plots import LABELS
from cbkit.studies.coverage.readings import in_the_text


def write(results: Mapping[str, pd.DataFrame]) -> None:
    """Write each table to ``data/results/coverage_<name>.csv``, rounded to four digits."""
    folder = output_root() / "data" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in results.items():
        table.round(4).to_csv(folder / f"coverage_{name}.csv", index=False)


def read(name: str) -> pd.DataFrame:
    """Read a committed table of the study.

    Parameters
    ----------
    name : {"cells", "agreement", "readings", "summary", "resamples", "choice"}
        All cells with ten resamples; how near each table comes to the paper's; the same for every
        reading of the logistic tables; weights compared; more resamples and other percentiles; and
        the choice for a wanted coverage.

    Examples
    --------
    >>> list(read("agreement")["table"])
    ['linear', 'logistic_independent', 'logistic_correlated']
    """
    path = results_dir() / f"coverage_{name}.csv"
    if not path.exists():
        known = sorted(p.stem.removeprefix("coverage_") for p in path.parent.glob("coverage_*.csv"))
        raise ValueError(f"no committed table {name!r} of the coverage study; there are {known}")
    return pd.read_csv(path)


def conclusions(results: Mapping[str, pd.DataFrame], tables: Sequence[str]) -> str:
    """Say in a few bullet points what the tables of a run show.

    Parameters
    ----------
    results : mapping of str to DataFrame
        At least ``agreement``, ``readings``, ``summary`` and ``cells``, see `read`.
    tables : sequence of str
        The tables that differences from the bootstrap are given for.

    Returns
    -------
    str
        A Markdown list.
    """
    agreement = results["agreement"].set_index("table")["verdict"]
    verdicts = ", ".join(f"{_words(name)} *{verdict}*" for name, verdict in agreement.items())
    lines = [f"- Expected reward against bound, beside the paper's tables: {verdicts}."]
    ranked = results["readings"]
    for table, rows in ranked[in_the_text(ranked)].groupby("table"):
        nearest = rows.iloc[0]
        lines.append(
            f"- The reading of the text that comes nearest to the {_words(table)} table compares "
            f"the {nearest['target']} with the bound on the probability "
            f"(formula: {nearest['formula']}, penalty {nearest['ridge']:g}): "
            f"off by {nearest['rms_difference_pct']:.1f} points, *{nearest['verdict']}*."
        )
    for table, rows in ranked.groupby("table"):
        nearest = rows.iloc[0]
        if not in_the_text(rows.head(1)).all():
            lines.append(
                f"- Of all readings tried, one that is not in the text comes nearest to the "
                f"{_words(table)} table: N(0, 0.5) as {nearest['N(0, 0.5)']}, intercept "
                f"{nearest['intercept']:g}, the {nearest['target']} against the bound on the "
                f"probability (formula: {nearest['formula']}, penalty {nearest['ridge']:g}): off "
                f"by {nearest['rms_difference_pct']:.1f} points, *{nearest['verdict']}*."
            )
    summary = results["summary"]
    part = summary[summary["table"].isin(tables) & (summary["sample_sizes"] != "all")]
    for weights, rows in part.groupby("weights", sort=False):
        spans = [
            f"{group['difference_pct'].min():+.1f} to {group['difference_pct'].max():+.1f} points "
            f"(n {sizes})"
            for sizes, group in rows.groupby("sample_sizes", sort=False)
        ]
        lines.append(f"- {LABELS[weights]} minus the bootstrap: {', '.join(spans)}.")
    cells = results["cells"]
    rows = cells[cells["table"].str.startswith("logistic") & (cells["one_label_pct"] > 0)]
    for (table, size), group in rows[rows["sample_size"] == 10].groupby(["table", "sample_size"]):
        shares = zip(group["weights"], group["one_label_pct"], strict=True)
        text = ", ".join(f"{LABELS[name]} {share:.1f}%" for name, share in shares)
        lines.append(f"- Resamples with one label, {_words(table)}, n = {size}: {text}.")
    return "\n".join(lines)


def _words(table: str) -> str:
    return table.replace("_", " ")
