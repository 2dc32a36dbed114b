"""A policy's content as plain data and arrays, from which nothing can run as it is read.

Everything that is no single number or text is a node of a list, and refers to earlier nodes by
their position, so that what is shared stays shared and nothing contains itself. Objects are
instances of this package's own classes: they are made without a call, and given their attributes.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np
from scipy import sparse

_OWN = re.compile(r"cbkit\.(policies|oracles)(\.[a-z_]+)+:[A-Za-z_]+")
DTYPES = {np.dtype(code).newbyteorder("<").str for code in "?bBhHiIlLqQfd"}
_PACKED = {"b": np.int8, "q": np.int64}
_SPARSE = {"csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
_FUNCTIONS = {"cbkit.policies.choosers.exploration:logistic_gradient_norms"}
_KINDS = ("list", "tuple", "set", "deque", "dict", "array", "number", "packed", "sparse")
_OWN_KINDS = ("named", "object", "function")
_MOST_VALUES = 50_000_000  # of a node with all that it refers to, however often


class NotPlainError(ValueError):
    """Something that is neither plain data nor of this package."""


class PlainWriter:
    """Turns a value into nodes and arrays.

    Attributes
    ----------
    nodes : list
        Plain data, each node after those that it refers to.
    """

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self._arrays: dict[str, list[np.ndarray]] = {}
        self._used: dict[str, int] = {}
        self._known: dict[int, list[int] | None] = {}  # by id; None while it is being written
        self._kept: list[Any] = []  # so that no id is used twice
        self._path: list[str] = []

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all numbers of arrays, one vector per dtype."""
        return {dtype: np.concatenate(parts) for dtype, parts in self._arrays.items()}

    def write(self, value: Any) -> Any:
        """Return a value as it stands for itself, or a list of the number of its node.

        Raises
        ------
        NotPlainError
            If it cannot be written; says which, and how it was reached.
        """
        if value is None or type(value) in (bool, int, float, str):
            return value
        if id(value) not in self._known:
            self._known[id(value)] = None
            self._kept.append(value)
            self.nodes.append(self._node(value))
            self._known[id(value)] = [len(self.nodes) - 1]
        if self._known[id(value)] is None:
            raise NotPlainError(f"{self._where()} contains itself")
        return self._known[id(value)]

    def _node(self, value: Any) -> list[Any]:
        if type(value) in (list, tuple, set):
            return [type(value).__name__, [self.write(item) for item in value]]
        if type(value) is deque:
            return ["deque", [self.write(item) for item in value], value.maxlen]
        if type(value) is dict:
            return ["dict", self._items(value)]
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if type(value) is array and value.typecode in _PACKED:
            numbers = np.frombuffer(value, _PACKED[value.typecode])
            return ["packed", value.typecode, self.write(numbers)]
        if sparse.issparse(value) and type(value).__name__ in _SPARSE:
            parts = [self.write(part) for part in (value.data, value.indices, value.indptr)]
            return ["sparse", type(value).__name__, [int(size) for size in value.shape], parts]
        name = f"{type(value).__module__}:{type(value).__qualname__}"
        if isinstance(value, FunctionType):
            name = f"{value.__module__}:{value.__qualname__}"
            if name in _FUNCTIONS:
                return ["function", name]
        if not _OWN.fullmatch(name):
            raise NotPlainError(f"{self._where()} is a {type(value).__name__}, which is not plain")
        if isinstance(value, tuple):
            return ["named", name, [self.write(item) for item in value]]
        items = self._items(value) if isinstance(value, dict) else []
        return ["object", name, self._items(value.__getstate__() or {}), items]

    def _items(self, content: Mapping[Any, Any]) -> list[list[Any]]:
        found = []
        for key, item in content.items():
            self._path.append(str(key))
            found.append([self.write(key), self.write(item)])
            self._path.pop()
        return found

    def _array(self, value: np.ndarray | np.generic) -> list[Any]:
        order: Any = "F" if isinstance(value, np.ndarray) and value.flags.fnc else "C"
        numbers = np.asarray(value)
        dtype = numbers.dtype.newbyteorder("<").str
        if dtype not in DTYPES:
            raise NotPlainError(f"{self._where()} is an array of {numbers.dtype}")
        start = self._used.get(dtype, 0)
        self._arrays.setdefault(dtype, []).append(numbers.ravel(order).astype(dtype))
        self._used[dtype] = start + numbers.size
        kind = "array" if isinstance(value, np.ndarray) else "number"
        return [kind, dtype, start, list(numbers.shape), order]

    def _where(self) -> str:
        return ".".join(self._path) or "it"


