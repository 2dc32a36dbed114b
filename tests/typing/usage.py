"""What users write, as mypy has to see it; checked with the package, never run.

A line that has to be refused carries the error that it is refused with: mypy complains where the
error does not come.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_type

import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier

import cbkit
from cbkit import (
    BootstrappedUCB,
    Choice,
    EpsilonGreedy,
    Experiment,
    LogisticOracle,
    MABFirst,
    MultilabelDataset,
    Policy,
    RidgeOracle,
    RunLog,
    Smoothing,
    load_dataset,
    load_policy,
    make_policy,
    run_experiment,
    save_policy,
    simulate,
)
from cbkit.experiments.results import Results
from cbkit.off_policy import IPS, evaluate, planted_log, policy_target
from cbkit.oracles import Oracle
from cbkit.policies import Chooser, Index, UpperPercentile

rng = np.random.default_rng(0)
dataset = load_dataset("demo")
assert_type(dataset, MultilabelDataset)

# Policies by name, for a number of arms or for their names
ucb = BootstrappedUCB(dataset.n_arms, percentile=80, cold_start=MABFirst(a=1, b=2))
assert_type(ucb, Policy)
shop = EpsilonGreedy(["hats", "shoes"], oracle=SGDClassifier(loss="log_loss"), cold_start=None)
EpsilonGreedy(n_arms=3, cold_start={"Smoothing": {"a": 1, "b": 4}}, oracle={"logistic": {"C": 2}})
make_policy("Greedy", dataset, cold_start=Smoothing(a=1, b=4))
BootstrappedUCB(3, percentil=80)  # type: ignore[call-arg]
BootstrappedUCB(3, percentile="80")  # type: ignore[arg-type]
BootstrappedUCB(3.5)  # type: ignore[arg-type]
cbkit.Greddy  # type: ignore[attr-defined]  # noqa: B018

# Played and read
log = simulate(ucb, dataset, seed=0, n_rounds=100)
assert_type(log, RunLog)
assert_type(log.rounds, pd.DataFrame)
assert_type(log.mean_reward, float)
simulate(ucb, dataset, seed="0")  # type: ignore[arg-type]

# Live
one, *others = shop.select(np.eye(2), rng, return_decisions=True)
shop.update([one], [1], rng)
assert_type(shop.arm_names, tuple[str | int, ...])
shop.drop_arm(shop.add_arm("ties"))
assert_type(load_policy(save_policy(shop, "shop.policy")), Policy)

# Parts of one's own, and those that are there
oracles: list[Oracle] = [LogisticOracle(), RidgeOracle(alpha=2.0)]
index: Index = UpperPercentile(percentile=90)


@dataclass(kw_only=True)
class TopN:
    """Choose any of the best arms."""

    n_top: int

    def choose(
        self, values: np.ndarray, context: object, rng: np.random.Generator
    ) -> Choice:  # what it is handed besides is not looked at
        """Return the choice."""
        top = np.argsort(-values)[: self.n_top]
        arm = int(rng.choice(top))
        return Choice(arm, explored=arm != top[0], propensity=1 / len(top))


chooser: Chooser = TopN(n_top=3)


def top_n(dataset: MultilabelDataset, n_top: int = 3) -> Policy:
    """Make a policy of one's own."""
    return Policy(
        name=f"Top{n_top}",
        n_arms=dataset.n_arms,
        oracle=oracles[0],
        index=index,
        chooser=TopN(n_top=n_top),
    )


# Grids
results = run_experiment(
    Experiment(
        datasets={"visits": dataset, "demo": "demo"},
        policies={"Top3": top_n, "Greedy": "Greedy"},
        folder="outputs/visits",
        n_replicates=5,
    )
)
assert_type(results, Results)
assert_type(results.finals, pd.DataFrame)

# Logs
logged, _ = planted_log(n_rounds=500)
estimates = evaluate(logged, policy_target(ucb), rng=rng, estimators=[IPS()])
assert_type(estimates, pd.DataFrame)
names: Sequence[str] = cbkit.policy_names()
