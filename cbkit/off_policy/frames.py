"""Logs from data frames: columns by name, contexts through any scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from cbkit.off_policy.logged_rounds import LoggedRounds


def log_from_frame(
    frame: pd.DataFrame,
    *,
    arm: str,
    reward: str,
    propensity: str,
    contexts: Sequence[str],
    arm_names: Sequence[Any] | None = None,
    n_arms: int | None = None,
    transformer: Any = None,
    page: str | None = None,
    round_id: str | None = None,
    name: str = "log",
) -> LoggedRounds:
    """Make a log of a data frame with one row per round.

    Parameters
    ----------
    frame : DataFrame
        One row per round.
    arm, reward, propensity : str
        Columns of the played arm, its reward (0 or 1) and the probability it was played with.
    contexts : sequence of str
        Columns of the context.
    arm_names : sequence, optional
        Values of the arm's column, in the order of arms; by default it holds their numbers.
    n_arms : int, optional
        Number of arms, needed where there are no `arm_names`; arms that were never played count.
    transformer : scikit-learn transformer, optional
        Turns the contexts' columns into numbers; fitted on them unless it is fitted already. By
        default they are numbers.
    page : str, optional
        Column that says which rounds were logged together, see `LoggedRounds`.
    round_id : str, optional
        Column that identifies a round. Without one, rows that are equal in all columns are refused.
    name : str, default="log"
        In messages and tables.

    Returns
    -------
    LoggedRounds
        In the order of the rows.

    Raises
    ------
    ValueError
        If a column is absent, or a value missing or out of range; names the row, counted from 0.

    Examples
    --------
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> frame = pd.DataFrame(
    ...     {"city": ["Rome", "Oslo"], "shown": ["ad", "news"], "click": [1, 0], "p": [0.5, 0.25]}
    ... )
    >>> log_from_frame(
    ...     frame, arm="shown", reward="click", propensity="p", contexts=["city"],
    ...     arm_names=["news", "ad", "sport"], transformer=OneHotEncoder(),
    ... ).arms
    array([1, 0])
    """
    wanted = [arm, reward, propensity, *contexts, *(c for c in (page, round_id) if c)]
    for column in wanted:
        if column not in frame.columns:
            close = get_close_matches(str(column), [str(c) for c in frame.columns], n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(
                f"the frame has no column {column!r}; {hint}It has "
                f"{', '.join(map(repr, list(frame.columns)[:12]))}"
            )
    if not contexts:
        raise ValueError("contexts must name at least one column, got none")
    _refuse_duplicates(frame, round_id)
    arms = frame[arm].to_numpy()
    if arm_names is not None:
        arms, n_arms = _numbered(frame[arm], list(arm_names)), len(arm_names)
    if n_arms is None:
        raise ValueError("say how many arms there are: write n_arms=..., or arm_names=[...]")
    return LoggedRounds(
        X=_contexts(frame[list(contexts)], transformer),
        arms=arms,
        rewards=frame[reward].to_numpy(),
        propensities=frame[propensity].to_numpy(),
        n_arms=n_arms,
        pages=None if page is None else frame[page].to_numpy(),
        name=name,
    )


def _refuse_duplicates(frame: pd.DataFrame, round_id: str | None) -> None:
    repeated = np.flatnonzero(frame.duplicated(subset=None if round_id is None else [round_id]))
    if not len(repeated):
        return
    row = int(repeated[0])
    if round_id is not None:
        value = frame[round_id].iloc[row]
        raise ValueError(
            f"{round_id} must identify a round, got {value} again in row {row} "
            f"({len(repeated)} in all); drop what was logged twice"
        )
    raise ValueError(
        f"row {row} repeats an earlier row in all columns ({len(repeated)} such rows); drop what "
        "was logged twice, or name the column that tells rounds apart: round_id=..."
    )


def _numbered(column: pd.Series, arm_names: list[Any]) -> np.ndarray:
    arms = pd.Index(arm_names).get_indexer(column)
    unknown = np.flatnonzero(arms < 0)
    if len(unknown):
        row = int(unknown[0])
        raise ValueError(
            f"arm_names has no {column.iloc[row]!r}, the arm of row {row}; it has "
            f"{', '.join(map(repr, arm_names[:8]))}{', ...' if len(arm_names) > 8 else ''}"
        )
    return arms


def _contexts(columns: pd.DataFrame, transformer: Any) -> Any:
    if transformer is None:
        return columns
    if not hasattr(transformer, "transform") or isinstance(transformer, type):
        raise ValueError(
            f"transformer must be one of scikit-learn's, such as OneHotEncoder(), "
            f"got {transformer!r:.60}"
        )
    missing = np.flatnonzero(columns.isna().any(axis=1))
    if len(missing):
        row = int(missing[0])
        absent = columns.columns[columns.iloc[row].isna()][0]
        raise ValueError(
            f"contexts must not be missing, got none in row {row}, column {absent!r}; fill them in "
            "first, for categories with a value such as 'unknown'"
        )
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        transformer.fit(columns)
    return transformer.transform(columns)
