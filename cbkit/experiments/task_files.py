"""The file of a task: its result whole and right, or what its failure left."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cbkit.experiments.stats import order_of_rows
from cbkit.paths import write_whole
from cbkit.simulate import RunLog

N_MARKS = 200  # points kept of each curve
FACTS = b"cbkit"  # where a result file keeps what is known of its run

# The digest stands first in the facts, and is worked out with zeros in its own place.
_MARK = b'{"digest": "'
_BLANK = b"0" * 64


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """A finished task.

    Attributes
    ----------
    curve : dict of str to ndarray, (n_marks,)
        See `thinned_curve`.
    facts : dict
        Those of the log; ``row_order``, a hash of the rows in the order they were played; and
        ``seconds`` on the clock.
    """

    curve: dict[str, np.ndarray]
    facts: dict[str, Any]


def write_result(log: RunLog, path: Path, key: str, seconds: float) -> None:
    """Write a run's thinned curve and facts as one Parquet file with a digest of all its bytes.

    Parameters
    ----------
    log : RunLog
        The run.
    path : Path
        The file, replaced if it is there.
    key : str
        The task's, kept in the file for `read_result` to check.
    seconds : float
        What the run took on the clock.

    Raises
    ------
    OSError
        If the file cannot be written; nothing is left of it.
    """
    facts = {"digest": _BLANK.decode()} | log.facts
    facts |= {"key": key, "row_order": order_of_rows(log), "seconds": seconds}
    table = pa.table(thinned_curve(log)).replace_schema_metadata({FACTS: json.dumps(facts)})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, use_dictionary=False)
    content = sink.getvalue().to_pybytes()
    start = content.rindex(_MARK) + len(_MARK)
    digest = hashlib.sha256(content).hexdigest().encode()
    content = content[:start] + digest + content[start + len(digest) :]
    write_or_say(path, lambda part: part.write_bytes(content))


def read_result(path: Path, key: str) -> TaskResult | None:
    """Read a task's result, or None if there is none.

    A file whose bytes do not fit their digest, whatever was changed, is damaged and counts as none.

    Parameters
    ----------
    path : Path
        The file.
    key : str
        The task's.

    Returns
    -------
    TaskResult or None
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None
    start = content.rfind(_MARK) + len(_MARK)
    digest = content[start : start + len(_BLANK)]
    blank = content[:start] + _BLANK + content[start + len(_BLANK) :]
    if hashlib.sha256(blank).hexdigest().encode() != digest:
        return None
    table = pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
    facts = json.loads(table.schema.metadata[FACTS])
    if facts["key"] != key:
        return None
    columns = zip(table.column_names, table.columns, strict=True)
    return TaskResult(curve={name: column.to_numpy() for name, column in columns}, facts=facts)


def write_failure(folder: Path, key: str, error: Exception) -> None:
    """Write the error of a failed task and its traceback, for `read_failure`."""
    failure = {
        "key": key,
        "error": "".join(traceback.format_exception_only(error)).strip(),
        "traceback": "".join(traceback.format_exception(error)),
    }
    text = json.dumps(failure, indent=1)
    write_or_say(folder / f"{key}.failed.json", lambda part: part.write_text(text))


def read_failure(folder: Path, key: str) -> dict[str, str] | None:
    """Read what a failed task left: its error and traceback."""
    path = folder / f"{key}.failed.json"
    return json.loads(path.read_text()) if path.exists() else None


def thinned_curve(log: RunLog) -> dict[str, np.ndarray]:
    """Compute cumulative mean reward and explored share at up to 200 evenly spaced rounds.

    Returns
    -------
    dict of str to ndarray, (n_marks,)
        ``round`` (the last is the run's last), ``mean_reward``, ``explored_share``.
    """
    n_rounds = len(log.rounds)
    marks = np.unique(np.ceil(np.arange(1, N_MARKS + 1) * n_rounds / N_MARKS).astype(np.int32))
    explored = np.cumsum(log.rounds["explored"].to_numpy())[marks - 1] / marks
    return {
        "round": marks,
        "mean_reward": log.cumulative_mean_reward[marks - 1],
        "explored_share": explored,
    }


def write_or_say(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole; say in words what to do where it cannot be written."""
    try:
        write_whole(path, write)
    except OSError as error:
        raise OSError(
            error.errno,
            f"{error.strerror or error}; what has been finished is kept: free space or allow "
            "writing there, or choose another folder, and run the same again to go on",
            str(path),
        ) from error
