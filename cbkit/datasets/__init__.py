"""Multilabel data sets: published ones from files, embedded and planted ones."""

from cbkit.datasets.fetching import FetchError, fetch
from cbkit.datasets.load import (
    dataset_names,
    dataset_table,
    load_dataset,
    paper_table,
    where_is,
)
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.datasets.sources import DatasetAbsentError

__all__ = [
    "DatasetAbsentError",
    "FetchError",
    "MultilabelDataset",
    "dataset_names",
    "dataset_table",
    "fetch",
    "load_dataset",
    "paper_table",
    "where_is",
]
