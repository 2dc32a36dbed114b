"""Read published data sets from their files, through parsed copies in the cache."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from scipy import sparse

from cbkit.datasets.formats import read_arff, read_extreme
from cbkit.datasets.manifest import Entry, entries
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.datasets.parsed_cache import load_or_make
from cbkit.datasets.sources import (
    DatasetAbsentError,
    Place,
    digest,
    explain_absence,
    find,
    find_fault,
)

_READER_VERSION = 1  # raise it when a reader gives another result for the same file


def load_published(name: str) -> MultilabelDataset:
    """Load a data set of the manifest; see `cbkit.datasets.load.load_dataset`."""
    entry = entries()[name]
    if entry.derived_from is not None:
        whole = load_published(entry.derived_from)
        n = entry.drop_common_arms
        provenance = f"{whole.provenance}; without its {n} most common labels"
        return replace(whole.drop_common_arms(n), name=name, provenance=provenance)
    place = find(entry)
    if place is None:
        raise DatasetAbsentError(explain_absence(entry))
    if place.where == "cache":
        _refuse_damaged(entry, place)
    sums = {file.name: digest(place.folder / file.name, file) for file in entry.files.values()}
    key = hashlib.sha256(f"{entry} {sums} {_READER_VERSION}".encode()).hexdigest()[:16]
    return load_or_make(f"{name}-{key}", lambda: _parse(entry, place, sums))


def _parse(entry: Entry, place: Place, sums: dict[str, str]) -> MultilabelDataset:
    paths = [place.folder / file for file in entry.data]
    if entry.labels is not None:
        parts = [read_arff(path, place.folder / entry.labels) for path in paths]
    else:
        parts = [read_extreme(path) for path in paths]
    dataset = _stack_rows(parts)
    remarks = [entry.title]
    for file in entry.files.values():
        if file.pinned is not None and sums[file.name] != file.pinned:
            remarks.append(f"{file.name} differs from the pinned file")
    if entry.drop_unused_arms:
        n_declared = dataset.n_arms
        dataset = dataset.drop_unused_arms()
        remarks.append(
            f"{n_declared - dataset.n_arms} of {n_declared} labels occur nowhere, left out"
        )
    shape = (dataset.n_rows, dataset.n_features, dataset.n_arms)
    if shape != entry.expected:
        raise ValueError(
            f"{', '.join(entry.files)} in {place.folder} have {_say(shape)}, but {entry.name!r} "
            f"has {_say(entry.expected)}; use the published files, or read other data with "
            "cbkit.datasets.formats"
        )
    return replace(dataset, name=entry.name, provenance="; ".join(remarks))


def _say(shape: tuple[int, int, int]) -> str:
    return f"{shape[0]} rows, {shape[1]} features and {shape[2]} labels"


def _stack_rows(parts: list[MultilabelDataset]) -> MultilabelDataset:
    """Join files that hold the rows of one data set, such as its train and test parts."""
    first = parts[0]
    for part in parts[1:]:
        if (
            part.n_features != first.n_features
            or part.arm_names != first.arm_names
            or sparse.issparse(part.features) != sparse.issparse(first.features)
        ):
            raise ValueError(f"{first} and {part} do not have the same columns")
    stack = sparse.vstack if sparse.issparse(first.features) else np.vstack
    return MultilabelDataset(
        features=stack([part.features for part in parts]),
        labels=sparse.vstack([part.labels for part in parts]),
        arm_names=first.arm_names,
    )


def _refuse_damaged(entry: Entry, place: Place) -> None:
    for file in entry.files.values():
        fault = find_fault(place.folder / file.name, file, entry.expected[2])
        if fault is not None:
            raise ValueError(
                f"{file.name} in the cache {place.folder} {fault}; "
                f"download it again with: python -m cbkit fetch {entry.name}"
            )
