"""Data sets by name: published ones from folders or the cache, embedded and planted ones from here."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import numpy as np

from cbkit.formats import read_arff
from cbkit.manifest import Entry, entries
from cbkit.multilabel import MultilabelDataset
from cbkit.paths import cache_dir
from cbkit.presets import PLANTED, plant_preset

__all__ = ["MultilabelDataset", "dataset_names", "load_dataset"]

READER_VERSION = 1


def dataset_names() -> tuple[str, ...]:
    """Give the names that `load_dataset` knows."""
    return ("demo", "digits", *entries(), *(name for name in PLANTED if name != "demo"))


def load_dataset(name: str) -> MultilabelDataset:
    """Load a data set by name.

    Examples
    --------
    >>> load_dataset("digits")
    MultilabelDataset('digits': 1797 rows, 64 features, 10 arms)
    """
    if name == "digits":
        return _load_digits()
    if name in PLANTED:
        return plant_preset(name)
    if name not in entries():
        close = difflib.get_close_matches(name, dataset_names(), n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ValueError(
            f"unknown data set {name!r}; {hint}The names are {', '.join(dataset_names())}"
        )
    return _load_published(entries()[name])


def _load_digits() -> MultilabelDataset:
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    return MultilabelDataset.from_arrays(
        pixels / 16,
        np.equal.outer(digits, np.arange(10)),
        name="digits",
        provenance="scikit-learn's handwritten digits, pixels scaled to [0, 1]",
    )


def _load_published(entry: Entry) -> MultilabelDataset:
    folder = _find(entry)
    if folder is None:
        raise FileNotFoundError(f"data set {entry.name!r} is not at hand")
    return read_arff(folder / entry.data[0], folder / entry.labels, name=entry.name)


def _find(entry: Entry) -> Path | None:
    offered = [
        Path(folder) for folder in os.environ.get("CBKIT_DATA", "").split(os.pathsep) if folder
    ]
    for folder in [*offered, cache_dir() / "sources"]:
        for place in (folder / entry.name, folder):
            if all((place / file).is_file() for file in entry.files):
                return place
    return None
