"""The paper's section "Empirical evaluation" as experiments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from cbkit.experiments.experiment import Experiment
from cbkit.experiments.results import Results
from cbkit.experiments.run import run_experiment
from cbkit.policies.registry import paper_policy_names

FIRST_SEED = 10  # of the comparisons; the seeds below it choose constants and rivals
TUNED_PRIOR = {"MABFirst": {"a": "5/k", "b": 4, "m": 2}}
_AUTHORS_PRIOR = {"MABFirst": {"a": "3/k", "b": 4, "m": 2}}
_SMOOTHING = {"Smoothing": {"a": 1, "b": 2}}

_WITHOUT_CONTEXTS = ("RandomArm", "BestArmInHindsight", "BestArmOnline")
_NO_POLICY_OF_THE_PAPERS = ("AlternatingEpochs", *_WITHOUT_CONTEXTS)
_MULTINOMIAL = ("BootstrappedUCB", "BootstrappedTS")  # these need the whole history
_COMPARED = tuple(name for name in paper_policy_names() if name not in _NO_POLICY_OF_THE_PAPERS)
_WITH_PRIOR = tuple(name for name in _COMPARED if name != "ExploreThenExploit")  # it has none
_STREAMING = tuple(name for name in _COMPARED if name not in _MULTINOMIAL)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """How the policies play in one version of the evaluation.

    Attributes
    ----------
    policies : tuple of str
        Registry names, or names of which `own` says the policy.
    changes : mapping of str to value
        Parameters of all policies that have them, instead of the paper's.
    own : mapping of str to mapping
        Parameters of single policies.
    play : mapping of str to value
        What differs in the simulation, see `Experiment`.
    chooses : bool
        Whether the seeds below `FIRST_SEED` are played as well, to choose each policy's prior.
    """

    policies: tuple[str, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    play: Mapping[str, Any] = field(default_factory=dict)
    chooses: bool = False


PAPERS, AUTHORS, TUNED = "paper's text", "author's code", "prior (5/k, 4, 2)"
AUTHORS_FOR_ALL = "prior (3/k, 4, 2)"
SGD, LAPLACE = "mini-batch, SGD", "mini-batch, Laplace"
SKYLINE = "full information"
VARIANTS = {
    PAPERS: Variant(policies=(*paper_policy_names(), "SmoothedGreedy"), chooses=True),
    AUTHORS: Variant(
        policies=_COMPARED,
        own={
            "ContextualAdaptiveGreedy": {"cold_start": _AUTHORS_PRIOR},
            "ContextualAdaptiveGreedy2": {"moving": False},
            "ActiveAdaptiveGreedy": {"moving": False},
        },
        play={"feedback": "batch", "n_random": 50},
        chooses=True,
    ),
    AUTHORS_FOR_ALL: Variant(
        policies=_WITH_PRIOR, changes={"cold_start": _AUTHORS_PRIOR}, chooses=True
    ),
    TUNED: Variant(policies=_WITH_PRIOR, changes={"cold_start": TUNED_PRIOR}, chooses=True),
    "smoothing (1, 2)": Variant(
        policies=_WITH_PRIOR, changes={"cold_start": _SMOOTHING}, chooses=True
    ),
    SGD: Variant(policies=_STREAMING, changes={"oracle": "streaming-logistic"}),
    LAPLACE: Variant(policies=_STREAMING, changes={"oracle": "streaming-laplace"}),
}
_SKYLINE = Variant(
    policies=("FullInformation",),
    changes={"oracle": "streaming-laplace"},
    own={"FullInformation": {"policy": "SmoothedGreedy"}},
    play={"feedback": "full"},
)


def paper_evaluation(
    dataset: str,
    *,
    folder: str,
    tasks: str | None = None,
    n_replicates: int = 10,
    n_variants: int | None = None,
    n_choosing: int = FIRST_SEED,
    n_skyline: int = 2,
    n_rounds: int | None = None,
    refit_every: int = 50,
    refit: str = "every block",
    all_variants: bool = True,
) -> list[Experiment]:
    """Return the experiments of the paper's evaluation on one data set, one per variant.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    folder : str
        Where results go; each variant has a folder of its own in it.
    tasks : str, optional
        Where files of runs go, see `Experiment`.
    n_replicates : int, default=10
        Runs per policy from seed `FIRST_SEED` on, each with another row order.
    n_variants : int, optional
        The same beside the two settings, with other priors and oracles; as many by default.
    n_choosing : int, default=10
        Runs before these, at most `FIRST_SEED`, in the variants among which a prior is chosen.
    n_skyline : int, default=2
        Replicates with full information, which take long.
    n_rounds : int, optional
        Rounds per run; by default all rows.
    refit_every : int, default=50
        Rounds between refits.
    refit : str, default="every block"
        Schedule of the refits, for sets on which those of every block take too long.
    all_variants : bool, default=True
        Whether all of `VARIANTS` are played, or the two settings and the MAB-first priors alone.

    Returns
    -------
    list of Experiment
        The variants in this order, and the skyline: one classifier per arm that is shown the
        rewards of all arms at the end of each block.

    Examples
    --------
    >>> experiments = paper_evaluation("demo", folder="outputs/try", n_replicates=2)
    >>> [list(experiment.variants)[0] for experiment in experiments][:2]
    ["paper's text", "author's code"]
    >>> [len(experiment.runs()) for experiment in experiments[:2]]
    [204, 144]
    """
    play: dict[str, Any] = {"n_rounds": n_rounds, "refit_every": refit_every}
    chosen = tuple(VARIANTS) if all_variants else (PAPERS, AUTHORS, AUTHORS_FOR_ALL, TUNED)
    experiments = []
    for name, variant in (VARIANTS | {SKYLINE: _SKYLINE}).items():
        if name not in (*chosen, SKYLINE):
            continue
        n_first = n_choosing if variant.chooses else 0
        n_compared = n_replicates if name in (PAPERS, AUTHORS) else n_variants or n_replicates
        schedule: dict[str, Any] = {} if variant is _SKYLINE else {"refit": refit}
        experiments.append(
            Experiment(
                datasets=[dataset],
                policies={
                    policy: {"policy": policy, **variant.own.get(policy, {})}
                    for policy in variant.policies
                },
                variants={name: variant.changes},
                folder=f"{folder}/{dataset}/{_folder_of(name)}",
                tasks=tasks,
                n_replicates=n_skyline if variant is _SKYLINE else n_first + n_compared,
                seed=FIRST_SEED - n_first,
                **play,
                **schedule,
                **variant.play,
            )
        )
    return experiments


def _folder_of(variant: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in variant)


def run_all(experiments: list[Experiment], *, n_jobs: int | None = None) -> Results:
    """Return the results of experiments, run one after another, as one.

    Parameters
    ----------
    experiments : list of Experiment
        At least one.
    n_jobs : int, optional
        See `run_experiment`.

    Returns
    -------
    Results
        Tables of all of them, in their order.
    """
    results = [run_experiment(experiment, n_jobs=n_jobs) for experiment in experiments]
    tables = ("finals", "curves", "timings", "failures")
    return Results(
        **{
            name: pd.concat([getattr(result, name) for result in results], ignore_index=True)
            for name in tables
        }
    )
