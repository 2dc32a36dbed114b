"""Claims about experiments: the same tables whatever happens on the way, and no silent failure."""

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pandas as pd
import pytest
from one_thread import one_thread_policy

from cbkit import load_dataset, make_policy, simulate
from cbkit.experiments.run import Experiment, read_config, run_config, run_experiment
from cbkit.experiments.stats import intervals, paired_differences
from cbkit.paths import notebooks_dir

POLICIES = ("Greedy", "RandomArm", "BestArmOnline", "BestArmInHindsight")
TABLES = ("finals.parquet", "curves.parquet")


def grid(folder, n_replicates=10, policies=POLICIES, **changes):
    """Forty tasks, unless told otherwise."""
    options = {"datasets": ["demo"], "n_rounds": 600, "refit_every": 100} | changes
    return Experiment(policies=policies, n_replicates=n_replicates, folder=folder, **options)


def table_bytes(folder):
    return [(folder / name).read_bytes() for name in TABLES]


def result_files(folder):
    return sorted((folder / "tasks").glob("*.parquet"))


def flaky_policy(dataset, *, allowed):
    """Fail until the file `allowed` exists."""
    if not os.path.exists(allowed):
        raise RuntimeError("no permission yet")
    return make_policy("RandomArm", dataset)


def small_arms(n_arms):
    return load_dataset("demo").subset_arms(n_arms, np.random.default_rng(0))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    results = run_experiment(grid(folder), n_jobs=1)
    assert len(result_files(folder)) == 40
    return results, table_bytes(folder)


def cluster_of(n_workers):
    """Start a Dask cluster of processes."""
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
    )


def run_grid(folder, how):
    """Run the grid with as many jobs as `how` says, or on a cluster if it says "dask"."""
    if how != "dask":
        return run_experiment(grid(folder), n_jobs=how)
    with cluster_of(2) as cluster, cluster.get_client(), joblib.parallel_config(backend="dask"):
        return run_experiment(grid(folder))


def modified(folder):
    return {path: path.stat().st_mtime_ns for path in result_files(folder)}


def stop_in_the_middle(folder, how, sent):
    """Start the grid in another process; signal it and its workers, as a terminal does, midway.

    Returns when the first results were written, by file, just before the signal.
    """
    script = f"""
        import signal
        from test_run import run_grid
        if __name__ == "__main__":
            signal.signal(signal.SIGINT, signal.default_int_handler)  # if started in background
            run_grid({str(folder)!r}, {how!r})
    """
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=os.environ | {"PYTHONPATH": path, "DASK_TEMPORARY_DIRECTORY": str(folder)},
        start_new_session=True,
    )
    try:
        while len(result_files(folder)) < 8 and process.poll() is None:
            time.sleep(0.002)
        written = modified(folder)
        for _ in range(8):  # joblib's workers rarely hold on at the first Ctrl-C
            os.killpg(process.pid, sent)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=15)
                break
        assert process.poll() not in (None, 0), "it went on after the signal"
    finally:
        with contextlib.suppress(ProcessLookupError):  # workers that outlive it, if any
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert 8 <= len(written) <= len(result_files(folder)) < 40, "the signal missed the middle"
    return written


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals a process group")
@pytest.mark.parametrize(
    "sent, stopped, again",
    [
        pytest.param("SIGKILL", 1, 2, marks=pytest.mark.exhaustive),
        ("SIGKILL", 2, 1),
        ("SIGKILL", "dask", "dask"),
        ("SIGINT", 1, 1),
        pytest.param("SIGINT", 2, 2, marks=pytest.mark.exhaustive),
    ],
)
def test_a_run_stopped_in_the_middle_and_run_again_gives_the_same_bytes(
    tmp_path, uninterrupted, sent, stopped, again
):
    if "dask" in (stopped, again):
        pytest.importorskip("distributed")
    written = stop_in_the_middle(tmp_path, stopped, getattr(signal, sent))
    before = modified(tmp_path)
    assert written.items() <= before.items(), "finished tasks were lost"
    assert not list((tmp_path / "tasks").glob("*.failed.json"))
    assert run_grid(tmp_path, again).exit_code == 0
    assert table_bytes(tmp_path) == uninterrupted[1]
    assert before.items() <= modified(tmp_path).items(), "finished tasks ran again"


