"""Name things by their content: values and code as plain data, and a hash of that."""

from __future__ import annotations

import copyreg
import enum
import functools
import hashlib
import json
import logging
import re
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.reached import is_own_class, is_own_function, is_own_module, reached_names

# Of a class: what is made by Python itself, or says where the class stands.
_NOT_CODE = {
    *("__module__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"),
    "__slotnames__",
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
    *("__dataclass_fields__", "__dataclass_params__", "_abc_impl"),
}
_DESCRIPTORS = (
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def fingerprint(content: Any) -> str:
    """Return a hash of a value's content: equal in every process, folder and Python session.

    Parameters
    ----------
    content : object
        As for `describe`.

    Returns
    -------
    str
        SHA-256 in hexadecimal.

    Examples
    --------
    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    >>> fingerprint({"a": 1}) == fingerprint({"a": 2})
    False
    """
    return hashlib.sha256(_json(describe(content)).encode()).hexdigest()


def describe(value: Any) -> Any:
    """Return plain data that holds all that a value's behaviour depends on.

    Code is followed as far as it is the user's own, that is outside the standard library, installed
    packages and cbkit: a function's bytecode, defaults, closure, and every function, class and
    constant that it names, also through modules; a class's body and bases. An object is its class
    and its fields. Code from elsewhere is known by its name alone. Comments, the place of a file
    and memory addresses do not count, nor does the order of keywords; that of a dict that code
    refers to does.

    Parameters
    ----------
    value : object
        Plain data, arrays, tables, functions, classes, and objects that can be pickled.

    Returns
    -------
    Lists, dicts with text as keys, text, numbers, booleans and None.

    Raises
    ------
    ValueError
        For anything else, such as a lock or an open file; names it and how it was reached.

    Examples
    --------
    >>> from cbkit.policies.cold_start import Smoothing
    >>> describe([1, Smoothing])
    [1, {'installed': 'cbkit.policies.cold_start:Smoothing'}]
    """
    return _Describer().of(value)


def _json(plain: Any) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))


