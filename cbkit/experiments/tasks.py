"""One task of an experiment: a policy plays a data set once, and its result is one file."""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import os
import socket
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from threadpoolctl import threadpool_limits

from cbkit.datasets import MultilabelDataset, load_dataset
from cbkit.experiments.fingerprint import fingerprint
from cbkit.policies.policy import Policy
from cbkit.policies.registry import make_policy
from cbkit.policies.version import RESULT_VERSION
from cbkit.simulate import RunLog, simulate

N_MARKS = 200  # points kept of each curve
FACTS = b"cbkit"  # where a result file keeps what is known of its run

N_LOADED = 8  # data sets that a process keeps in memory

Source = str | Callable[[], MultilabelDataset]
_loaded: dict[str, MultilabelDataset] = {}
_one_at_a_time = threading.Lock()


def registered_policy(dataset: MultilabelDataset, *, policy: str, **parameters: Any) -> Policy:
    """Make a registered policy: what a name with parameters becomes in a task.

    Parameters
    ----------
    dataset : MultilabelDataset
        What it is to play.
    policy, **parameters
        A registry name and its parameters, as for `make_policy`.

    Returns
    -------
    Policy
        Unplayed.
    """
    return make_policy(policy, dataset, **parameters)


def load_source(source: Source, checksum: str | None = None) -> MultilabelDataset:
    """Load a data set by name, or from the function that makes it.

    One with the wanted checksum that this process has loaded before is taken from memory.
    """
    if checksum in _loaded:
        return _loaded[checksum]
    dataset = load_dataset(source) if isinstance(source, str) else source()
    if checksum not in (None, dataset.checksum):
        raise ValueError(
            f"{dataset.name} has the checksum {dataset.checksum} here and {checksum} where the "
            "experiment was planned; give every worker the same data"
        )
    while len(_loaded) >= N_LOADED:
        del _loaded[next(iter(_loaded))]
    _loaded[dataset.checksum] = dataset
    return dataset


@dataclass(frozen=True, kw_only=True)
class Task:
    """All that one run depends on.

    Attributes
    ----------
    source : str or callable
        Name of the data set, or a function that makes it; the process that runs the task loads it.
    checksum : str
        Of the data that the experiment was planned with.
    factory : callable
        ``factory(dataset)`` makes a fresh policy.
    seed, n_rounds, refit_every, feedback
        See `cbkit.simulate`.
    """

    source: Source
    checksum: str
    factory: Callable[[MultilabelDataset], Policy]
    seed: int
    n_rounds: int
    refit_every: int
    feedback: str

    @functools.cached_property
    def key(self) -> str:
        """Fingerprint of all the attributes and of `RESULT_VERSION`; names the result file."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        return fingerprint([RESULT_VERSION, content])


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """A finished task: its thinned curve (one row per mark) and the facts of its run."""

    curve: pd.DataFrame
    facts: dict[str, Any]


def run_task(task: Task, folder: Path) -> float:
    """Run a task and write its result, or the traceback of its failure, into `folder`.

    Threads of one process take turns and linear algebra stays on one thread, so that results do
    not depend on how the tasks are spread.

    Returns
    -------
    float
        Seconds that it took.
    """
    start = time.perf_counter()
    try:
        with _one_at_a_time, threadpool_limits(1):
            dataset = load_source(task.source, task.checksum)
            policy = copy.deepcopy(task.factory)(dataset)
            log = simulate(
                policy,
                dataset,
                seed=task.seed,
                n_rounds=task.n_rounds,
                refit_every=task.refit_every,
                feedback=task.feedback,
                progress=False,
            )
        seconds = time.perf_counter() - start
        write_result(log, folder / f"{task.key}.parquet", task.key, seconds)
    except Exception as error:
        failure = {
            "key": task.key,
            "error": "".join(traceback.format_exception_only(error)).strip(),
            "traceback": traceback.format_exc(),
        }
        _write_atomically(
            folder / f"{task.key}.failed.json",
            lambda path: path.write_text(json.dumps(failure, indent=1)),
        )
        return time.perf_counter() - start
    (folder / f"{task.key}.failed.json").unlink(missing_ok=True)
    return seconds


def write_result(log: RunLog, path: Path, key: str, seconds: float) -> None:
    """Write a run's thinned curve and facts as one Parquet file, whole or not at all.

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
    """
    order = hashlib.sha256(log.rounds["row"].to_numpy(dtype="<i8").tobytes()).hexdigest()[:16]
    facts = log.facts | {"key": key, "row_order": order, "seconds": seconds}
    table = pa.Table.from_pandas(thinned_curve(log), preserve_index=False)
    table = table.replace_schema_metadata({FACTS: json.dumps(facts)})
    _write_atomically(path, lambda part: pq.write_table(table, part, write_page_checksum=True))


def read_result(path: Path, key: str) -> TaskResult | None:
    """Read a task's result; None if there is none or its file is damaged."""
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        facts = json.loads(table.schema.metadata[FACTS])
        curve = table.to_pandas()
    except (OSError, pa.ArrowException, TypeError, KeyError, ValueError):
        return None
    return TaskResult(curve=curve, facts=facts) if facts.get("key") == key else None


def read_failure(folder: Path, key: str) -> dict[str, str] | None:
    """Read what a failed task left: its error and traceback."""
    path = folder / f"{key}.failed.json"
    return json.loads(path.read_text()) if path.exists() else None


def thinned_curve(log: RunLog) -> pd.DataFrame:
    """Cumulative mean reward and share of explored rounds at up to 200 evenly spaced rounds.

    Returns
    -------
    DataFrame
        ``round`` (the last is the run's last), ``mean_reward``, ``explored_share``.
    """
    n_rounds = len(log.rounds)
    marks = np.unique(np.ceil(np.arange(1, N_MARKS + 1) * n_rounds / N_MARKS).astype(np.int32))
    explored = np.cumsum(log.rounds["explored"].to_numpy())[marks - 1] / marks
    return pd.DataFrame(
        {
            "round": marks,
            "mean_reward": log.cumulative_mean_reward[marks - 1],
            "explored_share": explored,
        }
    )


def _write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Write under another name and rename: a reader finds the whole file or none."""
    part = path.with_name(f"{path.name}.{socket.gethostname()}-{os.getpid()}.part")
    write(part)
    os.replace(part, path)
