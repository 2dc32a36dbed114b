"""Data sets by name: published ones from folders or the cache, embedded and planted ones."""

from __future__ import annotations

import difflib

import numpy as np
import pandas as pd

from cbkit.datasets.manifest import entries
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.datasets.presets import PLANTED_NAMES, load_planted, planted_row
from cbkit.datasets.published import load_published
from cbkit.datasets.sources import find


def dataset_names() -> tuple[str, ...]:
    """Return the names that `load_dataset` knows.

    Examples
    --------
    >>> dataset_names()[:4]
    ('demo', 'digits', 'bibtex', 'delicious')
    """
    return ("demo", "digits", *entries(), *(name for name in PLANTED_NAMES if name != "demo"))


def load_dataset(name: str) -> MultilabelDataset:
    """Load a data set by name.

    Published sets are looked for in the folders of the environment variable CBKIT_DATA, then in
    the cache that `fetch` fills. The others need no download: "demo", "digits", and planted sets
    whose names end in "-like". Parsed and planted data are kept in the cache for the next time.

    Raises
    ------
    ValueError
        For a name that is not in `dataset_names()`, or files that are not the expected ones.
    DatasetAbsentError
        For a published set that is not on this machine; says how to get it.

    Examples
    --------
    >>> load_dataset("digits")
    MultilabelDataset('digits': 1797 rows, 64 features, 10 arms)
    """
    _check_name(name)
    if name == "digits":
        return _load_digits()
    if name in PLANTED_NAMES:
        return load_planted(name)
    return load_published(name)


def where_is(name: str) -> str:
    """Return where a data set is: "embedded", "folder" (of CBKIT_DATA), "cache" or "absent".

    Examples
    --------
    >>> where_is("demo")
    'embedded'
    """
    _check_name(name)
    if name not in entries():
        return "embedded"
    place = find(entries()[entries()[name].derived_from or name])
    return "absent" if place is None else place.where


def dataset_table() -> pd.DataFrame:
    """Tabulate all data sets: where each is, and its `describe()` row if it is at hand.

    Returns
    -------
    pandas.DataFrame
        Indexed by name; `where` is as in `where_is`, or "damaged" if the files at hand cannot
        be loaded.
    """
    rows = {}
    for name in dataset_names():
        row: dict[str, object] = {"where": where_is(name)}
        if name in PLANTED_NAMES:
            row |= planted_row(name)
        elif row["where"] != "absent":
            try:
                row |= load_dataset(name).describe().to_dict()
            except (ValueError, OSError):
                row["where"] = "damaged"
        rows[name] = row
    return _tabulate(rows)


def paper_table() -> pd.DataFrame:
    """Return the paper's table of data sets, as printed, with the columns of `describe()`."""
    columns = list(planted_row("demo"))
    printed = {name: entry.paper for name, entry in entries().items() if entry.paper}
    return _tabulate({name: dict(zip(columns, row, strict=True)) for name, row in printed.items()})


def _tabulate(rows: dict[str, dict[str, object]]) -> pd.DataFrame:
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")
    return table.astype(dict.fromkeys(("observations", "features", "labels"), "Int64"))


def _check_name(name: str) -> None:
    if name not in dataset_names():
        close = difflib.get_close_matches(str(name), dataset_names(), n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ValueError(
            f"unknown data set {name!r}; {hint}The names are {', '.join(dataset_names())}"
        )


def _load_digits() -> MultilabelDataset:
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    return MultilabelDataset.from_arrays(
        pixels / 16,
        np.equal.outer(digits, np.arange(10)),
        name="digits",
        provenance="scikit-learn's handwritten digits, pixels scaled to [0, 1]",
    )
