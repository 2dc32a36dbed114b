"""Checks of arguments, each error saying what was wrong, the value and what to write instead."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

Matrix = np.ndarray | sparse.csr_array


def check_number(name: str, value: float) -> None:
    """Refuse what is not one finite number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def check_percentile(value: float) -> None:
    """Refuse what is not a percentile, and fractions that were likely meant as one."""
    check_number("percentile", value)
    if not 0 <= value <= 100:
        raise ValueError(f"percentile must be in [0, 100], got {value!r}")
    if 0 < value < 1:
        raise ValueError(
            f"percentile must be in [0, 100], got {value!r}; did you mean {100 * value:g}?"
        )


def check_probability(name: str, value: float) -> None:
    """Refuse what is not a probability, and percentages that were likely meant as one."""
    check_number(name, value)
    if not 0 <= value <= 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value <= 100 else ""
        raise ValueError(f"{name} must be in [0, 1], got {value!r}{hint}")


def check_decay(value: float) -> None:
    """Refuse what is not a decay rate."""
    check_number("decay", value)
    if not 0 < value <= 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value <= 100 else ""
        raise ValueError(f"decay must be in (0, 1], where 1 is no decay; got {value!r}{hint}")


def check_whole(name: str, value: int, least: int = 1) -> None:
    """Refuse what is not a whole number of at least `least`.

    Parameters
    ----------
    name : str
        What to call it in the error.
    value : int
        What to check; NumPy's integers are whole numbers, booleans and floats are not.
    least : int, default=1
        The smallest that is allowed.

    Raises
    ------
    ValueError
        If it is refused.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        whole = isinstance(value, float) and value.is_integer() and value >= least
        hint = f"; write {int(value)}" if whole else ""
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}{hint}")


def check_generator(rng: np.random.Generator) -> None:
    """Refuse seeds and other stand-ins: a seed would give the same draws in every call."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"rng must be a numpy.random.Generator, got {rng!r}; write np.random.default_rng(seed) "
            "once, and hand over the same object each time"
        )


def as_contexts(X: Any) -> Matrix:
    """Return contexts as a CSR array or a dense float array, refusing what is not finite.

    Parameters
    ----------
    X : array-like or sparse, shape (n_rounds, n_features)
        Contexts; sparse input of any format becomes CSR and is never densified. Repeated entries
        of a sparse row are summed.

    Returns
    -------
    csr_array or ndarray of float64
        The contexts, always as a new object that may share memory with `X`: a caller's buffer that
        is filled anew for each block must not be taken for the block before.
    """
    X = X if sparse.issparse(X) else _as_array(X)
    if X.dtype.kind not in "biuf":
        raise ValueError(f"contexts must be numbers, got {X.dtype} values; {_ENCODE}")
    if sparse.issparse(X):
        X = sparse.csr_array(X, dtype=np.float64)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.indices.dtype != np.int32 and max(X.shape[1], X.nnz) < 2**31:
            # scikit-learn refuses wider indices
            parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
            X = sparse.csr_array(parts, shape=X.shape)
        values = X.data
    else:
        X = X.astype(np.float64, copy=False).view()
        values = X
    if X.ndim != 2:
        raise ValueError(
            f"contexts must be a matrix of shape (n_rounds, n_features), got shape {X.shape}; "
            "write x.reshape(1, -1) for one context"
        )
    if X.shape[1] == 0:
        raise ValueError("contexts have no feature")
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)].flat[0]
        raise ValueError(f"contexts hold {bad}; impute or drop such values first")
    return X


_ENCODE = "turn text, categories and dates into numbers first, with a scikit-learn transformer"


def _as_array(X: Any) -> np.ndarray:
    """Make an array of an array-like; objects, such as a mixed data frame's, become numbers."""
    if np.ma.is_masked(X):
        raise ValueError("contexts have masked (missing) entries; fill them in first")
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            "contexts must be a matrix, got rows of different lengths; "
            "give every row the same columns"
        ) from error
    if array.dtype.kind != "O":
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"contexts must be numbers ({error}); {_ENCODE}") from error


def as_rewards(rewards: Any) -> np.ndarray:
    """Return rewards as integers 0 or 1; booleans and 0.0/1.0 are accepted."""
    array = np.asarray(rewards)
    if array.ndim != 1:
        raise ValueError(
            f"rewards must have shape (n_rounds,), got {array.shape}; "
            "write one reward per round, of the arm that was played"
        )
    if array.dtype.kind not in "bifu":
        raise ValueError(f"rewards must be numbers 0 or 1, got {rewards!r:.60}; write numbers")
    wrong = array[(array != 0) & (array != 1)]
    if len(wrong):
        raise ValueError(
            f"rewards must be 0 or 1, got {wrong[0]}; threshold or draw continuous rewards first"
        )
    return array.astype(np.int8)


def as_arms(arms: Any, n_arms: int) -> np.ndarray:
    """Return arms as integers, refusing what is out of range."""
    array = np.asarray(arms)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"arms must be whole numbers of shape (n_rounds,), got {arms!r:.60}; "
            "write one integer per round, as `select` returns them"
        )
    wrong = array[(array < 0) | (array >= n_arms)]
    if len(wrong):
        raise ValueError(f"arms must be in [0, {n_arms - 1}], got {wrong[0]}; count them from 0")
    return array.astype(np.int64)


def as_features(X: Any) -> Matrix:
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
