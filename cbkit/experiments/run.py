"""Run experiments: in parallel, resumable, from Python or from a YAML file."""

from __future__ import annotations

import difflib
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml
from joblib import Parallel, delayed, effective_n_jobs

from cbkit.experiments.experiment import Experiment
from cbkit.experiments.progress import Progress
from cbkit.experiments.results import Results, collect
from cbkit.experiments.tasks import Task, read_result, run_task
from cbkit.paths import output_root

__all__ = ["Experiment", "Results", "read_config", "run_config", "run_experiment"]


def run_experiment(experiment: Experiment, *, n_jobs: int | None = None) -> Results:
    """Run what has no result yet and collect all results.

    Every task's result is a file of its own, written as soon as the task ends: a run that was
    stopped goes on where it was, and one that failed is tried again. The results are the same for
    any number of jobs, any order, and with or without a stop in between.

    Parameters
    ----------
    experiment : Experiment
    n_jobs : int, optional
        Processes to use, -1 for all cores; one by default. Inside
        ``joblib.parallel_config(backend="dask")``, leave it out to use the cluster's workers.

    Returns
    -------
    Results
        The tables, also written to the experiment's folder. Failed runs are in ``finals`` with
        their error and no reward, and in ``failures`` with their traceback.
    """
    if n_jobs is not None and (not isinstance(n_jobs, int) or n_jobs == 0):
        raise ValueError(f"n_jobs must be a number of processes or -1 for all, got {n_jobs!r}")
    runs = experiment.runs()
    by_key = {run.task.key: run for run in runs}
    folder = output_root() / experiment.folder
    tasks_folder = folder / "tasks"
    tasks_folder.mkdir(parents=True, exist_ok=True)
    found = {key: read_result(tasks_folder / f"{key}.parquet", key) for key in by_key}
    waiting = [run for key, run in by_key.items() if found[key] is None]
    waiting.sort(key=lambda run: run.task.seed)  # one replicate of everything soon: estimates
    progress = Progress(
        {run.task.key: ((run.dataset, run.variant, run.policy), run.size) for run in waiting},
        n_workers=effective_n_jobs(n_jobs),
        n_found=len(by_key) - len(waiting),
    )
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    outcomes = parallel(delayed(_keyed_task)(run.task, tasks_folder) for run in waiting)
    for key in progress.show(outcomes):
        found[key] = read_result(tasks_folder / f"{key}.parquet", key)
    results = collect(runs, found, tasks_folder)
    results.save(folder)
    return results


def _keyed_task(task: Task, folder: Path) -> tuple[str, float]:
    return task.key, run_task(task, folder)


def read_config(path: str | Path) -> tuple[Experiment, int | None]:
    """Read an experiment and its number of jobs from a YAML file.

    The keys are the parameters of `Experiment`, and ``n_jobs``.
    """
    config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    if not isinstance(config, dict):
        raise ValueError(f"{path} must hold a mapping of keys to values, got {config!r}")
    known = [*(field.name for field in fields(Experiment)), "n_jobs"]
    for key in config:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(f"{path} has the unknown key {key!r}; {hint}Keys: {', '.join(known)}")
    missing = [key for key in ("datasets", "policies", "folder") if key not in config]
    if missing:
        raise ValueError(f"{path} lacks {', '.join(missing)}")
    n_jobs: Any = config.pop("n_jobs", None)
    return Experiment(**config), n_jobs


def run_config(path: str | Path) -> int:
    """Run the experiment of a YAML file and print its final rewards and failures.

    Returns
    -------
    int
        Exit code: 0, 1 if a run failed, 2 if the file asks for what cannot be run.
    """
    try:
        experiment, n_jobs = read_config(path)
        results = run_experiment(experiment, n_jobs=n_jobs)
    except (ValueError, OSError, yaml.YAMLError) as error:
        print(f"cbkit: {error}", file=sys.stderr)
        return 2
    print(results.summary())
    return results.exit_code
