"""Copy the notebooks out of the package, to a folder where they can be run and changed."""

from __future__ import annotations

import shutil
from pathlib import Path

from cbkit.paths import project_root


def copy_notebooks(folder: str | Path) -> list[Path]:
    """Copy the notebooks and their parameters to ``<folder>/notebooks``.

    The tables and figures that they show are read from the package, where they stay.

    Parameters
    ----------
    folder : str or Path
        Made if it is missing.

    Returns
    -------
    list of Path
        The copied notebooks, in the order in which they are read.

    Raises
    ------
    FileExistsError
        If the folder holds any of the files; nothing is copied then.
    OSError
        If the folder cannot be made or written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     copy_notebooks(folder)[0].name
    '00_setting_and_data.ipynb'
    """
    origin = project_root()
    files = sorted([*origin.glob("notebooks/*.ipynb"), *origin.glob("notebooks/params/*.yaml")])
    copies = {file: Path(folder).expanduser() / file.relative_to(origin) for file in files}
    there = [str(copy) for copy in copies.values() if copy.exists()]
    if there:
        raise FileExistsError(
            f"{there[0]} is there already, and {len(there) - 1} more; nothing was copied: "
            "move them away, or name another folder"
        )
    for file, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return [copy for copy in copies.values() if copy.suffix == ".ipynb"]
