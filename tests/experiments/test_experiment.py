"""Claims about the grid: what is refused before anything runs, and what the keys cover."""

import functools
import pickle
import threading

import numpy as np
import pytest
from scipy import sparse

from cbkit import Greedy, MultilabelDataset, Policy, load_dataset, make_policy, simulate
from cbkit.experiments import tasks
from cbkit.experiments.run import Experiment, run_experiment
from cbkit.experiments.task_files import read_failure

DENSE = MultilabelDataset.from_arrays(
    np.random.default_rng(0).normal(size=(400, 4)).round(2) * [1, 5, 25, 0],
    np.random.default_rng(1).random((400, 3)) < 0.3,
    name="mine",
)
SPARSE = MultilabelDataset.from_arrays(sparse.csr_array(DENSE.features), DENSE.labels, name="mine")


def grid(folder, policies=("RandomArm",), **changes):
    options = {"datasets": ["demo"], "n_rounds": 60, "refit_every": 20, "n_replicates": 1}
    return Experiment(policies=policies, folder=folder, **options | changes)


def small_arms(n_arms):
    return load_dataset("demo").subset_arms(n_arms, np.random.default_rng(0))


def random_arm(dataset):
    return make_policy("RandomArm", dataset)


def dense():
    return DENSE


def as_sparse():
    return SPARSE


def one_task(tmp_path, **changes):
    (run,) = grid(tmp_path, **changes).runs()
    return run.task


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"n_rounds": 61},
        {"refit_every": 50},
        {"feedback": "batch"},
        {"policies": ["Greedy"]},
        {"datasets": {"demo": functools.partial(small_arms, 5)}},
        {"policies": {"RandomArm": {"policy": "EpsilonGreedy"}}},
        {"policies": {"RandomArm": {"policy": "EpsilonGreedy", "decay": 0.5}}},
        {"policies": {"RandomArm": random_arm}},
    ],
    ids="seed rounds refits feedback policy data parameters decay factory".split(),
)
def test_every_part_of_a_configuration_is_in_the_key(tmp_path, changes):
    assert one_task(tmp_path, **changes).key != one_task(tmp_path).key


def test_experiments_key_runs_by_data_and_result_version_and_never_by_position_or_folder(
    tmp_path, monkeypatch
):
    task = one_task(tmp_path)
    assert one_task(tmp_path / "elsewhere").key == task.key
    assert one_task(tmp_path, policies=["Greedy", "RandomArm"][1:]).key == task.key
    monkeypatch.setattr(tasks, "RESULT_VERSION", tasks.RESULT_VERSION + 1)
    assert one_task(tmp_path).key != task.key


def test_tasks_carry_names_and_no_arrays(tmp_path):
    assert len(pickle.dumps(one_task(tmp_path))) < 2000


