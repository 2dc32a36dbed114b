"""Checks of arguments, each error saying what was wrong, the value and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import sparse

if TYPE_CHECKING:
    Matrix: TypeAlias = Any  # scipy has no types, by which mypy could tell sparse from dense
else:
    Matrix = np.ndarray | sparse.csr_array

_LARGEST = 1e150  # the squares of larger numbers, and their sums, overflow


def check_number(name: str, value: float) -> None:
    """Check that a value is one finite number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def check_percentile(value: float) -> None:
    """Check that a value is a percentile; a fraction is likely meant as one, and refused."""
    check_number("percentile", value)
    if not 0 <= value <= 100:
        raise ValueError(f"percentile must be in [0, 100], got {value!r}")
    if 0 < value < 1:
        raise ValueError(
            f"percentile must be in [0, 100], got {value!r}; did you mean {100 * value:g}?"
        )


def check_probability(name: str, value: float) -> None:
    """Check that a value is a probability; a percentage is likely meant as one, and refused."""
    check_number(name, value)
    if not 0 <= value <= 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value <= 100 else ""
        raise ValueError(f"{name} must be in [0, 1], got {value!r}{hint}")


def check_decay(value: float) -> None:
    """Check that a value is a factor per round, above 0 and at most 1."""
    check_number("decay", value)
    if not 0 < value <= 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value <= 100 else ""
        raise ValueError(f"decay must be in (0, 1], where 1 is no decay; got {value!r}{hint}")


def check_whole(name: str, value: Any, least: int = 1) -> None:
    """Check that a value is a whole number of at least `least`; booleans and 5.0 are not."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        whole = isinstance(value, float) and value.is_integer() and value >= least
        hint = f"; write {int(value)}" if whole else ""
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}{hint}")


def check_generator(rng: Any) -> np.random.Generator:
    """Return a generator; a seed in its place would give the same draws in every call."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"rng must be a numpy.random.Generator, got {rng!r}; write np.random.default_rng(seed) "
            "once, and hand over the same object each time"
        )
    return rng


def as_features(X: Any, name: str = "features", *, copy: bool = True) -> Matrix:
    """Return features as finite float64 numbers, a CSR array if they come sparse, else dense.

    Parameters
    ----------
    X : array-like, sparse of any format or numeric DataFrame, shape (n_rows, n_features)
        Numbers of at most 1e150 in size. Sparse input is never densified; repeated entries of a
        row are summed.
    name : {"features", "contexts"}, default="features"
        What to call them in errors.
    copy : bool, default=True
        Whether the result has memory of its own, and stores no zeros if sparse. Else it may share
        memory with `X`, but is always a new object: a caller's buffer that is filled anew for each
        block must not be taken for the block before.

    Returns
    -------
    ndarray or csr_array of float64, shape (n_rows, n_features)
        Sparse indices are of 32 bits where they fit, as scikit-learn refuses wider ones.

    Raises
    ------
    ValueError
        If `X` is anything else.

    Examples
    --------
    >>> as_features([[1, 0], [0, 2]])
    array([[1., 0.],
           [0., 2.]])
    """
    numbers = _numbers(X, name)
    if numbers.shape[1] == 0:
        raise ValueError(f"{name} have no columns; a contextual problem needs at least one")
    if sparse.issparse(numbers):
        stored = _as_csr(numbers, copy)
        _check_values(stored.data, name, lambda at: _csr_position(stored, at))
        return stored
    if copy:
        dense = np.array(numbers, dtype=np.float64, order="C")
    else:
        dense = numbers.astype(np.float64, copy=False).view()
    _check_values(dense, name, lambda at: divmod(at, dense.shape[1]))
    return dense


def as_labels(labels: Any) -> sparse.csr_array:
    """Return a 0/1 label matrix as an int8 CSR array of its own memory, one column per arm.

    Parameters
    ----------
    labels : array, sparse matrix or array of any kind, or DataFrame, (n_rows, n_arms)
        Zeros and ones, as numbers or booleans.

    Returns
    -------
    csr_array of int8, shape (n_rows, n_arms)

    Raises
    ------
    ValueError
        If there are other values, or fewer than two columns.

    Examples
    --------
    >>> as_labels([[True, False], [0, 1]]).toarray()
    array([[1, 0],
           [0, 1]], dtype=int8)
    """
    stored = _as_csr(_numbers(labels, "labels"), copy=True)
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


