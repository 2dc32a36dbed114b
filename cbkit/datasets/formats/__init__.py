"""Readers of multilabel files; each gives a `MultilabelDataset` or raises a `FormatError`."""

from cbkit.datasets.formats.arff import read_arff
from cbkit.datasets.formats.arff_header import read_label_names
from cbkit.datasets.formats.extreme import read_extreme
from cbkit.datasets.formats.svmlight import read_svmlight
from cbkit.datasets.formats.text import FormatError

__all__ = ["FormatError", "read_arff", "read_extreme", "read_label_names", "read_svmlight"]
