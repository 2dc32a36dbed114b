"""Run experiments: in parallel, resumable, from Python or from a YAML file."""

from __future__ import annotations

import difflib
import importlib
import pickle
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml
from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.backend.reduction import dumps

from cbkit.experiments.experiment import Experiment
from cbkit.experiments.progress import Progress
from cbkit.experiments.results import Results, collect
from cbkit.experiments.task_files import read_result
from cbkit.experiments.tasks import Task, run_task
from cbkit.paths import sweep_parts

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
    folder = experiment.path  # before a policy or data set may change the working directory
    tasks_folder = experiment.tasks_path
    runs = experiment.runs()
    by_key = {run.task.key: run for run in runs}
    found = {key: read_result(tasks_folder / f"{key}.parquet", key) for key in by_key}
    waiting = [run for key, run in by_key.items() if found[key] is None]
    waiting.sort(key=lambda run: run.task.seed)  # one replicate of everything soon: estimates
    if waiting:
        _prepare(folder, tasks_folder)
    n_workers = effective_n_jobs(n_jobs)
    progress = Progress(
        {run.task.key: ((run.dataset, run.variant, run.policy), run.size) for run in waiting},
        n_workers=n_workers,
        n_found=len(by_key) - len(waiting),
    )
    tasks = [run.task for run in waiting]
    if n_workers > 1:
        tasks = [task.shared(folder / "datasets") for task in tasks]
    for key in progress.show(_outcomes(tasks, tasks_folder, n_jobs)):
        found[key] = read_result(tasks_folder / f"{key}.parquet", key)
    results = collect(runs, found, tasks_folder)
    results.save(folder)
    return results


def _prepare(folder: Path, tasks_folder: Path) -> None:
    """Make the folders, clear what dead processes left there, and try whether one can write."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tasks_folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=tasks_folder):
            pass
    except OSError as error:
        raise OSError(
            error.errno,
            f"{error.strerror}; choose another folder for the results",
            str(tasks_folder),
        ) from error
    sweep_parts(folder)
    sweep_parts(tasks_folder)


def _outcomes(tasks: list[Task], folder: Path, n_jobs: int | None) -> Iterator[tuple[str, float]]:
    """Run tasks; yield the key and the seconds of each as it ends.

    Those that a worker refuses, as it has imported other code, run here.
    """
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    refused = []
    jobs = (delayed(_worked_on)(bytes(dumps(task)), sys.path, folder) for task in tasks)
    for key, seconds in parallel(jobs):
        if seconds is None:
            refused.append(key)
        else:
            yield key, seconds
    if refused:
        warnings.warn(
            f"{len(refused)} of {len(tasks)} tasks run in one process, as the workers have other "
            "code than this process: a module was edited, or a value in it changed, after it was "
            "imported; restart the kernel or the cluster to use all workers",
            stacklevel=3,
        )
        get_reusable_executor().shutdown()
    for task in tasks:
        if task.key in refused:
            yield task.key, run_task(task, folder)


def _worked_on(pickled: bytes, path: list[str], folder: Path) -> tuple[str, float | None]:
    """Run a task of another process; modules are found where that process finds them.

    A worker may be older than an entry of `path`, or than a module in a folder that it looked into.
    """
    sys.path += [entry for entry in path if entry not in sys.path]
    try:
        task = pickle.loads(pickled)
    except ImportError:
        importlib.invalidate_caches()
        task = pickle.loads(pickled)
    return task.key, run_task(task, folder) if task.is_as_planned() else None


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
        Exit code: 0, 1 if a run failed, 2 if the file asks for what cannot be run, 130 if it was
        stopped.
    """
    try:
        experiment, n_jobs = read_config(path)
        results = run_experiment(experiment, n_jobs=n_jobs)
    except (ValueError, OSError, yaml.YAMLError) as error:
        print(f"cbkit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"cbkit: stopped; finished runs are kept in {experiment.path}, run the same again to "
            "go on",
            file=sys.stderr,
        )
        return 130
    print(results.summary())
    return results.exit_code