def read_plain(nodes: Any, arrays: Mapping[str, np.ndarray], root: Any) -> Any:
    """Return the value that a `PlainWriter` wrote.

    Parameters
    ----------
    nodes : list
        What the writer's `nodes` were.
    arrays : mapping of str to ndarray
        What its `arrays` were.
    root : object
        What its `write` returned.

    Returns
    -------
    object
        A copy of the value, in which what was shared is shared.

    Raises
    ------
    NotPlainError
        If this is not what a writer gives; nothing but objects of this package's classes has been
        made then.
    """
    reader = _Reader(arrays)
    try:
        for node in nodes:
            reader.add(node)
        return reader.value(root)
    except NotPlainError:
        raise
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise NotPlainError(f"node {len(reader.made)} is none: {error}") from error


class _Reader:
    """Makes the values of nodes, one after the other."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.made: list[Any] = []
        self._arrays = arrays
        self._sizes: list[int] = []  # of values, counted as often as they are referred to
        self._size = 0

    def add(self, node: Any) -> None:
        """Make the value of the next node."""
        self._size = 1
        kind, *rest = node
        if kind not in (*_KINDS, *_OWN_KINDS):
            raise NotPlainError(f"{kind!r:.40} is no kind of node")
        self.made.append(getattr(self, f"_{kind}")(*rest))
        self._sizes.append(self._size)

    def value(self, given: Any) -> Any:
        """Return what stands for itself, or the value of an earlier node."""
        if given is None or type(given) in (bool, int, float, str):
            return given
        [number] = given
        if type(number) is not int or not 0 <= number < len(self.made):
            raise NotPlainError(f"node {len(self.made)} refers to {number!r:.40}")
        self._size += self._sizes[number]
        if self._size > _MOST_VALUES:
            raise NotPlainError("its parts refer to each other too often")
        return self.made[number]

    def _list(self, items: list[Any]) -> list[Any]:
        return [self.value(item) for item in items]

    def _tuple(self, items: list[Any]) -> tuple[Any, ...]:
        return tuple(self._list(items))

    def _set(self, items: list[Any]) -> set[Any]:
        return set(self._list(items))

    def _deque(self, items: list[Any], most: int | None) -> deque[Any]:
        return deque(self._list(items), most)

    def _dict(self, items: list[Any]) -> dict[Any, Any]:
        return {self.value(key): self.value(item) for key, item in items}

    def _array(self, dtype: str, start: int, shape: list[int], order: Any) -> np.ndarray:
        size = int(np.prod([int(length) for length in shape], dtype=object))
        numbers = self._arrays[dtype][start : start + size]
        wrong = start < 0 or size < 0 or min(shape, default=0) < 0 or len(numbers) != size
        if dtype not in DTYPES or wrong or order not in ("C", "F"):
            raise NotPlainError(f"node {len(self.made)} is an array beyond what is stored")
        return numbers.reshape(shape, order=order).copy(order=order)

    def _number(self, dtype: str, start: int, shape: list[int], order: str) -> Any:
        return self._array(dtype, start, shape, order)[()]

    def _packed(self, code: str, numbers: Any) -> array:
        return array(code, self.value(numbers).astype(_PACKED[code]).tobytes())

    def _sparse(self, name: str, shape: list[int], parts: list[Any]) -> Any:
        arrays = tuple(self.value(part) for part in parts)
        matrix = _SPARSE[name](arrays, shape=tuple(shape))
        matrix.check_format()  # all column numbers are within the shape
        return matrix

    def _named(self, name: str, items: list[Any]) -> Any:
        return _own_class(name, tuple)(*self._list(items))

    def _function(self, name: str) -> Any:
        if name not in _FUNCTIONS:
            raise NotPlainError(f"{name!r:.80} is no function that a policy has")
        module, _, attribute = name.partition(":")
        return getattr(import_module(module), attribute)

    def _object(self, name: str, state: list[Any], items: list[Any]) -> Any:
        cls = _own_class(name, object)
        made = cls.__new__(cls)
        if issubclass(cls, dict):
            made.update(self._dict(items))
        attributes = self._dict(state)
        given = fields(cls) if is_dataclass(cls) else ()
        missing = {field.name for field in given if field.init} - set(attributes)
        if missing:
            raise NotPlainError(f"a {cls.__name__} lacks its {min(missing)}")
        for attribute in attributes.keys() - {field.name for field in given}:
            there = getattr(cls, attribute, None)
            if not attribute.isidentifier() or callable(there) or isinstance(there, property):
                raise NotPlainError(f"a {cls.__name__} has no attribute {attribute!r:.40}")
        vars(made).update(attributes)
        return made


def _own_class(name: str, base: type) -> Any:
    """Return a class of this package by its name, without running anything of the file's."""
    if not _OWN.fullmatch(name):
        raise NotPlainError(f"{name!r:.80} is no class of cbkit's policies and oracles")
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute, None)
    except ImportError:
        found = None
    if not isinstance(found, type) or found.__module__ != module or not issubclass(found, base):
        raise NotPlainError(f"{name!r:.80} is no class of cbkit's policies and oracles")
    return found
