"""cbkit: contextual bandits from binary classifiers, after Cortes (2018).

The workbook's notebooks call what is named in `__init__.pyi`; `README.md` maps them to the paper.
A name is loaded when it is first used, so that ``import cbkit`` takes no time.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from cbkit._base.version import __version__ as __version__


def _public_names() -> dict[str, str]:
    """Return the module that defines each public name, by the stub: its one list."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_MODULES = _public_names()
__all__ = sorted(_MODULES)


class _Package(ModuleType):
    """A package whose function `simulate` is not replaced as the room of that name is loaded."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    """Return a public name, from the module that defines it."""
    if name not in _MODULES:
        raise AttributeError(f"module 'cbkit' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, those that are not loaded yet among them."""
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Package
