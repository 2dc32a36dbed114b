"""The plain loop earns what the package's policies earn: two implementations of one protocol."""

import numpy as np
import pytest

from cbkit import load_dataset, make_policy, simulate
from cbkit.studies.cost.plain_loop import plain_loop

SEEDS = range(10)  # of fewer, the standard error itself is too uncertain for four of it
N_ROUNDS = 800
PRIOR = {"a": 5 / 60, "b": 4, "m": 2}


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("policy", "own", "loop"),
    [
        ("Greedy", {}, {}),
        ("BootstrappedUCB", {"n_resamples": 3}, {"n_resamples": 3}),
    ],
)
def test_plain_loop_and_package_earn_the_same_within_noise(policy, own, loop):
    data = load_dataset("demo")
    earned = []
    for seed in SEEDS:
        player = make_policy(policy, data, cold_start={"MABFirst": PRIOR}, **own)
        log = simulate(player, data, seed=seed, n_rounds=N_ROUNDS)
        plain = plain_loop(data, seed=seed, n_rounds=N_ROUNDS, by_block=True, **PRIOR, **loop)
        earned.append([log.mean_reward, plain["mean_reward"]])
    assert np.mean(earned, axis=0).min() > 0.06  # both learn: a random arm earns 0.03
    differences = np.diff(earned, axis=1)
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 4 * error


def test_both_forms_of_the_plain_loop_earn_the_same_where_nothing_is_resampled():
    data = load_dataset("demo")
    plain, careful = (
        plain_loop(data, seed=0, n_rounds=700, by_block=by_block, **PRIOR)
        for by_block in (False, True)
    )
    assert plain["mean_reward"] == careful["mean_reward"] > 0.05
    assert plain["n_refits"] > careful["n_refits"]


def test_plain_loop_counts_its_own_cpu_seconds_and_refits():
    data = load_dataset("demo")
    short, long = (plain_loop(data, seed=0, n_rounds=n, by_block=True, **PRIOR) for n in (300, 600))
    assert 0 < short["n_refits"] < long["n_refits"]
    assert 0 < short["seconds"] < long["seconds"]
