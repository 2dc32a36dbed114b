"""What is committed of the evaluation can be read back, says where it comes from, and is small."""

import shutil

import numpy as np
import pandas as pd
import pytest

from cbkit import load_dataset
from cbkit.experiments.stats import paired_differences
from cbkit.studies.evaluation import results as evaluation_results
from cbkit.studies.evaluation.experiment import paper_evaluation, run_all
from cbkit.studies.evaluation.results import load_evaluation, publish, published_datasets
from cbkit.studies.evaluation.tables import (
    beside_greedy,
    final_table,
    kept_against_fresh,
    sentences,
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two replicates of the whole evaluation on the demo, 60 rounds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CBKIT_OUTPUT", str(tmp_path_factory.mktemp("out")))
        return run_all(paper_evaluation("demo", folder="runs", n_replicates=2, n_rounds=60))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of results of the test's own, for writing and for reading."""
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    monkeypatch.setattr(evaluation_results, "results_dir", lambda: tmp_path / "data" / "results")
    return tmp_path / "data" / "results"


def test_published_tables_give_the_same_comparisons_as_the_results(results, folder):
    publish(results, load_dataset("demo"))
    assert published_datasets() == ["demo"]
    finals = load_evaluation("finals")
    columns = ["variant", "policy", "difference", "n"]
    pd.testing.assert_frame_equal(
        paired_differences(finals, "Greedy")[columns],
        paired_differences(results.finals, "Greedy")[columns],
        rtol=1e-5,
        check_dtype=False,
    )
    seconds = finals.groupby(["variant", "policy"], sort=False)["cpu_seconds"].mean()
    np.testing.assert_allclose(seconds, final_table(results)["CPU seconds"], rtol=1e-4)


def test_published_curves_keep_every_fourth_point_and_the_last(results, folder):
    publish(results, load_dataset("demo"))
    curves = load_evaluation("curves")
    assert len(curves) * 4 == len(results.curves)
    last = curves.groupby(["variant", "policy", "seed"], sort=False)["round"].max()
    assert set(last) == {60}
    ends = curves[curves["round"] == 60].merge(
        load_evaluation("finals"), on=["variant", "policy", "seed"]
    )
    assert len(ends) == len(results.finals)
    np.testing.assert_allclose(ends["mean_reward_x"], ends["mean_reward_y"], atol=1e-4)
    assert (folder / "evaluation_demo_curves.parquet").stat().st_size < 100_000


def test_provenance_has_one_row_per_data_set_and_says_what_is_planted(results, folder):
    data = load_dataset("demo")
    publish(results, data)
    table = pd.read_csv(folder / "evaluation_provenance.csv")
    table.assign(dataset="bibtex", planted=False).to_csv(
        folder / "evaluation_provenance.csv", index=False
    )
    publish(results, data)
    publish(results, data)
    origin = load_evaluation("provenance").set_index("dataset")
    assert list(origin.index) == ["bibtex", "demo"]
    assert list(origin["planted"]) == [False, True]
    demo = origin.loc["demo"]
    assert (demo["n_replicates"], demo["n_rounds"], demo["first_seed"]) == (2, 60, 0)
    assert demo["checksum"] == data.checksum
    assert demo["n_runs"] < len(results.finals), "runs that share a task count once"
    assert demo["command"].endswith("--notebook 06_evaluation -p dataset demo")


def test_real_sets_come_before_planted_ones(results, folder):
    publish(results, load_dataset("demo"))
    for name in ("delicious", "mediamill-like", "bibtex"):
        shutil.copy(folder / "evaluation_demo_finals.csv", folder / f"evaluation_{name}_finals.csv")
    assert published_datasets() == ["bibtex", "delicious", "demo", "mediamill-like"]


def test_failed_runs_or_those_of_another_data_set_are_not_published(results, folder):
    with pytest.raises(ValueError, match="the results are of \\['demo'\\], the data set is 'dig"):
        publish(results, load_dataset("digits"))
    failed = results.finals.iloc[:1].assign(error="ValueError: no", traceback="")
    broken = type(results)(**{**vars(results), "failures": failed})
    with pytest.raises(ValueError, match="1 runs on demo failed"):
        publish(broken, load_dataset("demo"))


def test_without_committed_tables_there_are_no_rows(folder):
    assert published_datasets() == []
    assert load_evaluation("finals").empty and load_evaluation("provenance").empty
    assert beside_greedy(load_evaluation("finals"), ["ActiveExplorer"]).empty
    assert kept_against_fresh(load_evaluation("finals")).empty
    with pytest.raises(ValueError, match="kind must be finals, curves or provenance, got 'final'"):
        load_evaluation("final")


def test_kept_weights_are_compared_with_fresh_ones_of_the_same_policy_on_full_refits():
    levels = {"BootstrappedUCB": 0.2, "OnlineBootstrappedUCB": 0.25}
    levels |= {"BootstrappedTS": 0.3, "OnlineBootstrappedTS": 0.26, "Greedy": 0.9}
    runs = pd.DataFrame(
        {"variant": variant, "policy": name, "seed": seed, "mean_reward": level + seed / 100}
        for variant in ("full refit", "mini-batch")
        for name, level in levels.items()
        if variant == "full refit" or name.startswith("Online")
        for seed in range(3)
    ).assign(dataset="d", checksum="c", n_rounds=9)
    table = kept_against_fresh(runs)
    assert list(table["variant"]) == ["full refit"] * 2
    differences = table.set_index("policy")["difference"]
    assert differences.to_dict() == pytest.approx({"UCB": 0.05, "TS": -0.04})


def test_sentences_name_what_is_clearly_above_and_below():
    levels = {"Greedy": 0.2, "BootstrappedTS": 0.3, "ActiveExplorer": 0.1, "RandomArm": 0.9}
    levels |= {"BestArmOnline": 0.15, "BestArmInHindsight": 0.25}
    runs = pd.DataFrame(
        {"policy": name, "seed": seed, "mean_reward": level + seed / 100}
        for name, level in levels.items()
        for seed in range(4)
    ).assign(dataset="d", variant="full refit", checksum="c", n_rounds=9)
    (sentence,) = sentences(runs)
    assert "BootstrappedTS ends best, 0.315" in sentence
    assert "above BestArmOnline (0.165): Greedy, BootstrappedTS." in sentence
    assert "above BestArmInHindsight (0.265): BootstrappedTS." in sentence
    assert sentence.endswith(
        "better than Greedy: BootstrappedTS. Clearly worse than Greedy: ActiveExplorer."
    )
    alone = sentences(runs[runs["seed"] == 0])[0]
    assert "0.300, n = 1." in alone and "Clearly better than Greedy: none" in alone
