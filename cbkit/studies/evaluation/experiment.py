"""The paper's section "Empirical evaluation" as experiments."""

from __future__ import annotations

import pandas as pd

from cbkit.experiments.experiment import Experiment
from cbkit.experiments.results import Results
from cbkit.experiments.run import run_experiment
from cbkit.policies.registry import paper_policy_names

TUNED_PRIOR = {"MABFirst": {"a": "5/k", "b": 4, "m": 2}}

# What each variant leaves out, and why.
_LEFT_OUT = {
    "full refit": (),
    # Multinomial resamples need the whole history, which mini-batches do not keep.
    "mini-batch": ("BootstrappedUCB", "BootstrappedTS"),
    # The paper runs it without MAB-first, so that there is no prior to tune.
    "tuned prior": ("ExploreThenExploit",),
}
_CHANGES = {
    "full refit": {},
    "mini-batch": {"oracle": "streaming-logistic"},
    "tuned prior": {"cold_start": TUNED_PRIOR},
}


def paper_evaluation(
    dataset: str,
    *,
    folder: str,
    n_replicates: int = 10,
    n_rounds: int | None = None,
    refit_every: int = 50,
    seed: int = 0,
) -> list[Experiment]:
    """Return the experiments of the paper's evaluation on one data set, one per variant.

    Every registered policy with the paper's hyperparameters plays it with full refits, with
    mini-batch updates (streaming logistic regression, one pass over each block) and, beyond the
    paper, with the prior (5/k, 4, 2) in place of its untuned one.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    folder : str
        Where results go; each variant has a folder of its own in it.
    n_replicates : int, default=10
        Runs per policy, each with another seed and row order.
    n_rounds : int, optional
        Rounds per run; by default all rows.
    refit_every : int, default=50
        Rounds between refits.
    seed : int, default=0
        Seed of the first replicate.

    Returns
    -------
    list of Experiment
        Full refit, mini-batch, tuned prior.

    Examples
    --------
    >>> experiments = paper_evaluation("demo", folder="outputs/try", n_replicates=2)
    >>> [list(experiment.variants) for experiment in experiments]
    [['full refit'], ['mini-batch'], ['tuned prior']]
    """
    return [
        Experiment(
            datasets=[dataset],
            policies=[name for name in paper_policy_names() if name not in _LEFT_OUT[variant]],
            variants={variant: changes},
            folder=f"{folder}/{dataset}/{variant.replace(' ', '-')}",
            n_replicates=n_replicates,
            n_rounds=n_rounds,
            refit_every=refit_every,
            seed=seed,
        )
        for variant, changes in _CHANGES.items()
    ]


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
