"""Download published data sets: pinned addresses, checked before a file counts as there."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from cbkit._base.watched import is_watched, progress_bar
from cbkit.datasets.manifest import Entry, SourceFile, entries, logged_entries
from cbkit.datasets.sources import cached_folder, explain_absence, find_fault

_TIMEOUT = 30  # seconds without an answer
_ATTEMPTS = 3
_PAUSE = 1.0  # seconds before the second attempt; the third waits twice as long
_PERMANENT = (400, 401, 403, 404, 410, 451)


class FetchError(RuntimeError):
    """A data set could not be downloaded; the message says why, and what to do instead."""


def fetch(name: str, *, mirror: str | None = None) -> Path:
    """Download a published data set into the cache, unless whole copies are there already.

    Parameters
    ----------
    name : str
        A data set of `data/datasets.yaml`.
    mirror : str, optional
        Address of a folder that holds copies as `<name>/<file>`; default: the pinned addresses.
        Copies from a mirror must have the same checksums.

    Returns
    -------
    pathlib.Path
        The folder with the files.

    Raises
    ------
    FetchError
        If a file cannot be had whole. Files that came whole stay, anything else is deleted, so
        fetching again goes on from there.
    """
    every = entries() | logged_entries()
    if name not in every:
        raise ValueError(
            f"{name!r} is nothing to fetch; the published data sets are {', '.join(every)}"
        )
    entry = every[name]
    if entry.derived_from is not None:
        return fetch(entry.derived_from, mirror=mirror)
    folder = cached_folder(name)
    for source in entry.files.values():
        target = folder / source.name
        if not target.is_file() or find_fault(target, source, entry.expected[2]):
            url = source.url if mirror is None else f"{mirror.rstrip('/')}/{name}/{source.name}"
            _fetch_file(url, target, source, entry)
    return folder


def _fetch_file(url: str, target: Path, source: SourceFile, entry: Entry) -> None:
    # Here, not above, as is pooch: most sessions download nothing.
    import requests

    for attempt in range(1, _ATTEMPTS + 1):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            with _quiet_pooch() as pooch:
                pooch.retrieve(
                    url,
                    known_hash=None,  # _Download checks: pooch knows no git blob checksums
                    fname=target.name,
                    path=target.parent,
                    downloader=_Download(source, entry.expected[2]),
                )
            return
        except (requests.RequestException, _FaultyFile) as error:
            if attempt == _ATTEMPTS or _is_permanent(error):
                raise FetchError(
                    f"could not download {source.name} from {url} "
                    f"({attempt} {'attempt' if attempt == 1 else 'attempts'}): {error}\n"
                    + explain_absence(entry)
                ) from error
            time.sleep(attempt * _PAUSE)
        except OSError as error:
            raise FetchError(f"could not store {target}: {error}") from error


class _FaultyFile(Exception):
    pass


class _Download:
    """Download into pooch's temporary file, and refuse it there if it is not the right one."""

    def __init__(self, source: SourceFile, n_labels: int) -> None:
        self.source, self.n_labels = source, n_labels

    def __call__(self, url: str, output_file: str, pooch_object: Any) -> None:
        bar = False
        if is_watched():
            # pooch sets the total anew, but takes a bar without one for no bar
            bar = progress_bar(total=1, unit="B", unit_scale=True, desc=self.source.name)
        with _quiet_pooch() as pooch:
            download = pooch.HTTPDownloader(progressbar=bar, timeout=_TIMEOUT)
            download(url, output_file, pooch_object)
        fault = find_fault(Path(output_file), self.source, self.n_labels)
        if fault is not None:
            raise _FaultyFile(f"what came {fault}")


def _is_permanent(error: Exception) -> bool:
    response = getattr(error, "response", None)
    return response is not None and response.status_code in _PERMANENT


@contextmanager
def _quiet_pooch() -> Iterator[ModuleType]:
    """Silence pooch's advice to pin a hash; files are checked here."""
    with warnings.catch_warnings():
        # Inside a notebook, importing pooch warns about missing widgets, which nothing here uses.
        warnings.filterwarnings("ignore", message="IProgress not found")
        import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield pooch
    finally:
        logger.setLevel(level)
