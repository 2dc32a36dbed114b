"""Turn what users hold (arrays, sparse matrices, data frames) into checked features and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

Features = np.ndarray | sparse.csr_array


def as_features(X: Any) -> Features:
    """Copy features into a dense float64 array, or a CSR array if they come sparse.

    Parameters
    ----------
    X : array, sparse matrix or array of any kind, or numeric DataFrame, (n_rows, n_features)

    Returns
    -------
    numpy.ndarray or scipy.sparse.csr_array, (n_rows, n_features)
        Finite float64 values; a CSR array has sorted indexes and no explicit zeros.

    Examples
    --------
    >>> as_features([[1, 0], [0, 2]])
    array([[1., 0.],
           [0., 2.]])
    """
    values = _numbers(X, "features")
    if sparse.issparse(values):
        values = _canonical_csr(values, np.float64)
        _refuse_non_finite(values.data, lambda at: _csr_position(values, at))
    else:
        values = np.array(values, dtype=np.float64, order="C")
        _refuse_non_finite(values.ravel(), lambda at: divmod(at, values.shape[1]))
    if values.shape[0] == 0:
        raise ValueError("features have no rows; a dataset needs at least one observation")
    if values.shape[1] == 0:
        raise ValueError("features have no columns; a contextual problem needs at least one")
    return values


def as_labels(labels: Any) -> sparse.csr_array:
    """Copy a 0/1 label matrix into an int8 CSR array, one column per arm.

    Parameters
    ----------
    labels : array, sparse matrix or array of any kind, or DataFrame, (n_rows, n_arms)
        Zeros and ones, as numbers or booleans.

    Examples
    --------
    >>> as_labels([[True, False], [0, 1]]).toarray()
    array([[1, 0],
           [0, 1]], dtype=int8)
    """
    values = _numbers(labels, "labels")
    stored = _canonical_csr(values, np.float64)
    wrong = np.flatnonzero(stored.data != 1)
    if wrong.size:
        row, column = _csr_position(stored, int(wrong[0]))
        raise ValueError(
            f"labels must be 0 or 1, got {stored.data[wrong[0]]:g} in row {row}, column {column}"
        )
    if stored.shape[1] < 2:
        raise ValueError(
            f"labels must have at least 2 columns (one per arm), got {stored.shape[1]}; "
            "with a single arm there is nothing to choose"
        )
    return stored.astype(np.int8)


def _numbers(values: Any, what: str) -> np.ndarray | sparse.sparray | sparse.spmatrix:
    """Give the numbers of an array-like of two dimensions; refuse everything else."""
    if isinstance(values, pd.DataFrame):
        values = _frame_numbers(values, what)
    if np.ma.is_masked(values):
        raise ValueError(f"{what} have masked (missing) entries; fill them in first")
    if not sparse.issparse(values):
        values = np.asarray(values)
        if values.dtype == object:
            values = _object_numbers(values, what)
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"{what} must be numbers, got dtype {values.dtype}; {_FROM_TEXT[what]}"
            if values.dtype.kind in "USO"
            else f"{what} must be real numbers, got dtype {values.dtype}"
        )
    if values.ndim != 2:
        raise ValueError(
            f"{what} must have two dimensions, got shape {values.shape}; {_HINT[what]}"
        )
    return values


_FROM_TEXT = {
    "features": (
        "turn text into numbers first, with a scikit-learn transformer "
        "such as OneHotEncoder or TfidfVectorizer"
    ),
    "labels": (
        "turn names into one 0/1 column per arm first, with pandas.get_dummies, or with "
        "scikit-learn's MultiLabelBinarizer where a row has several"
    ),
}
_HINT = {
    "features": "reshape a single feature with X.reshape(-1, 1)",
    "labels": "give one 0/1 column per arm; for class numbers use sklearn's label_binarize",
}


def _frame_numbers(frame: pd.DataFrame, what: str) -> np.ndarray | sparse.coo_matrix:
    numeric = [
        pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
        for dtype in frame.dtypes
    ]
    text = [
        str(name) for name, is_number in zip(frame.columns, numeric, strict=True) if not is_number
    ]
    if text:
        shown = ", ".join(repr(name) for name in text[:5]) + (", ..." if len(text) > 5 else "")
        raise ValueError(f"{what} have columns that are not numbers: {shown}; {_FROM_TEXT[what]}")
    if frame.shape[1] and all(isinstance(dtype, pd.SparseDtype) for dtype in frame.dtypes):
        if all(dtype.fill_value == 0 for dtype in frame.dtypes):
            return frame.sparse.to_coo()
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _object_numbers(values: np.ndarray, what: str) -> np.ndarray:
    for item in values.flat:
        if not isinstance(item, (bool, int, float, np.bool_, np.integer, np.floating)):
            raise ValueError(f"{what} must be numbers, got {item!r}; {_FROM_TEXT[what]}")
    return values.astype(np.float64)


def _canonical_csr(values: Any, dtype: type) -> sparse.csr_array:
    """Copy into a CSR array with sorted indexes, summed duplicates and no explicit zeros."""
    stored = sparse.csr_array(values, dtype=dtype, copy=True)
    stored.sum_duplicates()
    stored.eliminate_zeros()
    return stored


def _csr_position(stored: sparse.csr_array, at: int) -> tuple[int, int]:
    row = int(np.searchsorted(stored.indptr, at, side="right")) - 1
    return row, int(stored.indices[at])


def _refuse_non_finite(values: np.ndarray, position: Any) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        at = int(np.argmin(finite))
        row, column = position(at)
        raise ValueError(
            f"features must be finite, got {values[at]} in row {row}, column {column}; "
            "impute missing values first (e.g. sklearn.impute.SimpleImputer)"
        )