@pytest.mark.slow
@pytest.mark.parametrize(("n_workers", "n_then"), [(2, 2), (4, 5)])
def test_a_cluster_that_loses_a_worker_and_may_gain_one_gives_the_same_bytes(
    tmp_path, uninterrupted, n_workers, n_then
):
    with cluster_of(n_workers) as cluster, cluster.get_client() as client:
        workers = client.run(os.getpid)
        changed_at = []

        def kill_one_and_scale():
            while len(result_files(tmp_path)) < 6:
                time.sleep(0.002)
            changed_at.append(len(result_files(tmp_path)))
            os.kill(next(iter(workers.values())), signal.SIGKILL)
            cluster.scale(n_then)

        changer = threading.Thread(target=kill_one_and_scale, daemon=True)
        changer.start()
        with joblib.parallel_config(backend="dask"):
            results = run_experiment(grid(tmp_path))
        client.wait_for_workers(n_then, timeout=120)
        there = client.run(os.getpid)
        assert next(iter(workers.values())) not in there.values()
        assert set(there.values()) != set(workers.values())
    assert 6 <= changed_at[0] < 40
    assert results.exit_code == 0
    assert table_bytes(tmp_path) == uninterrupted[1]


def test_parallel_runs_give_the_same_bytes_as_serial_ones(tmp_path, uninterrupted):
    run_experiment(grid(tmp_path), n_jobs=2)
    assert table_bytes(tmp_path) == uninterrupted[1]


def test_a_run_equals_the_same_simulation_by_hand(uninterrupted):
    results, _ = uninterrupted
    dataset = load_dataset("demo")
    log = simulate(make_policy("Greedy", dataset), dataset, seed=3, n_rounds=600, refit_every=100)
    chosen = {"policy": "Greedy", "seed": 3}
    final = results.finals.loc[(results.finals[list(chosen)] == pd.Series(chosen)).all(axis=1)]
    curve = results.curves.loc[(results.curves[list(chosen)] == pd.Series(chosen)).all(axis=1)]
    assert final["mean_reward"].item() == log.mean_reward
    assert final["checksum"].item() == dataset.checksum
    np.testing.assert_array_equal(
        curve["mean_reward"], log.cumulative_mean_reward[curve["round"] - 1]
    )
    assert len(curve) == 200 and curve["round"].iloc[-1] == 600


def test_results_fit_the_statistics_and_are_paired(uninterrupted):
    finals = uninterrupted[0].finals
    table = paired_differences(finals, "RandomArm")
    assert list(table["n"]) == [10, 10, 10]
    assert finals.groupby("seed")["row_order"].nunique().eq(1).all()
    assert finals["row_order"].nunique() == 10


def test_timings_are_kept_apart_from_what_is_reproducible(uninterrupted):
    results, _ = uninterrupted
    for table in (results.finals, results.curves):
        assert not [name for name in table.columns if "seconds" in name]
    assert len(results.timings) == 40 and results.cpu_seconds > 0


def test_order_and_labels_do_not_matter(tmp_path, uninterrupted):
    policies = {f"{name}, again": name for name in reversed(POLICIES)}
    run_experiment(grid(tmp_path, n_replicates=2))
    before = result_files(tmp_path)
    finals = run_experiment(grid(tmp_path, n_replicates=2, policies=policies)).finals
    assert result_files(tmp_path) == before
    expected = uninterrupted[0].finals.set_index(["policy", "seed"])["mean_reward"]
    for row in finals.itertuples():
        assert row.mean_reward == expected[row.policy.removesuffix(", again"), row.seed]


def test_experiments_show_a_failed_run_as_a_row_and_exit_code_and_retry_it(tmp_path, capsys):
    allowed = tmp_path / "allowed"
    policies = {
        "RandomArm": "RandomArm",
        "flaky": functools.partial(flaky_policy, allowed=str(allowed)),
    }
    experiment = grid(tmp_path, n_replicates=2, policies=policies)
    results = run_experiment(experiment)
    assert results.exit_code == 1
    assert results.finals.set_index(["policy", "seed"])["error"].to_dict() == {
        ("RandomArm", 0): "",
        ("RandomArm", 1): "",
        ("flaky", 0): "RuntimeError: no permission yet",
        ("flaky", 1): "RuntimeError: no permission yet",
    }
    assert results.finals["mean_reward"].isna().tolist() == [False, False, True, True]
    assert "in flaky_policy" in results.failures["traceback"].iloc[0]
    assert "2 of 4 runs failed" in results.summary()
    failed = list((tmp_path / "tasks").glob("*.failed.json"))
    assert len(failed) == 2 and "RuntimeError" in json.loads(failed[0].read_text())["traceback"]
    with pytest.raises(ValueError, match="mean_reward is missing in 2 rows of 4"):
        intervals(results.finals, ["policy"])

    allowed.touch()
    results = run_experiment(experiment)
    assert results.exit_code == 0 and not len(results.failures)
    assert not list((tmp_path / "tasks").glob("*.failed.json"))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.filterwarnings("error:.*tasks run in one process")
