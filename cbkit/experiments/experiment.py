"""The grid of an experiment: data sets x variants x policies x replicates."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cbkit._validation import check_whole
from cbkit.datasets import MultilabelDataset
from cbkit.experiments.results import TABLE_COLUMNS, Run
from cbkit.experiments.tasks import Source, Task, load_source, registered_policy
from cbkit.policies.registry import policy_names, policy_parameters
from cbkit.simulate import FEEDBACKS

Spec = str | Mapping[str, Any] | Callable[..., Any]

_INSTEAD_OF_OBJECTS = {
    "datasets": "write {'mine': load_mine} with a function that makes the set",
    "policies": "write {'mine': make_mine} with a function that makes the policy of a data set",
}


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What to run: configuration and factories only, so that every run starts clean.

    Parameters
    ----------
    datasets : sequence of str, or mapping of str to str or callable
        Names for `cbkit.load_dataset`, or labels with names or with functions that make the set.
    policies : sequence of str, or mapping of str to spec
        Registry names, or names of one's own with specs: a registry name, a factory
        ``f(dataset) -> policy``, or a mapping with either of them as ``policy`` and its parameters,
        such as ``{"policy": "BootstrappedUCB", "percentile": 90}``. A mapping's ``labels``, such as
        ``{"criterion": "weighted", "percentile": 90}``, become columns of the tables: what a policy
        stands for is read there, not out of its name. They change no result.
    folder : path
        Where results go; a relative one lies in `cbkit.paths.output_root`. On a cluster, all
        workers must share it.
    variants : mapping of str to mapping, optional
        Parameters that replace those of every policy that has them, such as
        ``{"full refit": {}, "mini-batch": {"oracle": "streaming-logistic"}}``.
    n_replicates : int, default=10
    seed : int, default=0
        Replicate r has the seed ``seed + r``, whatever the policy: all policies see its rows.
    n_rounds : int, optional
        At most (default) the number of rows.
    refit_every : int, default=50
    feedback : {"immediate", "batch"}, default="immediate"

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

    datasets: Sequence[str] | Mapping[str, Source]
    policies: Sequence[str] | Mapping[str, Spec]
    folder: str | Path
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    n_replicates: int = 10
    seed: int = 0
    n_rounds: int | None = None
    refit_every: int = 50
    feedback: str = "immediate"

    def __post_init__(self) -> None:
        for name in ("datasets", "policies"):
            value = getattr(self, name)
            listed = isinstance(value, Mapping | Sequence) and not isinstance(value, str)
            if not listed or not value or not all(isinstance(item, str) for item in value):
                raise ValueError(
                    f"{name} must be a list or mapping of names, got {value!r}; "
                    f"{_INSTEAD_OF_OBJECTS[name]}"
                )
            if len(set(value)) < len(value):
                raise ValueError(f"{name} must be different names, got {value!r}")
        if not isinstance(self.folder, str | Path):
            raise ValueError(f"folder must be a path, got {self.folder!r}")
        changes = self.variants.values() if isinstance(self.variants, Mapping) else [None]
        if not changes or not all(isinstance(change, Mapping) for change in changes):
            raise ValueError(
                "variants must map names to parameters, such as {'full refit': {}}; "
                f"got {self.variants!r}"
            )
        check_whole("n_replicates", self.n_replicates)
        check_whole("seed", self.seed, least=0)
        check_whole("refit_every", self.refit_every)
        if self.feedback not in FEEDBACKS:
            raise ValueError(f"feedback must be one of {FEEDBACKS}, got {self.feedback!r}")

    def runs(self) -> list[Run]:
        """All runs in order; several may share a task, as baselines do between variants.

        Data sets are loaded and registered policies made once, so that errors come early.
        """
        runs = list(self._runs())
        for name in {name for changes in self.variants.values() for name in changes}:
            if not any(name in run.task.factory.keywords for run in runs):
                raise ValueError(
                    f"variants change {name!r}, but no policy has the parameter {name!r}"
                )
        kinds: dict[str, tuple[str, type]] = {}
        for run in runs:
            for name, value in run.labels.items():
                kind = str if isinstance(value, str) else float
                other, expected = kinds.setdefault(name, (run.policy, kind))
                if kind is not expected:
                    raise ValueError(
                        f"label {name!r} must be text everywhere or a number everywhere; it is "
                        f"{value!r} for {run.policy!r}, and the other for {other!r}"
                    )
        return runs

    def _runs(self) -> Iterator[Run]:
        for label, source in _labelled(self.datasets).items():
            dataset = load_source(source)
            n_rounds = dataset.n_rows if self.n_rounds is None else self.n_rounds
            check_whole("n_rounds", n_rounds)
            if n_rounds > dataset.n_rows:
                raise ValueError(
                    f"n_rounds must be at most the {dataset.n_rows} rows of {label}, got {n_rounds}"
                )
            pairs = itertools.product(self.variants.items(), _labelled(self.policies).items())
            for (variant, changes), (policy, spec) in pairs:
                factory, labels = _factory(policy, spec, changes)
                if factory.func is registered_policy:
                    _try(factory, dataset, f"policy {policy!r}, variant {variant!r}")
                for replicate in range(self.n_replicates):
                    task = Task(
                        source=source,
                        checksum=dataset.checksum,
                        factory=factory,
                        seed=self.seed + replicate,
                        n_rounds=n_rounds,
                        refit_every=self.refit_every,
                        feedback=self.feedback,
                    )
                    yield Run(
                        dataset=label,
                        variant=variant,
                        policy=policy,
                        task=task,
                        size=n_rounds * dataset.n_arms,
                        labels=labels,
                    )


def _labelled(specs: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    return dict(specs) if isinstance(specs, Mapping) else {name: name for name in specs}


def _try(factory: Callable[..., Any], dataset: MultilabelDataset, where: str) -> None:
    """Make a policy and drop it: a misspelt parameter is no reason to start a grid."""
    try:
        factory(dataset)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _factory(
    label: str, spec: Spec, changes: Mapping[str, Any]
) -> tuple[functools.partial, dict[str, Any]]:
    """Turn a spec into a function of the data set, a variant's changes bound, and its labels."""
    parameters = dict(spec) if isinstance(spec, Mapping) else {"policy": spec}
    labels = parameters.pop("labels", {})
    _check_labels(label, labels)
    if "policy" not in parameters:
        raise ValueError(f"the spec of {label!r} must name its policy, got {spec!r}")
    policy = parameters.pop("policy")
    if isinstance(policy, str):
        factory = functools.partial(registered_policy, policy=policy, **parameters)
        known = policy_parameters(policy) if policy in policy_names() else set()
    elif callable(policy):
        factory = functools.partial(policy, **parameters)
        known = set(inspect.signature(policy).parameters)
    else:
        raise ValueError(
            f"the spec of {label!r} must be a registry name, a factory f(dataset) -> policy, or a "
            f"mapping with either as 'policy', got {spec!r}; give what makes a policy, not a live "
            "one"
        )
    applicable = {name: value for name, value in changes.items() if name in known}
    return functools.partial(factory, **applicable), labels


def _check_labels(policy: str, labels: Any) -> None:
    """Refuse labels that are no column's name or no single value."""
    if not isinstance(labels, Mapping) or not all(isinstance(name, str) for name in labels):
        raise ValueError(
            f"labels of {policy!r} must map names of columns to values, such as "
            f"{{'criterion': 'weighted'}}, got {labels!r}"
        )
    for name, value in labels.items():
        if name in TABLE_COLUMNS:
            raise ValueError(
                f"{policy!r} has the label {name!r}, which the tables have already; choose another "
                "name"
            )
        if not isinstance(value, str | int | float):
            raise ValueError(
                f"label {name!r} of {policy!r} must be text or a number, got {value!r}"
            )
