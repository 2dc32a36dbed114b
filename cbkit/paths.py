"""Where the workbook reads and writes, whatever the working directory is.

Notebooks run in their own folder under JupyterLab and nbval and elsewhere under the runner, so they
take every path from here.
"""

import contextlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

_DAY = 24 * 3600


def project_root() -> Path:
    """Return the folder of the checkout, the one that holds ``notebooks/`` and ``data/``.

    Examples
    --------
    >>> (project_root() / "pyproject.toml").exists()
    True
    """
    root = Path(__file__).resolve().parent.parent
    if not (root / "pyproject.toml").exists():
        raise FileNotFoundError(
            f"no pyproject.toml beside the package in {root}; the workbook runs from a checkout: "
            "install it with `pip install -e .`"
        )
    return root


def output_root() -> Path:
    """Return the folder that figures and executed notebooks go under.

    It is the value of ``CBKIT_OUTPUT`` where that is set, else the project's own folder.

    Examples
    --------
    >>> output_root().is_absolute()
    True
    """
    folder = os.environ.get("CBKIT_OUTPUT")
    return Path(folder).expanduser().resolve() if folder else project_root()


def figures_dir(profile: str) -> Path:
    """Return the folder of a profile's figures, made if it is missing."""
    return _made(output_root() / "figures" / _checked(profile))


def outputs_dir(profile: str) -> Path:
    """Return the folder of a profile's executed notebooks, made if it is missing."""
    return _made(output_root() / "outputs" / _checked(profile))


def notebooks_dir() -> Path:
    """Return the folder of the notebooks.

    Examples
    --------
    >>> notebooks_dir().name
    'notebooks'
    """
    return project_root() / "notebooks"


def results_dir() -> Path:
    """Return the folder of the committed result tables.

    Examples
    --------
    >>> results_dir().relative_to(project_root()).as_posix()
    'data/results'
    """
    return project_root() / "data" / "results"


def cache_dir() -> Path:
    """Return the folder for downloads and parsed copies, not made until something is stored.

    It is the value of ``CBKIT_CACHE`` where that is set, else this platform's cache folder.
    """
    folder = os.environ.get("CBKIT_CACHE")
    if folder:
        return Path(folder).expanduser().resolve()
    # Here, not above: inside a notebook, importing pooch prints a warning about missing widgets.
    import pooch

    return Path(pooch.os_cache("cbkit"))


def _checked(profile: str) -> str:
    if not profile or Path(profile).name != profile or profile in {".", ".."}:
        raise ValueError(
            f"profile must be a plain name, got {profile!r}; write demo or paper, without a folder"
        )
    return profile


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name and rename it, so that a reader finds all of it or none.

    Parameters
    ----------
    path : Path
        The file, replaced if it is there.
    write : callable
        ``write(part)`` writes the content to the path that it is handed.

    Raises
    ------
    OSError
        If the content cannot be written; nothing is left of it.
    """
    part = path.with_name(f"{path.name}.{socket.gethostname()}-{os.getpid()}.part")
    try:
        write(part)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def sweep_parts(folder: Path) -> None:
    """Delete what dead processes left of `write_whole`; what a live one writes stays.

    Files of other machines, whose processes cannot be asked, go when they are a day old.
    """
    for part in folder.glob("*.part"):
        host, _, process = part.name.removesuffix(".part").rpartition("-")
        ours = os.name == "posix" and host.endswith(f".{socket.gethostname()}")
        with contextlib.suppress(OSError):
            dead = ours and process.isdigit() and not _is_alive(int(process))
            if dead or time.time() - part.stat().st_mtime > _DAY:
                part.unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # there, but another user's
        return True
    return True
