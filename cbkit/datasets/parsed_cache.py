"""Parsed copies of data sets in the cache folder, written whole and checked when read."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.paths import cache_dir, sweep_parts, write_whole


def load_or_make(key: str, make: Callable[[], MultilabelDataset]) -> MultilabelDataset:
    """Load the copy stored under a key, or make the data set and store it.

    Parameters
    ----------
    key : str
        File name without ending; must change with everything that `make` depends on.
    make : callable
        Called if there is no copy, or the copy is damaged. A cache folder that cannot be
        written to costs time, and is no error.
    """
    path = cache_dir() / "parsed" / f"{key}.npz"
    dataset = read_copy(path)
    if dataset is None:
        dataset = make()
        with contextlib.suppress(OSError):
            write_copy(path, dataset)
    return dataset


def read_copy(path: Path) -> MultilabelDataset | None:
    """Read a data set that `write_copy` wrote; None if it is damaged or not there.

    Nothing in the file is executed, whoever wrote it.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            facts = json.loads(str(stored["facts"]))
            return MultilabelDataset(
                features=_unpack(stored, "features"),
                labels=_unpack(stored, "labels"),
                arm_names=tuple(facts["arm_names"]),
                name=facts["name"],
                provenance=facts["provenance"],
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def write_copy(path: Path, dataset: MultilabelDataset) -> None:
    """Write a data set to a file, whole or not at all.

    Parameters
    ----------
    path : Path
        The file, replaced if it is there; its folder is made.
    dataset : MultilabelDataset

    Raises
    ------
    OSError
        If it cannot be written.
    """
    facts = {
        "arm_names": dataset.arm_names,
        "name": dataset.name,
        "provenance": dataset.provenance,
    }
    arrays = {"facts": np.array(json.dumps(facts))}
    arrays |= _pack("features", dataset.features) | _pack("labels", dataset.labels)
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_parts(path.parent)

    def write(part: Path) -> None:
        with part.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's own flag is no array

    write_whole(path, write)


def _pack(name: str, matrix: Any) -> dict[str, np.ndarray]:
    if not sparse.issparse(matrix):
        return {name: matrix}
    return {
        f"{name}_data": matrix.data,
        f"{name}_indices": matrix.indices,
        f"{name}_indptr": matrix.indptr,
        f"{name}_shape": np.array(matrix.shape),
    }


def _unpack(stored: np.lib.npyio.NpzFile, name: str) -> np.ndarray | sparse.csr_array:
    if name in stored:
        return stored[name]
    parts = tuple(stored[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sparse.csr_array(parts, shape=tuple(stored[f"{name}_shape"]))
