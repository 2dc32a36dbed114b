"""What a cluster would do with an experiment, by simulating its queue with measured task times."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from cbkit._base.validation import check_number, check_whole

ORDERS = ("arrival", "longest")


class Queue(NamedTuple):
    """How a queue of tasks was worked off.

    Attributes
    ----------
    ends : ndarray, shape (n_tasks,)
        When each task ended, in the tasks' order, in seconds from the cluster's start.
    busy : float
        Share of the workers' time, up to the last end, that went into tasks.
    """

    ends: np.ndarray
    busy: float


def work_off(
    seconds: Sequence[float],
    n_workers: int,
    *,
    order: str = "arrival",
    start_up: float = 0.0,
    overhead: float = 0.0,
) -> Queue:
    """Simulate a queue: the next task goes to the worker that is free first.

    Parameters
    ----------
    seconds : sequence of float, shape (n_tasks,)
        What each task takes on a worker.
    n_workers : int
        Number of workers, equal and with one task at a time.
    order : {"arrival", "longest"}, default="arrival"
        Which task is next: the first of those left, or the longest, if it were known.
    start_up : float, default=0.0
        Seconds until the workers are there.
    overhead : float, default=0.0
        Seconds that the one scheduler takes to hand out a task; it hands out one at a time.

    Returns
    -------
    Queue

    Notes
    -----
    No worker is lost or slow, data are on all nodes, and results take no time to come back.
    Graham (1966), "Bounds for certain multiprocessing anomalies": without overhead, any order takes
    less than twice as long as the best one.

    Examples
    --------
    Two workers; in the order of arrival, the long task comes last:

    >>> work_off([1.0, 1.0, 1.0, 3.0], 2).ends
    array([1., 1., 2., 4.])
    >>> work_off([1.0, 1.0, 1.0, 3.0], 2, order="longest").ends
    array([1., 2., 3., 3.])
    """
    check_whole("n_workers", n_workers)
    for name, value in (("start_up", start_up), ("overhead", overhead)):
        check_number(name, value)
        if value < 0:
            raise ValueError(f"{name} must be at least 0 seconds, got {value!r}")
    if order not in ORDERS:
        raise ValueError(f"order must be one of {ORDERS}, got {order!r}")
    times = np.asarray(seconds, dtype=np.float64)
    if times.ndim != 1 or not len(times) or not (np.isfinite(times) & (times >= 0)).all():
        raise ValueError("seconds must hold a finite time of at least 0 for each task, one or more")
    turns = np.argsort(-times, kind="stable") if order == "longest" else np.arange(len(times))
    free = [float(start_up)] * n_workers
    handed_out, ends = float(start_up), np.empty(len(times))
    for task in turns.tolist():
        handed_out = max(handed_out, free[0]) + overhead  # nothing is handed out ahead of its time
        ends[task] = handed_out + times[task]
        heapq.heapreplace(free, float(ends[task]))
    return Queue(ends, float(times.sum() / (n_workers * ends.max())))


def cluster_table(
    seconds: Sequence[float], n_workers: Sequence[int], *, start_up: float, overhead: float
) -> pd.DataFrame:
    """Return what clusters of several sizes would do with the same tasks.

    Parameters
    ----------
    seconds : sequence of float, shape (n_tasks,)
    n_workers : sequence of int
        Sizes of the clusters.
    start_up, overhead : float
        As for `work_off`.

    Returns
    -------
    DataFrame
        A row per size and order: ``workers``, ``order``, ``minutes`` until the last task ends,
        ``speedup`` against one process without overhead, ``busy`` and ``bound_minutes``, which no
        order could beat: an equal share of the work, or the longest task.
    """
    total, longest = float(np.sum(seconds)), float(np.max(seconds))
    rows = []
    for n in n_workers:
        for order in ORDERS:
            queue = work_off(seconds, n, order=order, start_up=start_up, overhead=overhead)
            last = float(queue.ends.max())
            rows.append(
                {
                    "workers": n,
                    "order": order,
                    "minutes": last / 60,
                    "speedup": total / last,
                    "busy": queue.busy,
                    "bound_minutes": (start_up + overhead + max(total / n, longest)) / 60,
                }
            )
    return pd.DataFrame(rows)
