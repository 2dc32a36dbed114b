"""One task of an experiment: a policy plays a data set once, and its result is one file."""

from __future__ import annotations

import copy
import functools
import importlib
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.fingerprint import fingerprint
from cbkit.experiments.sources import Source
from cbkit.experiments.task_files import write_failure, write_result
from cbkit.policies.policy import Policy
from cbkit.policies.refits import Refit
from cbkit.policies.registry import make_policy
from cbkit.policies.version import RESULT_VERSION
from cbkit.simulate import simulate
from cbkit.simulate.threads import one_thread

_one_at_a_time = threading.Lock()
_as_planned: set[str] = set()  # fingerprints of code that this process has checked


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


@dataclass(frozen=True, kw_only=True)
class Factory:
    """What makes a fresh policy for a data set, known by all the code that it reaches."""

    make: functools.partial
    key: str

    @classmethod
    def planned(cls, make: functools.partial) -> Factory:
        """Return a factory with the fingerprint that it has now."""
        return cls(make=make, key=fingerprint(make))

    def __call__(self, dataset: MultilabelDataset) -> Policy:
        """Make a policy; what it changes of the factory's own parameters is not kept."""
        return copy.deepcopy(self.make)(dataset)


@dataclass(frozen=True, kw_only=True)
class Task:
    """All that one run depends on.

    Attributes
    ----------
    source : Source
        Gives the data set in the process that runs the task.
    factory : Factory
        Makes a fresh policy for it.
    seed, n_rounds, refit_every, refit, feedback, n_random
        See `cbkit.simulate`.
    """

    source: Source
    factory: Factory
    seed: int
    n_rounds: int
    refit_every: int
    refit: Refit | None
    feedback: str
    n_random: int

    @property
    def checksum(self) -> str:
        """Checksum of the data set."""
        return self.source.checksum

    @functools.cached_property
    def key(self) -> str:
        """Fingerprint of all that the result depends on; names the result file."""
        data = [self.source.key, self.source.checksum, self.source.layout]
        refit = self.refit and [self.refit.growth, self.refit.always_below]
        play = [self.seed, self.n_rounds, self.refit_every, refit, self.feedback, self.n_random]
        return fingerprint([RESULT_VERSION, data, self.factory.key, play])

    def shared(self, folder: Path) -> Task:
        """Return the task with a source that is small to send, by files in `folder` if need be."""
        return replace(self, source=self.source.shared(folder))

    def is_as_planned(self) -> bool:
        """Return whether this process has the code that the task was planned with.

        A module may have been edited since this process or the planning one imported it.
        """
        for part, spec in ((self.source, self.source.spec), (self.factory, self.factory.make)):
            if part.key not in _as_planned and not isinstance(spec, Path):
                importlib.invalidate_caches()  # a module may be younger than this process
                try:
                    if fingerprint(spec) != part.key:
                        return False
                except ValueError:
                    return False
                _as_planned.add(part.key)
        return True


def run_task(task: Task, folder: Path) -> float:
    """Run a task and write its result, or the traceback of its failure, into `folder`.

    Threads of one process take turns and linear algebra stays on one thread, so that results do
    not depend on how the tasks are spread.

    Parameters
    ----------
    task : Task
    folder : Path

    Returns
    -------
    float
        Seconds that it took.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    start = time.perf_counter()
    try:
        with _one_at_a_time, one_thread():
            dataset = task.source.load()
            log = simulate(
                task.factory(dataset),
                dataset,
                seed=task.seed,
                n_rounds=task.n_rounds,
                refit_every=task.refit_every,
                refit=task.refit,
                feedback=task.feedback,
                n_random=task.n_random,
                progress=False,
            )
    except Exception as error:
        write_failure(folder, task.key, error)
        return time.perf_counter() - start
    seconds = time.perf_counter() - start
    write_result(log, folder / f"{task.key}.parquet", task.key, seconds)
    (folder / f"{task.key}.failed.json").unlink(missing_ok=True)
    return seconds
