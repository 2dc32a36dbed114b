"""The grid of constants: every one is played, around one centre, and has an effect."""

from dataclasses import replace

import pytest

from cbkit.experiments.run import run_experiment
from cbkit.policies.registry import policy_parameters
from cbkit.studies.sensitivity.grid import (
    CENTRE,
    CONSTANTS,
    POLICIES,
    sensitivity_experiments,
    values_of,
)
from cbkit.studies.sensitivity.runs import play, runs_of

PLAY = {"refit_every", "refit", "feedback", "n_random"}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("runs"))
    return play(["demo"], folder=folder, n_replicates=1, n_rounds=160)[0]


def test_every_constant_has_five_values_but_feedback_which_has_four():
    assert {c.name: len(c.values) for c in CONSTANTS if len(c.values) != 5} == {"feedback": 4}


def test_every_constant_but_the_streaming_step_has_one_value_at_the_centre():
    at_centre = {c.name: sum(not changes for changes in c.values.values()) for c in CONSTANTS}
    assert at_centre.pop("streaming step") == 0
    assert set(at_centre.values()) == {1}
    assert not next(c for c in CONSTANTS if c.name == CENTRE[0]).values[CENTRE[1]]


def test_constants_belong_to_policies_that_take_them():
    for constant in CONSTANTS:
        changed = {name for changes in constant.values.values() for name in changes} - PLAY
        for policy in constant.policies:
            assert changed <= policy_parameters(policy), (constant.name, policy)


def test_all_values_of_all_constants_are_played_by_the_policies_that_have_them(played):
    expected = {
        (policy, constant.name, value)
        for constant in CONSTANTS
        for policy in constant.policies
        for value in values_of(constant, "demo")
    }
    assert set(map(tuple, played[["policy", "constant", "value"]].to_numpy())) == expected
    assert len(played) == len(expected) and set(played["policy"]) == set(POLICIES)


def test_the_centre_is_the_same_run_whichever_constant_it_belongs_to(played):
    centres = {
        (c.name, value) for c in CONSTANTS for value, changes in c.values.items() if not changes
    }
    pairs = list(zip(played["constant"], played["value"], strict=True))
    at_centre = played[[pair in centres for pair in pairs]]
    for _, runs in at_centre.groupby("policy"):
        assert len(runs) >= 5 and runs["mean_reward"].nunique() == 1


def test_the_first_policy_alone_plays_large_sets(tmp_path):
    sets = {"datasets": ["digits"], "large": ["demo"]}
    few = {"n_replicates": 1, "n_rounds": 50, "policies": ("Greedy", "EpsilonGreedy")}
    runs, spent = play(**sets, folder=str(tmp_path), **few)
    assert set(runs.loc[runs["dataset"] == "digits", "policy"]) == {"Greedy", "EpsilonGreedy"}
    assert set(runs.loc[runs["dataset"] == "demo", "policy"]) == {"Greedy"}
    assert set(runs["n_rounds"]) == {50} and spent > 0


def test_runs_that_failed_are_refused(tmp_path):
    *_, experiment = sensitivity_experiments(
        "demo", folder=str(tmp_path), n_replicates=1, n_rounds=50, policies=("Greedy",)
    )
    results = run_experiment(experiment)
    failures = results.finals.assign(error="went wrong", traceback="")
    with pytest.raises(ValueError, match="1 runs failed"):
        runs_of(replace(results, finals=failures, failures=failures))
