"""Name things by their content: what a value is, as plain data, and a hash of that."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


def fingerprint(content: Any) -> str:
    """Hash the content of a value: the same in every process, whatever the order of its keys.

    Examples
    --------
    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    >>> fingerprint({"a": 1}) == fingerprint({"a": 2})
    False
    """
    text = json.dumps(describe(content), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def describe(value: Any) -> Any:
    """Write a value as plain data that says all there is to know of it.

    Parameters
    ----------
    value : object
        Plain data, arrays, dataclass objects, scikit-learn estimators, enumerations, and named
        functions or classes, also with parameters bound by `functools.partial`.

    Returns
    -------
    Lists, dicts with string keys, text, numbers, booleans and None.

    Raises
    ------
    ValueError
        For anything else, such as a lambda, whose content cannot be told.

    Examples
    --------
    >>> from cbkit.policies.cold_start import Smoothing
    >>> describe({"cold_start": Smoothing(a=1, b=10)})
    {'cold_start': {'cbkit.policies.cold_start:Smoothing': {'a': 1.0, 'b': 10.0}}}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, Mapping):
        return {_text_key(key): describe(item) for key, item in value.items()}
    if isinstance(value, functools.partial):
        bound = [*map(describe, value.args), describe(value.keywords)]
        return {"function": describe(value.func), "bound": bound}
    if isinstance(value, enum.Enum):
        return {_address(type(value)): value.name}
    if inspect.isroutine(value) or inspect.isclass(value):
        return _describe_code(value)
    if dataclasses.is_dataclass(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
        return {_address(type(value)): describe(fields)}
    if isinstance(value, BaseEstimator):
        return {_address(type(value)): describe(value.get_params(deep=False))}
    raise ValueError(
        f"the content of {value!r} ({type(value).__name__}) cannot be told; write plain data, "
        "a dataclass, a scikit-learn estimator or a named function instead"
    )


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"keys must be text, got {key!r}")
    return key


def _address(code: Any) -> str:
    return f"{code.__module__}:{code.__qualname__}"


def _describe_code(code: Callable[..., Any]) -> Any:
    """Address of a function or class; for one outside installed packages, its source as well."""
    address = _address(code)
    if "<lambda>" in address or "<locals>" in address:
        raise ValueError(
            f"{address} has no name that other processes know; write a function with `def` at the "
            "top level of a module or notebook cell, and bind its parameters with functools.partial"
        )
    if inspect.ismethod(code) or code.__module__.split(".")[0] in {"cbkit", "builtins", "sklearn"}:
        return address
    try:
        return {address: inspect.getsource(code)}
    except (OSError, TypeError):
        if code.__module__ == "__main__":
            raise ValueError(
                f"the source of {address} is not at hand, so that a change to it would go "
                "unnoticed; move it to a module"
            ) from None
        return address
