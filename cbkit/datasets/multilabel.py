"""A multilabel data set seen as a bandit problem: rows are contexts, labels are rewarded arms."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cbkit._base.validation import Matrix, as_features, as_labels


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultilabelDataset:
    """Rows of features and the labels of each: arm `a` pays `labels[row, a]` when played in a row.

    Parameters
    ----------
    features : array or sparse matrix, (n_rows, n_features)
        Finite numbers; kept as a float64 array, or a CSR array if given sparse.
    labels : array or sparse matrix, (n_rows, n_arms)
        Zeros and ones, at least two columns; kept as an int8 CSR array. Columns without any 1 stay.
    arm_names : sequence of str
        One name per column of `labels`, all different.
    name, provenance : str
        What the set is called, and where it comes from.

    Examples
    --------
    >>> data = MultilabelDataset.from_arrays([[0.5], [1.5]], [[1, 0, 1], [0, 0, 1]])
    >>> data.n_rows, data.n_features, data.n_arms, data.best_arm
    (2, 1, 3, 2)
    """

    features: Matrix
    labels: sparse.csr_array
    arm_names: tuple[str, ...]
    name: str = "custom"
    provenance: str = "user"

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", as_features(self.features))
        if self.n_rows == 0:
            raise ValueError("features have no rows; a dataset needs at least one observation")
        object.__setattr__(self, "labels", as_labels(self.labels))
        object.__setattr__(self, "arm_names", tuple(self.arm_names))
        if self.labels.shape[0] != self.features.shape[0]:
            raise ValueError(
                "features and labels must have the same number of rows, "
                f"got {self.features.shape[0]} and {self.labels.shape[0]}"
            )
        if len(self.arm_names) != self.n_arms:
            raise ValueError(
                f"arm_names must name each of the {self.n_arms} label columns, "
                f"got {len(self.arm_names)} names"
            )
        seen: set[str] = set()
        for arm_name in self.arm_names:
            if not isinstance(arm_name, str):
                raise ValueError(f"arm_names must be strings, got {arm_name!r}")
            if arm_name in seen:
                raise ValueError(f"arm_names must differ from each other, got {arm_name!r} twice")
            seen.add(arm_name)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        labels: Any,
        *,
        arm_names: Sequence[str] | None = None,
        name: str = "custom",
        provenance: str = "user",
    ) -> MultilabelDataset:
        """Make a dataset of arrays, sparse matrices or numeric DataFrames.

        Parameters
        ----------
        X : array-like, (n_rows, n_features)
        labels : array-like of 0 and 1, (n_rows, n_arms)
        arm_names : sequence of str, optional
            Default: the columns of `labels` if it is a DataFrame, else "0", "1", ...
        name, provenance : str, default="custom" and "user"
            What the set is called, and where it comes from.

        Returns
        -------
        MultilabelDataset

        Raises
        ------
        ValueError
            If the arrays do not fit together, features are not finite, or labels not 0 or 1.

        Examples
        --------
        >>> labels = pd.DataFrame({"sport": [1, 0], "news": [0, 1]})
        >>> MultilabelDataset.from_arrays(np.eye(2), labels, name="mine")
        MultilabelDataset('mine': 2 rows, 2 features, 2 arms)
        """
        if (
            isinstance(X, pd.DataFrame)
            and isinstance(labels, pd.DataFrame)
            and len(X) == len(labels)
            and not X.index.equals(labels.index)
        ):
            raise ValueError(
                "features and labels are DataFrames with different indexes, so their rows may not "
                "belong together; align them first with labels = labels.loc[X.index]"
            )
        if arm_names is None:
            checked = as_labels(labels)
            columns = (
                labels.columns if isinstance(labels, pd.DataFrame) else range(checked.shape[1])
            )
            labels, arm_names = checked, [str(column) for column in columns]
        return cls(
            features=X,
            labels=labels,
            arm_names=tuple(arm_names),
            name=name,
            provenance=provenance,
        )

    def __repr__(self) -> str:
        return (
            f"MultilabelDataset({self.name!r}: {self.n_rows} rows, "
            f"{self.n_features} features, {self.n_arms} arms)"
        )

    @property
    def n_rows(self) -> int:
        """Number of observations, which is the number of rounds of a full run."""
        return self.features.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features of the context."""
        return self.features.shape[1]

    @property
    def n_arms(self) -> int:
        """Number of labels."""
        return self.labels.shape[1]

    @property
    def layout(self) -> str:
        """How the features are kept, "dense" or "sparse": some classifiers learn otherwise."""
        return "sparse" if sparse.issparse(self.features) else "dense"

    @cached_property
    def arm_counts(self) -> np.ndarray:
        """Number of rows that have each label, (n_arms,)."""
        return np.bincount(self.labels.indices, minlength=self.n_arms)

    @property
    def best_arm(self) -> int:
        """The most common label (the first of equals): the best fixed arm in hindsight."""
        return int(self.arm_counts.argmax())

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the content: features, labels and arm names.

        The same for any memory layout (dense or sparse, C or Fortran order) and in any process;
        name and provenance are left out.
        """
        digest = hashlib.sha256(b"cbkit multilabel dataset 1\n")
        digest.update(json.dumps([self.n_rows, self.n_features, self.arm_names]).encode())
        for matrix in (sparse.csr_array(self.features), self.labels):
            digest.update(matrix.indptr.astype("<i8").tobytes())
            digest.update(matrix.indices.astype("<i8").tobytes())
            digest.update(matrix.data.astype("<f8").tobytes())
        return digest.hexdigest()

    def describe(self) -> pd.Series:
        """Return the row of the paper's table of datasets.

        Examples
        --------
        >>> MultilabelDataset.from_arrays(np.eye(4), np.eye(4)[:, :2]).describe()
        observations                4.0
        features                    4.0
        labels                      2.0
        labels_per_observation      0.5
        observations_per_label      1.0
        most_common_label_pct      25.0
        Name: custom, dtype: float64
        """
        row = describe_counts(self.arm_counts, self.n_rows, self.n_features)
        return pd.Series(row, name=self.name, dtype=np.float64)

    def subset_arms(self, n: int, rng: np.random.Generator | int) -> MultilabelDataset:
        """Keep `n` arms drawn at random, in their order, and all rows."""
        if not 2 <= n <= self.n_arms:
            raise ValueError(f"n must be from 2 to the {self.n_arms} arms of {self.name}, got {n}")
        kept = np.sort(np.random.default_rng(rng).choice(self.n_arms, size=n, replace=False))
        return self._with_arms(kept, f"{self.name}[arms={n}]")

    def drop_common_arms(self, n: int) -> MultilabelDataset:
        """Leave out the `n` most common arms (of equals, the first), and keep all rows."""
        if not 0 <= n <= self.n_arms - 2:
            raise ValueError(
                f"n must leave at least 2 of the {self.n_arms} arms of {self.name}, got {n}"
            )
        kept = np.sort(np.argsort(-self.arm_counts, kind="stable")[n:])
        return self._with_arms(kept, f"{self.name}[drop_common={n}]")

    def drop_unused_arms(self) -> MultilabelDataset:
        """Leave out the arms that are a label of no row."""
        return self._with_arms(np.flatnonzero(self.arm_counts), f"{self.name}[used]")

    def _with_arms(self, arms: np.ndarray, name: str) -> MultilabelDataset:
        return MultilabelDataset(
            features=self.features,
            labels=self.labels[:, arms],
            arm_names=tuple(self.arm_names[arm] for arm in arms),
            name=name,
            provenance=self.provenance,
        )


def describe_counts(counts: np.ndarray, n_rows: int, n_features: int) -> dict[str, float]:
    """Return the row of the paper's table of datasets for labels that occur `counts` times.

    Parameters
    ----------
    counts : ndarray of int, shape (n_arms,)
        Number of rows of each label.
    n_rows, n_features : int
        Size of the data set.

    Returns
    -------
    dict
        The columns of the table, with the most common label's share of the rows in percent.
    """
    return {
        "observations": n_rows,
        "features": n_features,
        "labels": counts.size,
        "labels_per_observation": counts.sum() / n_rows,
        "observations_per_label": counts.mean(),
        "most_common_label_pct": 100 * counts.max() / n_rows,
    }
