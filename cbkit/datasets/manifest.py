"""The list of published data sets: `data/datasets.yaml`, checked and typed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from cbkit.paths import project_root


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A published file: its address and what a whole and right copy of it looks like."""

    name: str
    url: str
    bytes: int | None = None
    sha256: str | None = None
    git_blob: str | None = None

    @property
    def pinned(self) -> str | None:
        """The checksum of the right file, where one is known."""
        return self.sha256 or self.git_blob


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A published data set (see the comments in `data/datasets.yaml`)."""

    name: str
    title: str
    expected: tuple[int, int, int]
    substitute: str
    logged: bool = False
    paper: tuple[float, ...] | None = None
    data: tuple[str, ...] = ()
    labels: str | None = None
    files: dict[str, SourceFile] = field(default_factory=dict)
    drop_unused_arms: bool = False
    derived_from: str | None = None
    drop_common_arms: int = 0


@cache
def entries() -> dict[str, Entry]:
    """Read the manifest's multilabel data sets: name of the data set -> entry.

    Examples
    --------
    >>> entries()["bibtex"].expected
    (7395, 1836, 159)
    """
    return {name: entry for name, entry in _manifest().items() if not entry.logged}


def logged_entries() -> dict[str, Entry]:
    """Read the manifest's logged bandit data: name -> entry; `cbkit.off_policy` reads their files.

    Examples
    --------
    >>> list(logged_entries())
    ['obd']
    """
    return {name: entry for name, entry in _manifest().items() if entry.logged}


def _manifest() -> dict[str, Entry]:
    text = (project_root() / "data" / "datasets.yaml").read_text(encoding="utf-8")
    return {name: _entry(name, raw) for name, raw in yaml.safe_load(text).items()}


def _entry(name: str, raw: dict[str, Any]) -> Entry:
    files = {
        file_name: SourceFile(name=file_name, **facts)
        for file_name, facts in raw.pop("files", {}).items()
    }
    for key in ("expected", "paper", "data"):
        if key in raw:
            raw[key] = tuple(raw[key])
    return Entry(name=name, files=files, **raw)
