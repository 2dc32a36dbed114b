"""Which code is the user's own, and what a function's bytecode reaches by name."""

from __future__ import annotations

import dis
import functools
import importlib
import importlib.util
import os
import sys
import sysconfig
import types
from collections.abc import Iterator
from typing import Any

_LIBRARIES = tuple(
    os.path.join(os.path.realpath(sysconfig.get_paths()[name]), "")
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


@functools.cache
def _is_installed(path: str) -> bool:
    """Return whether a file is one of the standard library or of an installed package."""
    path = os.path.realpath(path)
    parts = path.split(os.sep)
    return path.startswith(_LIBRARIES) or "site-packages" in parts or "dist-packages" in parts


def is_own_module(name: str | None) -> bool:
    """Return whether a module is the user's own: no part of Python, an installed package or cbkit.

    Examples
    --------
    >>> is_own_module("numpy"), is_own_module("cbkit.simulate"), is_own_module("__main__")
    (False, False, True)
    """
    if name is None or name == "__main__":
        return True
    top = name.partition(".")[0]
    if top in ("cbkit", "builtins"):
        return False
    module = sys.modules.get(name, sys.modules.get(top))
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", [])), None)
    return top not in sys.stdlib_module_names if path is None else not _is_installed(path)


def is_own_function(function: types.FunctionType) -> bool:
    """Return whether the user wrote a function, by the file or module that its code stands in."""
    module = function.__globals__.get("__name__")
    if str(module).partition(".")[0] == "cbkit":
        return False
    path = function.__code__.co_filename
    return is_own_module(module) if path.startswith("<") else not _is_installed(path)


def is_own_class(cls: type) -> bool:
    """Return whether the user wrote a class, by the module that it says it is of."""
    return is_own_module(cls.__module__)


def reached_names(code: types.CodeType, namespace: dict[str, Any]) -> dict[str, Any]:
    """Return what a function's code reaches by name: dotted name -> value.

    A module of one's own is followed to the attributes that are read off it at once, such as
    ``mymodule.EPS``; where it is handed on, it is reached as a whole. Names that stand for nothing
    yet, or for built-ins, are left out.

    Parameters
    ----------
    code : code object
        Of the function; code nested in it is included.
    namespace : dict
        The function's global names.

    Examples
    --------
    >>> reached_names(compile("limit + len([])", "", "eval"), {"limit": 3})
    {'limit': 3}
    """
    found: dict[str, Any] = {}
    for chain in _chains(code):
        if chain[0] in namespace and chain[0] not in ("__name__", "__file__", "__doc__"):
            found |= _followed(namespace[chain[0]], chain[0], chain[1:])
    for name, level, wanted in _imports(code):
        module = _own_import("." * level + name, namespace)
        if module is None:
            continue
        for attribute in wanted:
            if attribute not in vars(module):
                _own_import(f"{module.__name__}.{attribute}", namespace)
            found |= _followed(module, module.__name__, [attribute])
        if not wanted:
            found[module.__name__] = module
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= reached_names(constant, namespace)
    return found


def _followed(value: Any, name: str, attributes: list[str]) -> dict[str, Any]:
    for attribute in attributes:
        own = isinstance(value, types.ModuleType) and is_own_module(value.__name__)
        if not own or attribute not in vars(value):
            break
        value, name = vars(value)[attribute], f"{name}.{attribute}"
    return {name: value}


def _chains(code: types.CodeType) -> Iterator[list[str]]:
    """Yield each global name that is loaded, with the attributes that are read off it at once."""
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if chain and instruction.opname in _ATTRIBUTES:
            chain.append(instruction.argval)
            continue
        if chain and instruction.opname in ("CACHE", "EXTENDED_ARG", "NOP"):
            continue
        if chain:
            yield chain
        chain = [instruction.argval] if instruction.opname in _LOADS else []
    if chain:
        yield chain


def _imports(code: types.CodeType) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yield what is imported inside a function: module, level, and the names taken from it."""
    before: list[Any] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            level, names = before[-2:]
            yield instruction.argval, level, names or ()
        if instruction.opname not in ("CACHE", "EXTENDED_ARG"):
            before.append(instruction.argval)


def _own_import(name: str, namespace: dict[str, Any]) -> types.ModuleType | None:
    """Return a module of the user's own as an import would find it; None for any other."""
    try:
        name = importlib.util.resolve_name(name, namespace.get("__package__"))
        top = name.partition(".")[0]
        if top not in sys.modules:
            spec = importlib.util.find_spec(top)
            if spec is None or (spec.origin and _is_installed(spec.origin)):
                return None
        return importlib.import_module(name) if is_own_module(name) else None
    except Exception:  # whoever runs the function will learn of it
        return None
