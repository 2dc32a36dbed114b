"""The versions that a saved policy carries: the package's, and that of what runs give."""

from importlib.metadata import PackageNotFoundError, version

RESULT_VERSION = 10  # raise it with every change after which the same seed gives another log


def package_version() -> str:
    """Return the installed package's version, or ``"unknown"`` if it is used uninstalled.

    Examples
    --------
    >>> package_version().count(".") in (0, 2)
    True
    """
    try:
        return version("cbkit")
    except PackageNotFoundError:
        return "unknown"
