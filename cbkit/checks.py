"""Checks of arguments, each error saying what was wrong, the value and what to write instead."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from cbkit.row_store import Matrix


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
