"""svmlight (LIBSVM) files with several labels per row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from cbkit.datasets.formats.index_value import parse_rows
from cbkit.datasets.formats.text import MAX_COLUMNS, FormatError, Line, build_csr, read_lines
from cbkit.datasets.multilabel import MultilabelDataset


def read_svmlight(
    path: str | Path,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    name: str | None = None,
) -> MultilabelDataset:
    """Read a multilabel svmlight file: rows `label,label index:value index:value # comment`.

    Each label number that occurs is an arm, in ascending order, and names it. Lines that are
    blank or only a comment are no rows.

    Parameters
    ----------
    path : str or Path
    n_features : int, optional
        Default: as many as the largest index asks for.
    zero_based : bool, default=False
        Whether features count from 0; the format counts from 1.
    name : str, optional
        Name of the data set; default: the file's name without its ending.

    Raises
    ------
    FormatError
        Naming the file and the line, if anything is not as the format asks.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "tiny.svm")
    ...     _ = file.write_text("7,40 1:0.5 3:1\\n40 2:2  # one label\\n")
    ...     data = read_svmlight(file)
    >>> data.arm_names, data.labels.toarray().tolist()
    (('7', '40'), [[1, 1], [0, 1]])
    """
    path = Path(path)
    rows = [
        Line(line.number, text)
        for line in read_lines(path)
        if (text := line.text.partition("#")[0]).strip()
    ]
    if not rows:
        raise FormatError(path, None, "no rows", "at least one observation")
    entries = parse_rows(path, rows)
    first = 0 if zero_based else 1
    for row in entries.feature_rows[entries.features < first][:1]:
        raise entries.fail(
            int(row), "feature 0", "features counted from 1; or pass zero_based=True"
        )
    if n_features is None:
        n_features = _width(entries.features) - first
    if n_features < 1:
        raise FormatError(path, None, "no features in any row", "at least one index:value")
    features = build_csr(
        entries.feature_rows,
        entries.features,
        entries.values,
        (len(rows), n_features),
        entries.fail,
        what="feature",
        first=first,
    )
    labels = build_csr(
        entries.label_rows,
        entries.labels,
        np.ones(entries.labels.size),
        (len(rows), _width(entries.labels)),
        entries.fail,
        what="label",
    )
    used, arms = np.unique(labels.indices, return_inverse=True)
    if used.size < 2:
        raise FormatError(path, None, f"{used.size} different labels", "at least 2")
    return MultilabelDataset(
        features=features,
        # Not labels[:, used], which takes memory by the largest number.
        labels=sparse.csr_array((labels.data, arms, labels.indptr), shape=(len(rows), used.size)),
        arm_names=tuple(map(str, used)),
        name=name or path.stem,
        provenance=f"read from {path.name}",
    )


def _width(numbers: np.ndarray) -> int:
    """Return how many columns numbers from 0 ask for, without absurd ones, refused later."""
    return int(min(numbers.max(), MAX_COLUMNS - 1)) + 1 if numbers.size else 0
