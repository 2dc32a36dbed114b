"""The grid of an experiment: data sets x variants x policies x replicates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cbkit._base.validation import check_whole
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments import sources
from cbkit.experiments.results import Run
from cbkit.experiments.sources import Source
from cbkit.experiments.specs import Spec, as_factory, check_kinds, mistakes_of, try_factory
from cbkit.experiments.tasks import Factory, Task
from cbkit.policies.refits import Refit, as_refit
from cbkit.simulate.loop import check_feedback

_INSTEAD_OF_OBJECTS = {
    "datasets": "write {'mine': load_mine} with a function that makes the set, or the set itself",
    "policies": "write {'mine': make_mine} with a function that makes the policy of a data set",
}


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What to run: configuration and factories only, so that every run starts clean.

    Parameters
    ----------
    datasets : sequence of str, or mapping of str to str, callable or MultilabelDataset
        Names for `cbkit.load_dataset`, or names of one's own with such a name, a function that
        makes the set, or the set itself.
    policies : sequence of str, or mapping of str to spec
        Registry names, or names of one's own with specs: a registry name or the named policy
        itself, a factory ``f(dataset) -> policy``, or a mapping with one of them as ``policy`` and
        its parameters, such as ``{"policy": "BootstrappedUCB", "percentile": 90}``. A mapping's
        ``labels``, such as ``{"criterion": "weighted", "percentile": 90}``, become columns of the
        tables: what a policy stands for is read there, not out of its name. They change no result.
    folder : path
        Where results go; a relative one lies in the working directory, ``~`` is the home folder.
        On a cluster, all workers must share it.
    tasks : path, optional
        Where the file of each run goes, for experiments that have runs in common; by default
        ``tasks`` in `folder`.
    variants : mapping of str to mapping, optional
        Parameters that replace those of every policy that has them, such as
        ``{"full refit": {}, "mini-batch": {"oracle": "streaming-logistic"}}``.
    n_replicates : int, default=10
    seed : int, default=0
        Replicate r has the seed ``seed + r``, whatever the policy: all policies see its rows.
    n_rounds : int, optional
        At most (default) the number of rows.
    refit_every : int, default=50
    refit : {"every block", "geometric"}, mapping or Refit, optional
    feedback : {"immediate", "batch", "full"}, default="immediate"
    n_random : int, default=0
        See `cbkit.simulate` for these.

    Examples
    --------
    >>> experiment = Experiment(
    ...     datasets=["demo"], policies=["Greedy", "RandomArm"], folder="outputs/try"
    ... )
    >>> len(experiment.runs())
    20

    >>> policies = {
    ...     f"ActiveExplorer, {criterion}": {
    ...         "policy": "ActiveExplorer",
    ...         "explore": criterion,
    ...         "labels": {"criterion": criterion},
    ...     }
    ...     for criterion in ("weighted", "min")
    ... }
    >>> experiment = Experiment(datasets=["demo"], policies=policies, folder="outputs/try")
    >>> experiment.runs()[0].columns
    {'dataset': 'demo', 'variant': 'default', 'policy': 'ActiveExplorer, weighted', 'seed': 0,
     'criterion': 'weighted'}
    """

    datasets: Sequence[str] | Mapping[str, sources.Spec]
    policies: Sequence[str] | Mapping[str, Spec]
    folder: str | Path
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    n_replicates: int = 10
    seed: int = 0
    n_rounds: int | None = None
    refit_every: int = 50
    refit: Refit | str | Mapping[str, Any] | None = None
    feedback: str = "immediate"
    n_random: int = 0
    tasks: str | Path | None = None

    def __post_init__(self) -> None:
        for name in ("datasets", "policies"):
            value = getattr(self, name)
            listed = isinstance(value, Mapping | Sequence) and not isinstance(value, str)
            if not listed or not value or not all(isinstance(item, str) for item in value):
                raise ValueError(
                    f"{name} must be a list or mapping of names, got {value!r:.200}; "
                    f"{_INSTEAD_OF_OBJECTS[name]}"
                )
            if len(set(value)) < len(value):
                raise ValueError(f"{name} must be different names, got {value!r}")
        for name in ("folder", "tasks"):
            value = getattr(self, name)
            if (value or name == "folder") and not (value and isinstance(value, str | Path)):
                raise ValueError(f"{name} must be a path, got {value!r}")
        changes = self.variants.values() if isinstance(self.variants, Mapping) else [None]
        if not changes or not all(isinstance(change, Mapping) for change in changes):
            raise ValueError(
                "variants must map names to parameters, such as {'full refit': {}}; "
                f"got {self.variants!r}"
            )
        check_whole("n_replicates", self.n_replicates)
        check_whole("seed", self.seed, least=0)
        check_whole("refit_every", self.refit_every)
        self._refit()
        check_feedback(self.feedback)
        check_whole("n_random", self.n_random, least=0)

    def _refit(self) -> Refit | None:
        return None if self.refit is None else as_refit(self.refit)

    @property
    def path(self) -> Path:
        """The folder, as an absolute path."""
        return Path(self.folder).expanduser().absolute()

    @property
    def tasks_path(self) -> Path:
        """The folder of the runs' files, as an absolute path."""
        return Path(self.tasks).expanduser().absolute() if self.tasks else self.path / "tasks"

    def runs(self) -> list[Run]:
        """Return all runs in order; several may share a task, as baselines do between variants.

        Data sets are loaded and every policy is made once, so that errors come early.
        """
        runs = list(self._runs())
        for name in {name for changes in self.variants.values() for name in changes}:
            if not any(name in run.task.factory.make.keywords for run in runs):
                raise ValueError(
                    f"variants change {name!r}, but no policy has the parameter {name!r}"
                )
        check_kinds({run.policy: run.labels for run in runs})
        return runs

    def _runs(self) -> Iterator[Run]:
        for label, spec in _named(self.datasets).items():
            if not isinstance(spec, str | MultilabelDataset) and not callable(spec):
                instead = _INSTEAD_OF_OBJECTS["datasets"]
                raise ValueError(f"{label!r} is no data set, got {spec!r:.200}; {instead}")
            with mistakes_of(f"data set {label!r}"):
                source = Source.planned(spec)
            dataset = source.load()
            n_rounds = dataset.n_rows if self.n_rounds is None else self.n_rounds
            check_whole("n_rounds", n_rounds)
            if n_rounds > dataset.n_rows:
                raise ValueError(
                    f"n_rounds must be at most the {dataset.n_rows} rows of {label}, got {n_rounds}"
                )
            pairs = itertools.product(self.variants.items(), _named(self.policies).items())
            for (variant, changes), (policy, spec) in pairs:
                make, labels = as_factory(policy, spec, changes)
                factory = Factory.planned(make)
                try_factory(make, dataset, f"policy {policy!r}, variant {variant!r}")
                for replicate in range(self.n_replicates):
                    task = Task(
                        source=source,
                        factory=factory,
                        seed=self.seed + replicate,
                        n_rounds=n_rounds,
                        refit_every=self.refit_every,
                        refit=self._refit(),
                        feedback=self.feedback,
                        n_random=self.n_random,
                    )
                    yield Run(
                        dataset=label,
                        variant=variant,
                        policy=policy,
                        task=task,
                        size=n_rounds * dataset.n_arms,
                        labels=labels,
                    )


def _named(specs: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    return dict(specs) if isinstance(specs, Mapping) else {name: name for name in specs}
