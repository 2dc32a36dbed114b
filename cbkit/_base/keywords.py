"""Keywords that nobody takes: the error names the closest that is taken."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, TypeVar

Target = TypeVar("Target", bound=Callable[..., Any])


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return the end of an error message: the known word closest to `word`, then all of them.

    Examples
    --------
    >>> did_you_mean("percentil", ["percentile", "decay"])
    "did you mean 'percentile'? Write one of: percentile, decay"
    """
    words = list(known)
    close = get_close_matches(str(word), words, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}Write one of: {', '.join(words) or 'none'}"


def suggest_keywords(target: Target) -> Target:
    """Return a function or class that answers an unknown keyword with the closest it knows.

    Parameters
    ----------
    target : callable
        A function without ``**keywords`` of its own, or a class, whose constructor is replaced.

    Returns
    -------
    callable
        A function with the same signature and help; the same class.

    Examples
    --------
    >>> @suggest_keywords
    ... def play(*, n_rounds=1):
    ...     return n_rounds
    >>> play(n_round=3)
    Traceback (most recent call last):
    TypeError: play has no parameter 'n_round'; did you mean 'n_rounds'? Write one of: n_rounds
    """
    if inspect.isclass(target):
        target.__init__ = _checked(target.__init__, target.__name__)  # type: ignore[method-assign]
        return target
    return _checked(target, target.__name__)


def _checked(function: Callable[..., Any], title: str) -> Any:
    known = [
        parameter for parameter in inspect.signature(function).parameters if parameter != "self"
    ]

    @functools.wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        for keyword in keywords:
            if keyword not in known:
                raise TypeError(
                    f"{title} has no parameter {keyword!r}; {did_you_mean(keyword, known)}"
                )
        return function(*args, **keywords)

    return checked
