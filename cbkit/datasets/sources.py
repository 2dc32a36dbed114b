"""Where published data sets lie on this machine, and whether their files are whole."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from cbkit.datasets.formats import FormatError, read_label_names
from cbkit.datasets.manifest import Entry, SourceFile
from cbkit.paths import cache_dir


class DatasetAbsentError(FileNotFoundError):
    """A published data set is not on this machine; the message says how to get it."""


@dataclass(frozen=True)
class Place:
    """A folder that holds all files of a data set; `where` is "folder" or "cache"."""

    folder: Path
    where: str


def offered_folders() -> list[Path]:
    """Return the folders that the environment variable CBKIT_DATA lists."""
    listed = os.environ.get("CBKIT_DATA", "").split(os.pathsep)
    return [Path(folder).expanduser() for folder in listed if folder]


def cached_folder(name: str) -> Path:
    """Return the folder that a data set is fetched into."""
    return cache_dir() / "sources" / name


def find(entry: Entry) -> Place | None:
    """Find a folder with all files of a data set: those of CBKIT_DATA first, then the cache.

    The files may lie in an offered folder itself, or in a subfolder with the data set's name.
    """
    candidates = [
        Place(place, "folder")
        for folder in offered_folders()
        for place in (folder / entry.name, folder)
    ]
    candidates.append(Place(cached_folder(entry.name), "cache"))
    for place in candidates:
        if all((place.folder / file).is_file() for file in entry.files):
            return place
    return None


def digest(path: Path, source: SourceFile) -> str:
    """Return a file's checksum, of the kind by which it is pinned (SHA-256 if by none)."""
    content = path.read_bytes()
    if source.git_blob is not None:
        return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return hashlib.sha256(content).hexdigest()


def find_fault(path: Path, source: SourceFile, n_labels: int) -> str | None:
    """Return what is wrong with a copy of a published file, or None if it is whole and right.

    Parameters
    ----------
    path : Path
        The copy.
    source : SourceFile
        What is known of the published file. Where that is no checksum, it is read as a label file.
    n_labels : int
        Number of names in a label file.

    Returns
    -------
    str or None
        Goes on from the file's name, such as "has 5 bytes, expected 7".
    """
    size = path.stat().st_size
    if source.bytes is not None and size != source.bytes:
        return f"has {size:,} bytes, expected {source.bytes:,}"
    if source.pinned is not None:
        found = digest(path, source)
        kind = "git blob SHA-1" if source.git_blob else "SHA-256"
        return None if found == source.pinned else f"has {kind} {found}, expected {source.pinned}"
    try:
        names = read_label_names(path)
    except FormatError as error:
        return f"is not a label file ({error})"
    return None if len(names) == n_labels else f"names {len(names)} labels, expected {n_labels}"


def explain_absence(entry: Entry) -> str:
    """Return in words where a data set was looked for, and every way to get it or do without."""
    files = ", ".join(entry.files)
    folders = [
        f"{folder}{'' if folder.is_dir() else ' (no such folder)'}" for folder in offered_folders()
    ]
    looked = f"the CBKIT_DATA folders {', '.join(folders)}" if folders else "CBKIT_DATA (not set)"
    addresses = "\n".join(f"      {file.url}" for file in entry.files.values())
    substitute = (
        f"Or use a planted log that needs no download: {entry.substitute}."
        if entry.logged
        else f"Or use data of the same shape that needs no download: "
        f"load_dataset({entry.substitute!r}), or the small load_dataset('demo')."
    )
    return (
        f"data set {entry.name!r} is not at hand: {files} in neither {looked} "
        f"nor the cache {cached_folder(entry.name)}.\n"
        f"  - To download it, run: python -m cbkit fetch {entry.name}\n"
        f"  - Or download these files elsewhere, and set CBKIT_DATA to their folder:\n"
        f"{addresses}\n"
        f"  - {substitute}"
    )