class _Describer:
    """Walks through a value; code met again, as in cycles, is referred to by its number."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}  # functions, classes and modules: id -> number
        self._open: list[int] = []  # containers and objects that are being described
        self._kept: list[Any] = []  # so that no id is used twice
        self._path: list[str] = []
        self._in_code = False

    def of(self, value: Any) -> Any:
        """Return the description of any value."""
        if isinstance(value, enum.Enum):
            return {"enum": self.of(type(value)), "name": value.name}
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.bool_ | np.integer | np.floating) and value.dtype.itemsize <= 8:
            return value.item()
        if isinstance(value, bytes | bytearray | memoryview):
            return {"bytes": hashlib.sha256(value).hexdigest()}
        if value is Ellipsis or value is NotImplemented or isinstance(value, complex):
            return {"constant": repr(value)}
        if isinstance(value, type) and not isinstance(value, types.GenericAlias):
            return self._once(value, self._class) if is_own_class(value) else _named(value)
        if isinstance(value, types.FunctionType):
            own = is_own_function(value)
            return self._once(value, self._function if own else self._wrapper)
        if isinstance(value, types.ModuleType):
            own = is_own_module(value.__name__)
            return self._once(value, self._module) if own else {"installed": value.__name__}
        if isinstance(value, types.CodeType):
            return self._code(value)
        if isinstance(value, _DESCRIPTORS):
            return {"descriptor": value.__qualname__}
        if isinstance(value, types.BuiltinFunctionType):
            owner = value.__self__
            if owner is None or isinstance(owner, types.ModuleType):
                return _named(value)
            return {"method": value.__name__, "of": self.of(owner)}
        with self._opened(value) as above:
            return {"again": above} if above is not None else self._object(value)

    def _object(self, value: Any) -> Any:
        """Return the description of a container, or of an object by its class and fields."""
        if type(value) is list:
            return [self.of(item) for item in value]
        if type(value) is tuple:
            return {"tuple": [self.of(item) for item in value]}
        if type(value) in (set, frozenset):
            return {"set": sorted((self.of(item) for item in value), key=_json)}
        if type(value) in (dict, types.MappingProxyType):
            return self._mapping(value)
        if isinstance(value, MultilabelDataset):
            return {"dataset": [value.name, value.checksum, value.layout]}
        if isinstance(value, np.ndarray | np.generic) and not isinstance(value, np.ma.MaskedArray):
            return self._array(np.asarray(value))
        if sparse.issparse(value):
            rows = sparse.csr_array(value)
            parts = rows.indptr.astype("<i8"), rows.indices.astype("<i8"), rows.data
            return {"sparse": [value.format, *map(int, value.shape), *map(self._array, parts)]}
        if isinstance(value, pd.DataFrame):
            columns = [value.iloc[:, at] for at in range(value.shape[1])]
            return {"table": [self.of(part) for part in (value.columns, value.index, *columns)]}
        if isinstance(value, pd.Series | pd.Index):
            index = [self.of(value.index)] if isinstance(value, pd.Series) else []
            content = self._array(value.to_numpy())
            return {"column": [self.of(value.name), str(value.dtype), content, *index]}
        if isinstance(value, logging.Logger):
            return {"logger": None}  # what is logged changes no result
        if isinstance(value, functools.partial):
            bound = {name: self._under(name, bound) for name, bound in value.keywords.items()}
            return {"partial": [self.of(value.func), self.of(value.args)], "keywords": bound}
        if isinstance(value, types.MethodType):
            return {"method": self.of(value.__func__), "of": self.of(value.__self__)}
        if isinstance(value, classmethod | staticmethod):
            return {type(value).__name__: self.of(value.__func__)}
        if isinstance(value, property):
            return {"property": [self.of(part) for part in (value.fget, value.fset, value.fdel)]}
        if isinstance(value, functools.cached_property):
            return {"property": self.of(value.func)}
        if isinstance(value, types.GenericAlias | types.UnionType) or (
            type(value).__module__ == "typing"
        ):
            return {"type": _annotation(value)}
        if callable(getattr(value, "__wrapped__", None)) and not is_own_class(type(value)):
            # functools.cache and its like
            return {"wrapper": self.of(type(value)), "wrapped": self.of(value.__wrapped__)}
        return self._fields(value)

    def _fields(self, value: Any) -> Any:
        """Return the description of an object by what pickle would keep of it."""
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except Exception as error:
            where = f", reached as {' -> '.join(self._path)}" if self._path else ""
            raise ValueError(
                f"the content of {value!r:.200} ({type(value).__name__}{where}) cannot be told; "
                "make it inside the function that uses it, or write plain data, a dataclass or a "
                "named function instead"
            ) from error
        if isinstance(reduced, str):
            return {"installed": f"{value.__module__}:{reduced}"}
        make, arguments, state, *items = (*reduced, None, None, None)[:5]
        if isinstance(state, dict):
            # What is worked out from other fields comes and goes with its use.
            state = {
                name: field
                for name, field in state.items()
                if name != "_sklearn_version"
                and not isinstance(getattr(type(value), str(name), None), functools.cached_property)
            }
            state = {"state": {str(name): self._under(str(name), state[name]) for name in state}}
        else:
            state = {"state": self.of(state)}
        contents = [self.of(None if part is None else list(part)) for part in items]
        return {"object": [self.of(make), self.of(arguments), *contents]} | state

    def _mapping(self, value: Mapping[Any, Any]) -> Any:
        items = [[self.of(key), self._under(str(key), item)] for key, item in value.items()]
        return {"dict": items if self._in_code else sorted(items, key=_json)}

    def _array(self, array: np.ndarray) -> Any:
        if array.dtype.hasobject:
            return {"array": self.of(array.ravel().tolist()), "shape": array.shape}
        content = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        return {"array": content, "shape": array.shape, "dtype": str(array.dtype)}

    def _function(self, function: types.FunctionType) -> Any:
        names = function.__code__.co_freevars
        closure = zip(names, map(_cell, function.__closure__ or ()), strict=True)
        reached = reached_names(function.__code__, function.__globals__)
        return {
            "function": function.__qualname__,
            "code": self._code(function.__code__),
            "defaults": [self.of(function.__defaults__), self.of(function.__kwdefaults__)],
            "closure": {name: self._under(name, value) for name, value in closure},
            "reached": {name: self._under(name, value) for name, value in reached.items()},
            "attributes": self.of(vars(function)),
            "annotations": _annotations(function),
        }

    def _wrapper(self, function: types.FunctionType) -> Any:
        """Return the description of an installed function, and of own code that it wraps."""
        wrapped = [getattr(function, "__wrapped__", None), getattr(function, "registry", None)]
        for content in map(_cell, function.__closure__ or ()):
            if isinstance(
                content, types.FunctionType | types.MethodType | functools.partial | type
            ):
                wrapped.append(content)
        # A wrapper may bear the name of what it wraps; its code does not.
        name = f"{function.__globals__.get('__name__')}:{function.__code__.co_qualname}"
        wraps = [self.of(part) for part in wrapped if part is not None]
        return {"installed": name} | ({"wraps": wraps} if wraps else {})

    def _code(self, code: types.CodeType) -> Any:
        return {
            "bytecode": code.co_code.hex() + code.co_exceptiontable.hex(),
            "constants": [self.of(constant) for constant in code.co_consts],
            "names": [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars],
            "arguments": [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount],
            "flags": code.co_flags,
        }

    def _class(self, cls: type) -> Any:
        body = {name: part for name, part in vars(cls).items() if name not in _NOT_CODE}
        if isinstance(cls, enum.EnumMeta):
            members: dict[str, Any] = {
                name: cls.__members__[name].value for name in cls.__members__
            }
            body = {name: part for name, part in body.items() if callable(part) or name[0] != "_"}
            body = {name: part for name, part in body.items() if name not in members}
            body["members"] = list(members.items())
        if isinstance(body.get("__doc__"), str):  # a dataclass's may show its defaults
            body["__doc__"] = _ADDRESS.sub("", body["__doc__"])
        return {
            "class": cls.__qualname__,
            "of": [self.of(base) for base in (type(cls), *cls.__bases__)],
            "body": {name: self._under(name, part) for name, part in body.items()},
            "annotations": _annotations(cls),
            "fields": [
                {name: self.of(getattr(field, name)) for name in _FIELD if hasattr(field, name)}
                for field in vars(cls).get("__dataclass_fields__", {}).values()
            ],
        }

    def _module(self, module: types.ModuleType) -> Any:
        """Return the description of a module that is used as a whole."""
        content = {name: part for name, part in vars(module).items() if name[:2] != "__"}
        return {"module": {name: self._under(name, part) for name, part in content.items()}}

    def _under(self, name: str, value: Any) -> Any:
        """Return the description of what is reached under a name."""
        self._path.append(name)
        try:
            return self.of(value)
        finally:
            self._path.pop()

    def _once(self, code: Any, describe_it: Any) -> Any:
        """Return the description of code at the first meeting, its number afterwards."""
        if id(code) in self._met:
            return {"met": self._met[id(code)]}
        self._met[id(code)] = len(self._met)
        self._kept.append(code)
        within, self._in_code = self._in_code, True
        self._path.append(code.__name__)
        try:
            return describe_it(code)
        finally:
            self._path.pop()
            self._in_code = within

    @contextmanager
    def _opened(self, value: Any) -> Iterator[int | None]:
        """Yield None, or for what is inside itself how many levels above it was opened."""
        above = next((at for at, one in enumerate(reversed(self._open)) if one == id(value)), None)
        self._open.append(id(value))
        self._kept.append(value)
        try:
            yield above
        finally:
            self._open.pop()


_FIELD = ("name", "default", "default_factory", "init", "kw_only", "repr", "compare", "metadata")


def _named(code: Any) -> Any:
    return {"installed": f"{code.__module__}:{code.__qualname__}"}


def _cell(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "not set yet"


def _annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else _ADDRESS.sub("", repr(annotation))


def _annotations(code: Any) -> Any:
    """Return names and annotations in order, as text: dataclasses make fields of them."""
    try:
        found = code.__annotations__
    except NameError:  # of what is imported for type checkers alone
        return None
    return [[name, _annotation(annotation)] for name, annotation in found.items()]
