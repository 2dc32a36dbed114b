"""The tables of an experiment: what its tasks' files hold, in the order of its configuration."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from cbkit.experiments.tables import result_table
from cbkit.experiments.tasks import Task, TaskResult, read_failure

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


@dataclass(frozen=True, kw_only=True)
class Run:
    """A task under the labels that it has in an experiment; `size` is its rounds x arms."""

    dataset: str
    variant: str
    policy: str
    task: Task
    size: float

    @property
    def labels(self) -> dict[str, str | int]:
        """What tells this run's rows from others'."""
        return {**{name: getattr(self, name) for name in RUN[:3]}, "seed": self.task.seed}


@dataclass(frozen=True, kw_only=True)
class Results:
    """Tidy tables of an experiment.

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
            part = folder / f"{name}.parquet.{os.getpid()}.part"
            getattr(self, name).to_parquet(part, index=False)
            os.replace(part, folder / f"{name}.parquet")

    def summary(self) -> str:
        """Final rewards with their intervals, and what failed, as text."""
        went_well = self.finals[self.finals["error"] == ""]
        parts = []
        if len(went_well):
            parts.append(result_table(went_well).to_string())
            parts.append("mean reward per round ± half width of the 95% t interval over replicates")
        if len(self.failures):
            parts.append(f"{len(self.failures)} of {len(self.finals)} runs failed:")
            parts.append(self.failures.drop(columns="traceback").to_string(index=False))
        return "\n".join(parts)


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
    finals, curves, timings, failures = [], [], [], []
    for run in runs:
        result = found[run.task.key]
        if result is None:
            failure = read_failure(folder, run.task.key)
            if failure is None:
                raise FileNotFoundError(
                    f"whoever ran {run.labels} left neither a result nor a failure in {folder}; "
                    "all workers must share that folder"
                )
            known = {name: getattr(run.task, name, None) for name in FINAL_FACTS}
            finals.append(run.labels | known | {"error": failure["error"]})
            failures.append(
                run.labels | {"error": failure["error"], "traceback": failure["traceback"]}
            )
            continue
        facts = result.facts
        finals.append(run.labels | {name: facts[name] for name in FINAL_FACTS} | {"error": ""})
        timings.append(
            run.labels | {"task": run.task.key} | {name: facts[name] for name in TIMINGS}
        )
        curves.append(pd.DataFrame(run.labels | dict(result.curve.items())))
    return Results(
        finals=pd.DataFrame(finals, columns=[*RUN, *FINAL_FACTS, "error"]),
        curves=pd.concat(curves, ignore_index=True) if curves else pd.DataFrame(columns=RUN),
        timings=pd.DataFrame(timings, columns=[*RUN, "task", *TIMINGS]),
        failures=pd.DataFrame(failures, columns=[*RUN, "error", "traceback"]),
    )
