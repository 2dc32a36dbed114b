"""Claims about labels: what a policy of a grid stands for is a column, and changes no result."""

import pandas as pd
import pytest

from cbkit import make_policy
from cbkit.experiments.run import Experiment, read_config, run_experiment
from cbkit.experiments.stats import intervals, paired_differences


def explorer(dataset, criterion="weighted"):
    return make_policy("ActiveExplorer", dataset, explore=criterion)


LABELLED = {
    "Greedy": "Greedy",
    "by name": {
        "policy": "ActiveExplorer",
        "explore": "min",
        "labels": {"criterion": "min", "share": 0.15},
    },
    "by factory": {
        "policy": explorer,
        "criterion": "max",
        "labels": {"criterion": "max", "share": 0.5},
    },
}


def grid(folder, policies=LABELLED, **changes):
    options = {"n_rounds": 100, "n_replicates": 2} | changes
    return Experiment(datasets=["demo"], policies=policies, folder=folder, **options)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return run_experiment(grid(tmp_path_factory.mktemp("labelled")))


def test_labels_are_columns_of_every_table(results):
    for table in (results.finals, results.curves, results.timings, results.failures):
        assert list(table.columns[:6]) == [
            *("dataset", "variant", "policy", "seed"),
            *("criterion", "share"),
        ]
    for table in (results.finals, results.curves):
        found = table.groupby("policy")[["criterion", "share"]].first()
        assert found["criterion"].dropna().to_dict() == {"by name": "min", "by factory": "max"}
        assert found["share"].dropna().to_dict() == {"by name": 0.15, "by factory": 0.5}


def test_the_summary_shows_labels_beside_the_policies(results):
    head, _, *lines = results.summary().splitlines()
    assert head.split()[:2] == ["criterion", "share"]
    assert [line.split()[2:4] for line in lines[1:3]] == [["min", "0.15"], ["max", "0.5"]]


def test_labels_survive_saving_and_group_the_statistics(results, tmp_path):
    results.save(tmp_path)
    finals = pd.read_parquet(tmp_path / "finals.parquet")
    assert finals["criterion"].dropna().unique().tolist() == ["min", "max"]
    assert intervals(finals, ["criterion"])["n"].tolist() == [2, 2]
    both = finals[finals["criterion"].notna()].assign(policy="ActiveExplorer")
    table = paired_differences(both, "min", by="criterion")
    assert table[["policy", "criterion", "n"]].to_numpy().tolist() == [["ActiveExplorer", "max", 2]]


def test_labels_are_no_part_of_a_task(tmp_path):
    def keys(labels):
        policy = {"policy": "ActiveExplorer", "explore": "min", "labels": labels}
        return [run.task.key for run in grid(tmp_path, {"mine": policy}).runs()]

    assert keys({"criterion": "min"}) == keys({"something": "else"}) == keys({})


def test_a_config_file_may_label_its_policies(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "{datasets: [demo], folder: x, n_replicates: 1, policies: "
        "{mine: {policy: ActiveExplorer, explore: min, labels: {criterion: min}}}}"
    )
    experiment, _ = read_config(path)
    assert experiment.runs()[0].columns["criterion"] == "min"


@pytest.mark.parametrize(
    "policies, message",
    [
        ({"x": {"policy": "Greedy", "labels": "weighted"}}, "must map names of columns to values"),
        ({"x": {"policy": "Greedy", "labels": {1: "a"}}}, "must map names of columns to values"),
        ({"x": {"policy": "Greedy", "labels": {"seed": 3}}}, "which the tables have already"),
        ({"x": {"policy": "Greedy", "labels": {"a": [1]}}}, "must be text or a number"),
        (
            {
                "x": {"policy": "Greedy", "labels": {"a": 1}},
                "y": {"policy": "Greedy", "labels": {"a": "one"}},
            },
            "text everywhere or a number everywhere.*'one' for 'y'",
        ),
    ],
)
def test_labels_that_cannot_be_columns_are_refused(tmp_path, policies, message):
    with pytest.raises(ValueError, match=message):
        grid(tmp_path, policies).runs()
