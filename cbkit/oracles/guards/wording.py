"""Errors of classifiers in words: which arm, how much it has seen, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def first_line(error: Exception | None) -> str:
    """Return the first line of an error's text; some libraries write pages."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


def arm_in_words(arm: int, counts: np.ndarray) -> str:
    """Return an arm and how often it saw either reward, for an error.

    Examples
    --------
    >>> arm_in_words(2, np.array([3, 1]))
    'arm 2, 4 observations, 1 rewards'
    """
    return f"arm {arm}, {counts.sum()} observations, {counts[1]} rewards"


@contextmanager
def in_words(where: str, classifier: Any) -> Iterator[None]:
    """Raise whatever a classifier raises as a ValueError that says where, and what to do.

    Parameters
    ----------
    where : str
        Which arm it is of, and what else is known.
    classifier : object
        The classifier.
    """
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{where}: {type(classifier).__name__} failed ({first_line(error)}); fit it to a few "
            "such contexts and rewards by itself, and change its parameters or take another"
        ) from error
