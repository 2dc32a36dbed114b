"""Whether a person watches the output as it comes, and the progress bar for one who does."""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any

from tqdm import TqdmWarning, tqdm


def is_watched() -> bool:
    """Return whether a person sees output as it comes: at a terminal or in a live notebook.

    Whatever runs notebooks in batch (papermill, nbconvert, nbval) writes output into a file, with
    every step of a bar. It tells the kernel that nobody is there to answer questions.
    """
    kernel = _kernel()
    if kernel is None:
        return sys.stderr.isatty()
    return bool(kernel.get_parent().get("content", {}).get("allow_stdin", False))


def progress_bar(**options: Any) -> tqdm:
    """Return a progress bar: a widget in notebooks that can show one, else text.

    Parameters
    ----------
    **options
        Those of `tqdm.tqdm`.
    """
    if _kernel() is not None:
        with warnings.catch_warnings(), contextlib.suppress(ImportError):
            warnings.simplefilter("ignore", TqdmWarning)  # that there are no widgets
            from tqdm.auto import tqdm as widget

            return widget(**options)
    return tqdm(**options)


def _kernel() -> Any:
    """Return the kernel that this process is, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None)
