"""Where the workbook reads and writes, whatever the working directory is.

Notebooks run in their own folder under JupyterLab and nbval and elsewhere under the runner, so they
take every path from here. A checkout is read where it lies. An installed package carries the same
folders inside it; ``cbkit init FOLDER`` copies the notebooks to where they can be run and changed.
"""

import contextlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

_DAY = 24 * 3600


def project_root() -> Path:
    """Return the folder that holds ``notebooks/``, ``data/`` and ``figures/`` as published.

    Examples
    --------
    >>> (project_root() / "data" / "datasets.yaml").exists()
    True
    """
    package = Path(__file__).resolve().parent
    carried = package / "_workbook"  # in a wheel; a checkout has none
    return carried if carried.is_dir() else package.parent


def is_checkout() -> bool:
    """Return whether the package runs from a checkout, whose files may be rewritten.

    Examples
    --------
    >>> is_checkout()
    True
    """
    return (project_root() / "pyproject.toml").exists()


def workbook_root() -> Path:
    """Return the folder of the notebooks that are run, in which ``outputs/`` lies as well.

    It is the nearest of the working directory and those above it that holds the notebooks'
    ``notebooks/params/demo.yaml``, or else the checkout.

    Raises
    ------
    FileNotFoundError
        If there is neither.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "notebooks" / "params" / "demo.yaml").is_file():
            return folder
    if is_checkout():
        return project_root()
    raise FileNotFoundError(
        f"no notebooks in {here} or above it; write `cbkit init work` to copy them to a folder "
        "work, and go there"
    )


def output_root() -> Path:
    """Return the folder that ``outputs/`` lies in.

    It is the value of ``CBKIT_OUTPUT`` where that is set, else `workbook_root`.

    Examples
    --------
    >>> output_root().is_absolute()
    True
    """
    folder = os.environ.get("CBKIT_OUTPUT")
    return Path(folder).expanduser().resolve() if folder else workbook_root()


def outputs_dir(run: str) -> Path:
    """Return the folder of all that a run of the notebooks writes, made if it is missing.

    Parameters
    ----------
    run : str
        Name of the run: that of its profile, unless it was given another.

    Raises
    ------
    ValueError
        If the name is not a plain one.
    OSError
        If the folder cannot be made or written to.
    """
    if not run or Path(run).name != run or run in {".", ".."}:
        raise ValueError(f"a run must have a plain name, got {run!r}; write demo, without a folder")
    folder = output_root() / "outputs" / run
    advice = "make it writable, or name another folder in CBKIT_OUTPUT"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"cannot make the folder {folder} ({error.strerror}); {advice}") from error
    if not os.access(folder, os.W_OK):
        raise OSError(f"cannot write into the folder {folder}; {advice}")
    return folder


def figures_dir() -> Path:
    """Return the folder of the committed figures.

    Examples
    --------
    >>> figures_dir().relative_to(project_root()).as_posix()
    'figures/paper'
    """
    return project_root() / "figures" / "paper"


def notebooks_dir() -> Path:
    """Return the folder of the notebooks that are run, see `workbook_root`.

    Examples
    --------
    >>> notebooks_dir().name
    'notebooks'
    """
    return workbook_root() / "notebooks"


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
