"""The constants that are varied one at a time, their values, and the runs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cbkit.datasets.load import load_dataset
from cbkit.experiments.experiment import Experiment
from cbkit.policies.refits import Refit
from cbkit.studies.evaluation.experiment import FIRST_SEED, TUNED_PRIOR

POLICIES = ("Greedy", "EpsilonGreedy", "OnlineBootstrappedUCB", "ContextualAdaptiveGreedy2")
CENTRE = ("C", "1")  # a value at the centre, as every constant but the streaming step has one
PRIOR = "prior"
N_RANDOM = 50  # rounds of the first block, played at random in the paper's author's code
SMALL = ("medical", "yeast", "digits", "demo")  # sets on which a refit in every round is affordable
_EACH_ROUND = "1"
_OF_PLAY = ("refit_every", "refit", "feedback", "n_random")


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A constant and the values that it is given, all others at the centre.

    Attributes
    ----------
    name : str
        What it is called in tables.
    values : mapping of str to mapping
        Label of each value, in order, to the parameters of the policy or of `simulate` that it
        changes; none at the centre.
    policies : tuple of str
        Registry names of those that have it.
    """

    name: str
    values: Mapping[str, Mapping[str, Any]]
    policies: tuple[str, ...] = POLICIES


def _valued(parameter: str, *values: Any, centre: Any) -> dict[str, dict[str, Any]]:
    return {f"{value}": {} if value == centre else {parameter: value} for value in values}


def _oracles(oracle: str, parameter: str, *values: float) -> dict[str, dict[str, Any]]:
    return {f"{value:g}": {"oracle": {oracle: {parameter: value}}} for value in values}


def _geometric(growth: float, always_below: int) -> dict[str, Any]:
    return {"refit": Refit.geometric(growth, always_below)}


def _prior(**constants: Any) -> dict[str, Any]:
    return {"cold_start": {"MABFirst": constants}}


_UCB, _ADAPTIVE = ("OnlineBootstrappedUCB",), ("ContextualAdaptiveGreedy2",)
CONSTANTS = (
    Constant(name="C", values=_oracles("logistic", "C", 0.01, 0.1, 1, 10, 100) | {"1": {}}),
    Constant(
        name="refit interval",
        values=_valued("refit_every", 1, 10, 50, 100, 200, centre=50),
    ),
    Constant(
        name="refit trigger",
        values={
            "each block": {},
            "growth 1.05": _geometric(1.05, 50),
            "growth 1.2": _geometric(1.2, 50),
            "1.2, no least": _geometric(1.2, 0),
            "2, no least": _geometric(2.0, 0),
        },
    ),
    Constant(
        name="feedback",
        values={
            "immediate": {},
            "immediate, 50 random": {"n_random": N_RANDOM},
            "batch": {"feedback": "batch"},
            "batch, 50 random": {"feedback": "batch", "n_random": N_RANDOM},
        },
    ),
    Constant(
        name="streaming step",
        values=_oracles("streaming-logistic", "alpha", 1e-4, 1e-3, 1e-2, 1e-1)
        | {"Laplace": {"oracle": "streaming-laplace"}},
    ),
    Constant(
        name="resamples", values=_valued("n_resamples", 3, 5, 10, 20, 40, centre=10), policies=_UCB
    ),
    Constant(
        name="upper percentile",
        values=_valued("percentile", 50, 65, 80, 90, 99, centre=80),
        policies=_UCB,
    ),
    Constant(
        name="threshold percentile",
        values=_valued("percentile", 5, 15, 30, 50, 75, centre=30),
        policies=_ADAPTIVE,
    ),
    Constant(
        name="window",
        values=_valued("window", 50, 125, 250, 500, 750, centre=500),
        policies=_ADAPTIVE,
    ),
    Constant(
        name="exploration",
        values=_valued("explore_probability", 0.02, 0.05, 0.1, 0.2, 0.4, centre=0.2),
        policies=("EpsilonGreedy",),
    ),
    Constant(
        name=PRIOR,
        values={
            "(5/k, 4, 2)": {},
            "(3/k, 4, 2)": _prior(a="3/k", b=4, m=2),
            "(3, 7, 2)": _prior(a=3, b=7, m=2),
            "(1, 10, 2)": _prior(a=1, b=10, m=2),
            "smoothing (1, 2)": {"cold_start": {"Smoothing": {"a": 1, "b": 2}}},
        },
    ),
)


def values_of(constant: Constant, dataset: str) -> dict[str, Mapping[str, Any]]:
    """Return the values that a constant has on a data set: all but a refit per round on large ones.

    Examples
    --------
    >>> interval = next(constant for constant in CONSTANTS if constant.name == "refit interval")
    >>> list(values_of(interval, "yeast")), list(values_of(interval, "enron"))
    (['1', '10', '50', '100', '200'], ['10', '50', '100', '200'])
    """
    costly = constant.name == "refit interval" and dataset not in SMALL
    return {
        value: changes
        for value, changes in constant.values.items()
        if not (costly and value == _EACH_ROUND)
    }


def sensitivity_experiments(
    dataset: str,
    *,
    folder: str,
    n_replicates: int = 10,
    n_rounds: int | None = None,
    policies: Sequence[str] = POLICIES,
    seed: int = FIRST_SEED,
) -> list[Experiment]:
    """Return the runs of every value of every constant, one experiment per way of playing.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    folder, n_replicates, seed
        As for `Experiment`.
    n_rounds : int, optional
        At most so many; by default all rows.
    policies : sequence of str, default=POLICIES
        Those that play.

    Returns
    -------
    list of Experiment
        Their tables have the columns ``player`` (the policy), ``constant`` and ``value``. A value
        at the centre is the centre's own run.

    Examples
    --------
    >>> experiments = sensitivity_experiments("demo", folder="outputs/try", policies=("Greedy",))
    >>> [(one.refit_every, one.feedback, len(one.policies)) for one in experiments[:2]]
    [(50, 'immediate', 18), (1, 'immediate', 1)]
    """
    ways: dict[tuple[tuple[str, Any], ...], dict[str, Any]] = {}
    for constant in CONSTANTS:
        for policy in (name for name in policies if name in constant.policies):
            for value, changes in values_of(constant, dataset).items():
                play = tuple((name, changes[name]) for name in _OF_PLAY if name in changes)
                own = {name: changes[name] for name in changes if name not in _OF_PLAY}
                labels = {"player": policy, "constant": constant.name, "value": value}
                spec = {"policy": policy, "cold_start": TUNED_PRIOR} | own | {"labels": labels}
                ways.setdefault(play, {})[f"{policy}, {constant.name} {value}"] = spec
    n_rows = load_dataset(dataset).n_rows
    return [
        Experiment(
            datasets=[dataset],
            policies=specs,
            folder=folder,
            n_replicates=n_replicates,
            n_rounds=n_rows if n_rounds is None else min(n_rounds, n_rows),
            seed=seed,
            **dict(play),
        )
        for play, specs in ways.items()
    ]
