"""Evaluating a target: one row per estimator, with the warnings."""

import numpy as np
import pytest
from six_rounds import TARGET, six_evidence, six_rounds

from cbkit import EpsilonGreedy, Smoothing, load_dataset, simulate
from cbkit.off_policy import (
    IPS,
    BootstrapInterval,
    LoggedRounds,
    MeanRewards,
    NormalInterval,
    evaluate,
    planted_log,
    true_value,
)


def test_a_row_holds_what_estimator_interval_and_diagnostics_say():
    table = evaluate(six_rounds(), TARGET, rng=np.random.default_rng(0), estimators=[IPS()])
    row = table.loc["IPS"]
    assert row["estimate"] == pytest.approx(8 / 6)
    assert (row["low"], row["high"]) == NormalInterval().bounds(IPS(), six_evidence())
    assert row["warning"].startswith("don't trust this")


def test_a_model_adds_the_doubly_robust_estimators():
    table = evaluate(
        six_rounds(),
        TARGET,
        rng=np.random.default_rng(0),
        model=MeanRewards(),
        interval=BootstrapInterval(rng=np.random.default_rng(1), n_resamples=50),
    )
    assert list(table.index) == ["IPS", "SNIPS", "DoublyRobust", "SelfNormalizedDR"]
    assert (table["low"] < table["high"]).all()


@pytest.mark.statistical
def test_the_planted_log_tells_the_truth_it_was_planted_with():
    log, dataset = planted_log(n_rounds=20_000)
    truth = true_value(dataset, np.full((dataset.n_rows, 20), 1 / 20))
    uniform = np.full((log.n_rounds, 20), 1 / 20)
    table = evaluate(log, uniform, rng=np.random.default_rng(0), model=MeanRewards())
    error = (table["high"] - table["low"]) / 2 / 1.96
    assert (np.abs(table["estimate"] - truth) <= 4 * error).all()
    assert (table["warning"] == "").all()


@pytest.mark.statistical
def test_the_log_of_a_policy_that_learned_tells_the_truth_too():
    """Propensities given the history are all that is needed."""
    dataset = load_dataset("demo").subset_arms(20, 0)
    policy = EpsilonGreedy(20, cold_start=Smoothing(a=1, b=2), explore_probability=0.5, decay=1.0)
    log = LoggedRounds.from_run(simulate(policy, dataset, seed=0), dataset)
    best = np.arange(20) == dataset.best_arm
    truth = true_value(dataset, np.tile(best, (dataset.n_rows, 1)))
    table = evaluate(log, np.tile(best, (log.n_rounds, 1)), rng=np.random.default_rng(0))
    error = (table["high"] - table["low"]) / 2 / 1.96
    assert (np.abs(table["estimate"] - truth) <= 4 * error).all()