def test_parallel_and_serial_runs_have_one_thread_each(tmp_path, n_jobs):
    policies = {"one thread": one_thread_policy}
    assert run_experiment(grid(tmp_path, 2, policies), n_jobs=n_jobs).exit_code == 0


def test_variants_change_the_policies_that_have_the_parameter(tmp_path):
    variants = {"full refit": {}, "mini-batch": {"oracle": "streaming-logistic"}}
    experiment = grid(tmp_path, 1, ["Greedy", "BestArmInHindsight"], variants=variants)
    results = run_experiment(experiment)
    assert results.finals[["variant", "policy"]].to_numpy().tolist() == [
        ["full refit", "Greedy"],
        ["full refit", "BestArmInHindsight"],
        ["mini-batch", "Greedy"],
        ["mini-batch", "BestArmInHindsight"],
    ]
    assert len(result_files(tmp_path)) == 3  # the best arm is the same in both
    rewards = results.finals["mean_reward"]
    assert rewards[0] != rewards[2] and rewards[1] == rewards[3]


def test_data_sets_can_come_from_functions(tmp_path):
    datasets = {"five arms": functools.partial(small_arms, 5), "demo": "demo"}
    results = run_experiment(grid(tmp_path, 1, ["RandomArm"], datasets=datasets))
    assert results.finals["dataset"].tolist() == ["five arms", "demo"]
    assert results.finals["checksum"].nunique() == 2


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text):
        path = tmp_path / "config.yaml"
        path.write_text(textwrap.dedent(text))
        return path

    return write


def test_a_config_file_runs_prints_its_rewards_and_exits_with_0(config, tmp_path, capsys):
    text = "{datasets: [demo], policies: [RandomArm], n_rounds: 100, n_replicates: 2, folder: here}"
    assert run_config(config(text)) == 0
    assert "demo (n = 2)" in capsys.readouterr().out
    assert (tmp_path / "here" / "finals.parquet").exists()


@pytest.mark.parametrize(
    "text, message",
    [
        ("{datasets: [demo], polices: [Greedy], folder: x}", "did you mean 'policies'?"),
        ("{datasets: [demo], policies: [Greedy]}", "lacks folder"),
        ("{datasets: [demo], policies: [Gredy], folder: x}", "did you mean 'Greedy'?"),
        ("{datasets: [demo], policies: [Greedy], folder: }", "folder must be a path, got None"),
        (
            "{datasets: [demo], policies: [Greedy], folder: a, tasks: 1}",
            "tasks must be a path, got 1",
        ),
        ("{datasets: [demo], policies: [Greedy], folder: x, n_jobs: two}", "n_jobs must be"),
        ("[demo]", "must hold a mapping"),
        ("{", "while parsing"),
    ],
)
def test_a_wrong_config_file_is_refused_with_exit_code_2(config, capsys, text, message):
    assert run_config(config(text)) == 2
    assert message in capsys.readouterr().err


def test_failed_runs_make_the_exit_code_1(config, monkeypatch, capsys):
    monkeypatch.setattr("cbkit.experiments.tasks.simulate", lambda *a, **k: 1 / 0)
    text = "{datasets: [demo], policies: [RandomArm], n_replicates: 1, folder: here}"
    assert run_config(config(text)) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_the_example_config_is_a_valid_small_experiment(config):
    experiment, n_jobs = read_config(notebooks_dir() / "params" / "experiment_example.yaml")
    assert n_jobs == 2
    assert 0 < len(experiment.runs()) <= 20


def test_experiments_with_one_store_play_what_they_have_in_common_once(tmp_path):
    store = tmp_path / "store"
    greedy = run_experiment(grid(tmp_path / "a", policies=["Greedy"], tasks=store)).finals
    kept = {path: path.stat().st_mtime_ns for path in store.iterdir()}
    both = run_experiment(grid(tmp_path / "b", policies=POLICIES[:2], tasks=store)).finals
    assert len(list(store.iterdir())) == 2 * len(kept) == 20
    assert all(path.stat().st_mtime_ns == moment for path, moment in kept.items())
    assert [path.name for path in (tmp_path / "a").iterdir() if path.is_dir()] == []
    again = both[both["policy"] == "Greedy"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, greedy)