LOCK = threading.Lock()
PLAYED = make_policy("RandomArm", load_dataset("demo"))
simulate(PLAYED, load_dataset("demo"), seed=0, n_rounds=5)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"policies": {"mine": lambda dataset: None}}, "must return a Policy, got None"),
        ({"policies": {"mine": lambda: None}}, "policy 'mine'.*takes 0 positional arguments"),
        ({"policies": {"mine": lambda dataset: dataset.n_arm}}, "no attribute 'n_arm'"),
        ({"policies": {"mine": lambda dataset: Greedy(2)}}, "2 arms, demo 60"),
        ({"policies": {"mine": lambda dataset: PLAYED}}, "already chosen or learned"),
        ({"policies": {"mine": lambda dataset: LOCK}}, "lock, reached as <lambda> -> LOCK"),
        ({"policies": {"mine": Greedy(60)}}, "not a live one"),
        ({"policies": {"mine": functools.partial(Greedy, oracel=1)}}, "'oracel'"),
        ({"policies": {"mine": Policy}}, "policy 'mine'.*TypeError"),
        ({"policies": {"mine": 3}}, "not a live one"),
        ({"policies": {"mine": {"n_resamples": 3}}}, "must name its policy"),
        ({"policies": ["Greedi"]}, "did you mean 'Greedy'"),
        ({"policies": {"mine": {"policy": "Greedy", "oracel": 1}}}, "policy 'mine'.*'oracle'"),
        ({"policies": {"x": functools.partial(random_arm, wrong=1)}}, "argument 'wrong'"),
        ({"datasets": {"mine": 3}}, "'mine' is no data set, got 3"),
        ({"datasets": {"mine": random_arm}}, "missing 1 required positional argument"),
        ({"datasets": {"mine": lambda: DENSE.features}}, "must make a MultilabelDataset"),
        ({"policies": []}, "policies must be a list or mapping of names"),
        ({"policies": "Greedy"}, "policies must be a list or mapping of names"),
        ({"policies": ["Greedy", "Greedy"]}, "policies must be different names"),
        ({"datasets": 3}, "datasets must be a list or mapping of names"),
        ({"datasets": [dense]}, "write {'mine': load_mine} with a function"),
        ({"datasets": ["demmo"]}, "did you mean 'demo'"),
        ({"n_rounds": 10**6}, "n_rounds must be at most the 3000 rows of demo"),
        ({"n_replicates": 0}, "n_replicates"),
        ({"refit_every": 0}, "refit_every"),
        ({"feedback": "late"}, "feedback must be one of"),
        ({"variants": {}}, "variants must map names to parameters"),
        ({"variants": ["mini-batch"]}, "variants must map names to parameters"),
        ({"variants": {"a": {"oracel": "logistic"}}}, "no policy has the parameter 'oracel'"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        run_experiment(grid(tmp_path, **changes))
    assert not (tmp_path / "tasks").exists()


def test_a_data_set_stands_for_itself_and_a_named_policy_for_its_registry_entry(tmp_path):
    experiment = grid(
        tmp_path, {"g": Greedy, "registered": "Greedy"}, datasets={"mine": DENSE}, n_rounds=None
    )
    assert len({run.task.key for run in experiment.runs()}) == 1
    finals = run_experiment(experiment).finals
    by_hand = simulate(make_policy("Greedy", DENSE), DENSE, seed=0, refit_every=20)
    assert finals["mean_reward"].tolist() == [by_hand.mean_reward] * 2
    assert finals["dataset"].tolist() == ["mine"] * 2


def test_parameters_bound_to_a_named_policy_are_those_of_its_registry_entry(tmp_path):
    policies = {
        "bound": functools.partial(Greedy, oracle="streaming-logistic"),
        "written": {"policy": "Greedy", "oracle": "streaming-logistic"},
        "both": {"policy": Greedy, "oracle": "streaming-logistic"},
    }
    assert len({run.task.key for run in grid(tmp_path, policies).runs()}) == 1


def test_lambdas_and_nested_functions_are_policies_and_data_sets_too(tmp_path):
    def make(name):
        return lambda dataset: make_policy(name, dataset)

    experiment = grid(tmp_path, {"a": make("Greedy"), "b": make("RandomArm")}, n_replicates=2)
    own = grid(tmp_path, {"a": "Greedy", "b": "RandomArm"}, n_replicates=2)
    mean_rewards = run_experiment(experiment, n_jobs=2).finals["mean_reward"]
    assert mean_rewards.tolist() == run_experiment(own).finals["mean_reward"].tolist()


def test_a_data_set_given_as_it_is_goes_to_workers_by_a_file_and_tasks_stay_small(tmp_path):
    experiment = grid(tmp_path, datasets={"mine": DENSE}, n_replicates=3, n_rounds=None)
    (run, *_) = experiment.runs()
    assert len(pickle.dumps(run.task.shared(tmp_path / "datasets"))) < 2000
    (path,) = (tmp_path / "datasets").iterdir()
    assert not list((tmp_path / "datasets").glob("*.part"))
    in_two = run_experiment(experiment, n_jobs=2).finals
    in_one = run_experiment(grid(tmp_path / "one", datasets={"mine": DENSE}, n_replicates=3)).finals
    assert in_two["error"].tolist() == [""] * 3 and path.exists()
    assert in_two["checksum"].tolist() == in_one["checksum"].tolist()


@pytest.mark.parametrize("by", ["function", "object"])
def test_the_same_numbers_dense_and_sparse_are_two_data_sets_for_any_jobs_and_order(tmp_path, by):
    made = {"dense": dense, "sparse": as_sparse}
    if by == "object":
        made = {"dense": DENSE, "sparse": SPARSE}
    alone = {
        name: simulate(
            make_policy("Greedy", data, oracle="streaming-logistic"), data, seed=0, refit_every=20
        ).mean_reward
        for name, data in {"dense": DENSE, "sparse": SPARSE}.items()
    }
    assert alone["dense"] != alone["sparse"], "the layouts play alike: the test shows nothing"
    policies = {"streaming": {"policy": "Greedy", "oracle": "streaming-logistic"}}
    for order in (["dense", "sparse"], ["sparse", "dense"]):
        for n_jobs in (1, 2):
            folder = tmp_path / f"{order[0]}-{n_jobs}"
            datasets = {name: made[name] for name in order}
            experiment = grid(folder, policies, datasets=datasets, n_rounds=None)
            finals = run_experiment(experiment, n_jobs=n_jobs).finals
            assert finals.set_index("dataset")["mean_reward"].to_dict() == alone


def test_a_data_set_that_changed_since_the_plan_is_a_failed_run_in_words(tmp_path):
    numbers = tmp_path / "numbers.csv"

    def load():
        features = np.loadtxt(numbers, delimiter=",")
        return MultilabelDataset.from_arrays(features, DENSE.labels, name="changing")

    np.savetxt(numbers, DENSE.features, delimiter=",")
    (run,) = grid(tmp_path, datasets={"changing": load}, n_rounds=None).runs()
    np.savetxt(numbers, DENSE.features + 1, delimiter=",")
    grid(tmp_path, datasets={str(n): functools.partial(small_arms, n) for n in range(5, 14)}).runs()
    tasks.run_task(run.task, tmp_path)
    assert "give every worker the same data" in read_failure(tmp_path, run.task.key)["error"]


def test_a_data_set_is_loaded_anew_for_every_plan(tmp_path):
    numbers = tmp_path / "numbers.csv"

    def load():
        features = np.loadtxt(numbers, delimiter=",")
        return MultilabelDataset.from_arrays(features, DENSE.labels, name="changing")

    def checksum():
        experiment = grid(tmp_path / "runs", datasets={"changing": load}, n_rounds=None)
        return run_experiment(experiment).finals["checksum"].item()

    np.savetxt(numbers, DENSE.features, delimiter=",")
    first = checksum()
    np.savetxt(numbers, DENSE.features + 1, delimiter=",")
    assert checksum() != first
