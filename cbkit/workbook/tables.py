"""The one writer and reader of result tables, with a line of provenance for each."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from cbkit.paths import results_dir
from cbkit.policies.version import RESULT_VERSION

PROVENANCE = "provenance.csv"
KEY = ["study", "table", "dataset"]
COLUMNS = [*KEY, "n_rounds", "seeds", "result_version", "cpu_hours", "date"]
MANY = 5000  # rows that are too many for text
EVERY = 4  # of the 200 points of a curve, what a table keeps


def thinned(curves: pd.DataFrame) -> pd.DataFrame:
    """Return every fourth point of each run's curve, the last among them.

    Examples
    --------
    >>> curves = pd.DataFrame({"policy": "Greedy", "seed": 0, "round": range(1, 9)})
    >>> thinned(curves)["round"].tolist()
    [4, 8]
    """
    keys = [name for name in ("dataset", "variant", "policy", "seed") if name in curves]
    from_end = curves.groupby(keys, sort=False).cumcount(ascending=False)
    return curves[from_end % EVERY == 0].reset_index(drop=True)


def source_of(dataset: pd.Series) -> pd.Series:
    """Return the data sets that sets were taken from, without what was done to them.

    Examples
    --------
    >>> source_of(pd.Series(["bibtex[arms=66]", "demo"])).tolist()
    ['bibtex', 'demo']
    """
    return dataset.astype(str).str.partition("[")[0]


def write_table(
    root: Path,
    study: str,
    name: str,
    table: pd.DataFrame,
    *,
    cpu_seconds: float | pd.Series | None = None,
) -> Path:
    """Write a table of results, and how it came about.

    A table with a column ``dataset`` replaces the rows of its data sets and leaves those of others.
    One with a column ``round`` or many rows is written as Parquet, every other one as CSV of six
    digits.

    Parameters
    ----------
    root : Path
        Folder of the studies, such as ``data/results``.
    study, name : str
        The table becomes ``<study>/<name>.csv`` or ``.parquet``.
    table : DataFrame
        Its columns and rows are written, its index is not.
    cpu_seconds : float or Series, optional
        What its runs took, in all or row by row. Of several data sets, each is given its rows'
        seconds, or of a total its share of the rows.

    Returns
    -------
    Path
        The file.
    """
    rows = _origin(study, name, table, cpu_seconds)
    path = _merge(root, study, name, table)
    record(root, rows)
    return path


def copy_table(root: Path, study: str, name: str, to: Path) -> Path:
    """Copy a table and its provenance to another root, merged as `write_table` does.

    Parameters
    ----------
    root, to : Path
        Folders of studies.
    study, name : str
        The table.

    Returns
    -------
    Path
        The file written.
    """
    path = _merge(to, study, name, read_table(root, study, name))
    rows = read_provenance(root)
    record(to, rows[(rows["study"] == study) & (rows["table"] == name)])
    return path


def read_table(root: Path, study: str, name: str) -> pd.DataFrame:
    """Read a table of a study.

    Parameters
    ----------
    root : Path
        Folder of the studies.
    study, name : str
        The table; a name such as ``"evaluation/finals"`` is a committed table of another study.

    Raises
    ------
    FileNotFoundError
        If there is none; the message lists the study's tables.
    """
    if "/" in name:
        return load_table(name)
    for path, read in (
        (root / study / f"{name}.csv", pd.read_csv),
        (root / study / f"{name}.parquet", pd.read_parquet),
    ):
        if path.exists():
            return _plain(read(path))
    known = sorted(path.stem for path in (root / study).glob("*.*"))
    raise FileNotFoundError(
        f"no table {study}/{name}; the tables of {study} are: {', '.join(known) or 'none'}"
    )


def load_table(name: str) -> pd.DataFrame:
    """Read a committed table, such as ``"evaluation/finals"``.

    Parameters
    ----------
    name : str
        Study and table.

    Returns
    -------
    DataFrame

    Raises
    ------
    FileNotFoundError
        If there is none.

    Examples
    --------
    >>> load_table("online_bootstrap_coverage/agreement")["verdict"].tolist()[0]
    'reproduces'
    """
    study, _, table = name.partition("/")
    return read_table(results_dir(), study, table)


def read_provenance(root: Path) -> pd.DataFrame:
    """Read how the tables of a root came about; blanks are what is not known."""
    path = root / PROVENANCE
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def record(root: Path, rows: pd.DataFrame) -> None:
    """Write rows of provenance in the place of those of the same tables and data sets."""
    both = pd.concat([read_provenance(root), rows.astype(str)])
    both = both.drop_duplicates(KEY, keep="last").sort_values(KEY)
    both.to_csv(root / PROVENANCE, index=False, lineterminator="\n")


def _origin(
    study: str, name: str, table: pd.DataFrame, cpu_seconds: float | pd.Series | None
) -> pd.DataFrame:
    names = source_of(table["dataset"]) if "dataset" in table else pd.Series("", table.index)
    parts = list(table.groupby(names)) if "dataset" in table else [("", table)]
    hours: Mapping[str, str] = {}
    if cpu_seconds is not None:
        of_row = cpu_seconds if isinstance(cpu_seconds, pd.Series) else cpu_seconds / len(table)
        spent = pd.Series(np.broadcast_to(of_row, len(table))).groupby(names.to_numpy()).sum()
        hours = (spent / 3600).map("{:.3g}".format)
    rows = []
    for dataset, part in parts:
        seeds = sorted(set(part.get("seed", ())))
        span = f"{seeds[0]}-{seeds[-1]}" if len(seeds) > 1 else "".join(map(str, seeds))
        rows.append(
            {
                "study": study,
                "table": name,
                "dataset": dataset,
                "n_rounds": f"{part['n_rounds'].max():.0f}" if "n_rounds" in part else "",
                "seeds": span,
                "result_version": RESULT_VERSION,
                "cpu_hours": hours.get(dataset, ""),
                "date": datetime.date.today().isoformat(),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _merge(root: Path, study: str, name: str, table: pd.DataFrame) -> Path:
    paths = {kind: root / study / f"{name}.{kind}" for kind in ("csv", "parquet")}
    (root / study).mkdir(parents=True, exist_ok=True)
    if "dataset" in table and any(path.exists() for path in paths.values()):
        others = read_table(root, study, name)
        mine = set(source_of(table["dataset"]))
        table = pd.concat([others[~source_of(others["dataset"]).isin(mine)], _plain(table)])
        table = table.sort_values("dataset", kind="stable")
    kind = "parquet" if "round" in table or len(table) > MANY else "csv"
    path = paths.pop(kind)
    for other in paths.values():
        other.unlink(missing_ok=True)
    if kind == "csv":
        table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    else:
        _compact(table).to_parquet(path, index=False, compression="zstd")
    return path


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without categories, which forget values that are not in use."""
    categories = table.select_dtypes("category").columns
    return table.astype(dict.fromkeys(categories, object))


def _compact(table: pd.DataFrame) -> pd.DataFrame:
    """Return a long table in few bytes: categories, short whole numbers, few decimals."""
    small = table.copy()
    n_decimals = 4 if "round" in table else 6
    for name, column in table.items():
        if pd.api.types.is_float_dtype(column):
            small[name] = column.round(n_decimals).astype(np.float32)
        elif pd.api.types.is_integer_dtype(column):
            small[name] = column.astype(np.int32)
        elif not pd.api.types.is_bool_dtype(column):
            small[name] = column.astype("category")
    return small
