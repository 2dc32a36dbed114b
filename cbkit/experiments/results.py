"""The tables of an experiment: what its tasks' files hold, in the order of its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cbkit.experiments.tables import result_table
from cbkit.experiments.task_files import TaskResult, read_failure, write_or_say
from cbkit.experiments.tasks import Task

# Of the facts of a run: what depends on its configuration alone, and what it cost.
FINAL_FACTS = (
    "checksum",
    "row_order",
    "n_rounds",
    "refit_every",
    "feedback",
    "mean_reward",
    "explored_share",
    "cold_start_share",
    "n_refits",
    "n_fitted_arms",
)
CPU_SECONDS = ("seconds_scoring", "seconds_choosing", "seconds_fitting")
TIMINGS = (*CPU_SECONDS, "seconds")
RUN = ("dataset", "variant", "policy", "seed")
CURVE = ("round", "mean_reward", "explored_share")
# What no label may be called.
TABLE_COLUMNS = {*RUN, *FINAL_FACTS, *CURVE, *TIMINGS, "task", "error", "traceback"}


@dataclass(frozen=True, kw_only=True)
class Run:
    """A task and what it is called in an experiment.

    Attributes
    ----------
    dataset, variant, policy : str
        Its names in the grid.
    task : Task
    size : float
        Its rounds x arms.
    labels : mapping of str to value
        Further columns of its rows, by name.
    """

    dataset: str
    variant: str
    policy: str
    task: Task
    size: float
    labels: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Any]:
        """What tells this run's rows from others': names, seed and labels."""
        names = {name: getattr(self, name) for name in RUN[:3]}
        return {**names, "seed": self.task.seed, **self.labels}


@dataclass(frozen=True, kw_only=True)
class Results:
    """Tidy tables of an experiment; labels of policies are columns of each, after ``seed``.

    Attributes
    ----------
    finals : DataFrame
        One row per run: dataset, variant, policy, seed, checksum, row_order, n_rounds,
        refit_every, feedback, mean_reward, explored_share, cold_start_share, n_refits,
        n_fitted_arms, and error (empty where the run went well).
    curves : DataFrame
        dataset, variant, policy, seed, round, mean_reward, explored_share.
    timings : DataFrame
        Per run the CPU seconds spent scoring, choosing and fitting, all seconds on the clock, and
        the task: runs that share one, as baselines do between variants, have the same.
    failures : DataFrame
        Per failed run its error and traceback.
    """

    finals: pd.DataFrame
    curves: pd.DataFrame
    timings: pd.DataFrame
    failures: pd.DataFrame

    @property
    def exit_code(self) -> int:
        """0, or 1 where a run failed."""
        return int(len(self.failures) > 0)

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all tasks together, each counted once."""
        once = self.timings.drop_duplicates("task")
        return float(once[list(CPU_SECONDS)].to_numpy().sum())

    def save(self, folder: Path) -> None:
        """Write finals, curves and timings as Parquet; only the last differs between reruns."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("finals", "curves", "timings"):
            table = getattr(self, name)
            write_or_say(folder / f"{name}.parquet", partial(table.to_parquet, index=False))

    def summary(self) -> str:
        """Final rewards with their intervals, and what failed, as text."""
        went_well = self.finals[self.finals["error"] == ""]
        parts = []
        if len(went_well):
            labels = _label_names(went_well)
            table = result_table(went_well)
            if labels:
                by_policy = went_well.drop_duplicates("policy").set_index("policy")[labels]
                table = by_policy.astype(object).where(by_policy.notna(), "").join(table)
            parts.append(table.to_string())
            parts.append("mean reward per round ± half width of the 95% t interval over replicates")
        if len(self.failures):
            parts.append(f"{len(self.failures)} of {len(self.finals)} runs failed:")
            parts.append(self.failures.drop(columns="traceback").to_string(index=False))
        return "\n".join(parts)


def _label_names(finals: pd.DataFrame) -> list[str]:
    return [name for name in finals.columns if name not in TABLE_COLUMNS]


def collect(runs: Sequence[Run], found: dict[str, TaskResult | None], folder: Path) -> Results:
    """Put the results and failures of all runs into tables, in the order of the runs.

    Parameters
    ----------
    runs : sequence of Run
        Those of the experiment; several may share a task.
    found : dict of str to TaskResult or None
        Result of each task by its key; None where it failed.
    folder : Path
        Where failed tasks left their errors.

    Returns
    -------
    Results
        Failed runs have no reward, curve or timing.

    Raises
    ------
    FileNotFoundError
        If a task left neither a result nor an error.
    """
    finals, heads, curves, timings, failures = [], [], [], [], []
    for run in runs:
        result = found[run.task.key]
        if result is None:
            failure = read_failure(folder, run.task.key)
            if failure is None:
                raise FileNotFoundError(
                    f"whoever ran {run.columns} left neither a result nor a failure in {folder}; "
                    "all workers must share that folder"
                )
            known = {name: getattr(run.task, name, None) for name in FINAL_FACTS}
            finals.append(run.columns | known | {"error": failure["error"]})
            failures.append(
                run.columns | {"error": failure["error"], "traceback": failure["traceback"]}
            )
            continue
        facts = result.facts
        finals.append(run.columns | {name: facts[name] for name in FINAL_FACTS} | {"error": ""})
        timings.append(
            run.columns | {"task": run.task.key} | {name: facts[name] for name in TIMINGS}
        )
        heads.append(run.columns)
        curves.append(result.curve)
    names = [*RUN, *dict.fromkeys(label for run in runs for label in run.labels)]
    return Results(
        finals=pd.DataFrame(finals, columns=[*names, *FINAL_FACTS, "error"]),
        curves=_joined(pd.DataFrame(heads, columns=names), curves),
        timings=pd.DataFrame(timings, columns=[*names, "task", *TIMINGS]),
        failures=pd.DataFrame(failures, columns=[*names, "error", "traceback"]),
    )


def _joined(heads: pd.DataFrame, curves: list[dict[str, np.ndarray]]) -> pd.DataFrame:
    """Put curves below each other, each row led by what tells its run from others."""
    n_marks = [len(curve["round"]) for curve in curves]
    table = heads.loc[heads.index.repeat(n_marks)].reset_index(drop=True)
    columns: dict[str, Any] = {
        name: np.concatenate([c[name] for c in curves]) if curves else [] for name in CURVE
    }
    return table.assign(**columns)