_TRANSFORM = (
    "turn text into numbers first, with a scikit-learn transformer "
    "such as OneHotEncoder or TfidfVectorizer"
)
_FROM_TEXT = {
    "features": _TRANSFORM,
    "contexts": _TRANSFORM,
    "labels": (
        "turn names into one 0/1 column per arm first, with pandas.get_dummies, or with "
        "scikit-learn's MultiLabelBinarizer where a row has several"
    ),
}
_TO_MATRIX = {
    "features": "reshape a single feature with X.reshape(-1, 1)",
    "contexts": "write x.reshape(1, -1) for one context",
    "labels": "give one 0/1 column per arm; for class numbers use sklearn's label_binarize",
}


def _numbers(values: Any, name: str) -> np.ndarray | sparse.sparray | sparse.spmatrix:
    """Return the real numbers of an array-like of two dimensions; raise for everything else."""
    if isinstance(values, pd.DataFrame):
        values = _frame_numbers(values, name)
    if not sparse.issparse(values):
        values = _array_numbers(values, name)
    if values.dtype.kind not in "biuf":
        if values.dtype.kind == "c":
            raise ValueError(f"{name} must be real numbers, got dtype {values.dtype}; write X.real")
        raise ValueError(f"{name} must be numbers, got dtype {values.dtype}; {_FROM_TEXT[name]}")
    if values.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, got shape {values.shape}; {_TO_MATRIX[name]}"
        )
    return values


def _frame_numbers(frame: pd.DataFrame, name: str) -> np.ndarray | sparse.coo_matrix:
    types = pd.api.types
    text = [
        str(column)
        for column, dtype in zip(frame.columns, frame.dtypes, strict=True)
        if not types.is_numeric_dtype(dtype) or types.is_complex_dtype(dtype)
    ]
    if text:
        shown = ", ".join(repr(column) for column in text[:5]) + (", ..." if len(text) > 5 else "")
        raise ValueError(f"{name} have columns that are not numbers: {shown}; {_FROM_TEXT[name]}")
    is_sparse = [isinstance(t, pd.SparseDtype) and t.fill_value == 0 for t in frame.dtypes]
    if is_sparse and all(is_sparse):
        return frame.sparse.to_coo()
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _array_numbers(values: Any, name: str) -> np.ndarray:
    if np.ma.is_masked(values):
        raise ValueError(f"{name} have masked (missing) entries; fill them in first")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a matrix, got rows of different lengths; "
            "give every row the same columns"
        ) from error
    if array.dtype != object:
        return array
    for item in array.flat:  # numbers alone: NumPy would read those in text as well
        if not isinstance(item, (Real, np.bool_, type(None))):
            raise ValueError(f"{name} must be numbers, got {item!r}; {_FROM_TEXT[name]}")
    return array.astype(np.float64)


def _as_csr(values: Any, copy: bool) -> sparse.csr_array:
    """Return a CSR array without duplicates, of indices as narrow as scikit-learn wants them."""
    stored = sparse.csr_array(values, dtype=np.float64, copy=copy)
    if not stored.has_canonical_format:
        stored = stored if copy else stored.copy()
        stored.sum_duplicates()
    if copy:
        stored.eliminate_zeros()
    if stored.indices.dtype != np.int32 and max(stored.shape[1], stored.nnz) < 2**31:
        parts = stored.data, stored.indices.astype(np.int32), stored.indptr.astype(np.int32)
        stored = sparse.csr_array(parts, shape=stored.shape)
    return stored


def _csr_position(stored: sparse.csr_array, at: int) -> tuple[int, int]:
    row = int(np.searchsorted(stored.indptr, at, side="right")) - 1
    return row, int(stored.indices[at])


def _check_values(
    values: np.ndarray, name: str, position: Callable[[int], tuple[int, int]]
) -> None:
    if values.size == 0 or max(values.max(), -values.min()) <= _LARGEST:  # False for NaN
        return
    flat = values.ravel()
    at = int(np.argmin(np.abs(flat) <= _LARGEST))
    row, column = position(at)
    where = f"got {flat[at]} in row {row}, column {column}"
    if np.isfinite(flat[at]):
        raise ValueError(
            f"{name} must lie in [-1e150, 1e150], as squares of larger numbers overflow; {where}; "
            "rescale the column first (e.g. sklearn.preprocessing.StandardScaler)"
        )
    raise ValueError(
        f"{name} must be finite, {where}; "
        "impute missing values first (e.g. sklearn.impute.SimpleImputer)"
    )


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
