"""What a policy of a grid is written as, and the function of the data set that it stands for."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.results import TABLE_COLUMNS
from cbkit.experiments.tasks import registered_policy
from cbkit.policies.policy import Policy
from cbkit.policies.registry import policy_names, policy_parameters

Spec = str | Mapping[str, Any] | Callable[..., Any]


def as_factory(
    name: str, spec: Spec, changes: Mapping[str, Any]
) -> tuple[functools.partial, dict[str, Any]]:
    """Turn a spec into a function of the data set, and the labels that go with it.

    Parameters
    ----------
    name : str
        What the policy is called, for errors.
    spec : str, callable or mapping
        As for `Experiment`.
    changes : mapping
        Parameters of a variant; those that the policy has are bound.

    Returns
    -------
    factory : functools.partial
        ``factory(dataset)`` makes the policy.
    labels : dict

    Raises
    ------
    ValueError
        If the spec is neither of these, or a label cannot be a column.
    """
    parameters: dict[str, Any] = dict(spec) if isinstance(spec, Mapping) else {"policy": spec}
    labels: dict[str, Any] = parameters.pop("labels", {})
    _check_labels(name, labels)
    if "policy" not in parameters:
        raise ValueError(f"the spec of {name!r} must name its policy, got {spec!r}")
    policy: Any = parameters.pop("policy")
    factory: functools.partial
    inner = policy.func if isinstance(policy, functools.partial) and not policy.args else policy
    if _is_registered(inner):  # a named policy function stands for its registry entry
        parameters = getattr(policy, "keywords", {}) | parameters
        policy = inner.__name__
    if isinstance(policy, str):
        factory = functools.partial(registered_policy, policy=policy, **parameters)
        known = policy_parameters(policy) if policy in policy_names() else set()
    elif callable(policy) and not isinstance(policy, Policy):
        factory = functools.partial(policy, **parameters)
        known = _parameters(policy)
    else:
        raise ValueError(
            f"the spec of {name!r} must be a registry name, a factory f(dataset) -> policy, or a "
            f"mapping with either as 'policy', got {spec!r:.200}; give what makes a policy, not a "
            "live one"
        )
    applicable = {name: value for name, value in changes.items() if name in known}
    return functools.partial(factory, **applicable), labels


def try_factory(factory: Callable[..., Any], dataset: MultilabelDataset, where: str) -> None:
    """Make a policy and drop it: a misspelt parameter is no reason to start a grid.

    Parameters
    ----------
    factory : callable
        From `as_factory`.
    dataset : MultilabelDataset
        What its policy is to play.
    where : str
        What to call it in errors.

    Raises
    ------
    ValueError
        If it cannot make a policy that plays the data set.
    """
    try:
        with mistakes_of(where):
            policy = copy.deepcopy(factory)(dataset)
    except _Mistake:
        raise
    except Exception:
        return
    if not isinstance(policy, Policy):
        raise ValueError(
            f"{where}: the factory must return a Policy, got {policy!r:.200}; write "
            "f(dataset) -> policy"
        )
    if policy.n_arms != dataset.n_arms:
        raise ValueError(
            f"{where}: the policy has {policy.n_arms} arms, {dataset.name} {dataset.n_arms}; "
            "write n_arms=dataset.n_arms"
        )
    if not policy.is_fresh:
        raise ValueError(
            f"{where}: the policy has already chosen or learned; make a fresh one in the factory"
        )


class _Mistake(ValueError):
    """An error of the user's code, with what it was to make."""


@contextmanager
def mistakes_of(where: str) -> Iterator[None]:
    """Name what was to be made in errors that the code itself is to blame for.

    Other errors, such as of a file or of memory, may be gone when a task runs; they pass.
    """
    try:
        yield
    except (TypeError, ValueError, NameError, AttributeError, LookupError) as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise _Mistake(f"{where}: {kind}{error}") from error


def _parameters(factory: Callable[..., Any]) -> set[str]:
    try:
        return set(inspect.signature(factory).parameters)
    except (TypeError, ValueError):  # written in C, or bound to what it does not take
        return set()


def _is_registered(policy: Any) -> bool:
    """Return whether this is the very function that a registry name stands for."""
    module = getattr(policy, "__module__", "") or ""
    return (
        inspect.isfunction(policy)
        and module.startswith("cbkit.policies.")
        and policy.__name__ in policy_names()
    )


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


def check_kinds(labels: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a label that is text for one policy and a number for another.

    Parameters
    ----------
    labels : mapping of str to mapping
        Labels of each policy, by its name.
    """
    kinds: dict[str, tuple[str, bool]] = {}
    for policy, values in labels.items():
        for name, value in values.items():
            other, is_text = kinds.setdefault(name, (policy, isinstance(value, str)))
            if isinstance(value, str) != is_text:
                raise ValueError(
                    f"label {name!r} must be text everywhere or a number everywhere; it is "
                    f"{value!r} for {policy!r}, and the other for {other!r}"
                )
