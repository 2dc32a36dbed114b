"""Claims about task files: damage is found, and what cannot be written is said and cleared."""

import os
import pickle
import socket
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cbkit import load_dataset, make_policy, simulate
from cbkit.experiments import task_files
from cbkit.experiments.run import Experiment, run_config, run_experiment
from cbkit.experiments.task_files import read_result

FEW_ROUNDS = 8  # so that the file is small


def grid(folder, **changes):
    options = {"datasets": ["demo"], "policies": ["RandomArm"], "n_replicates": 1}
    return Experiment(folder=folder, **options | {"n_rounds": FEW_ROUNDS} | changes)


def task_file(folder):
    (path,) = (folder / "tasks").glob("*.parquet")
    return path


def flipped(content, position):
    changed = bytearray(content)
    changed[position] ^= 1 << position % 8
    return bytes(changed)


def same(found, expected):
    curves = zip(found.curve.items(), expected.curve.items(), strict=True)
    return found.facts == expected.facts and all(
        name == other and values.dtype == others.dtype and np.array_equal(values, others)
        for (name, values), (other, others) in curves
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small experiment's folder, its tables, its task's file and what that holds."""
    folder = tmp_path_factory.mktemp("finished")
    results = run_experiment(grid(folder))
    path = task_file(folder)
    return folder, results, path.read_bytes(), read_result(path, path.stem)


def test_a_flip_of_any_bit_in_any_byte_reads_back_equal_or_as_damage(finished, tmp_path):
    folder, _, content, expected = finished
    key = task_file(folder).stem
    path = tmp_path / "flipped.parquet"
    accepted = []
    for position in range(len(content)):
        path.write_bytes(flipped(content, position))
        found = read_result(path, key)
        if found is not None:
            accepted.append(position)
            assert same(found, expected), f"byte {position} was changed unnoticed"
    assert not accepted, "the digest covers every byte"


@pytest.mark.parametrize("share", [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1])
def test_after_any_flip_the_same_grid_gives_the_same_tables(finished, tmp_path, share):
    _, expected, content, _ = finished
    run_experiment(grid(tmp_path))
    task_file(tmp_path).write_bytes(flipped(content, round(share * (len(content) - 1))))
    results = run_experiment(grid(tmp_path))
    pd.testing.assert_frame_equal(results.finals, expected.finals)
    pd.testing.assert_frame_equal(results.curves, expected.curves)
    path = task_file(tmp_path)
    assert read_result(path, path.stem) is not None, "it was not written anew"


def renamed(path):
    table = pq.read_table(path)
    names = ["round", "explored_share", "mean_reward"]  # two columns change names
    pq.write_table(table.rename_columns(names), path)


def retyped(path):
    table = pq.read_table(path)
    kinds = table.schema.set(0, table.schema.field(0).with_type(pa.int64()))
    pq.write_table(table.cast(kinds), path)


def relabelled(path):
    table = pq.read_table(path)
    facts = table.schema.metadata[b"cbkit"].replace(b'"n_rounds": 8', b'"n_rounds": 9')
    assert facts != table.schema.metadata[b"cbkit"]
    pq.write_table(table.replace_schema_metadata({b"cbkit": facts}), path)


def without_facts(path):
    pq.write_table(pq.read_table(path).replace_schema_metadata({}), path)


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path):
    path.write_bytes(b"")


def replaced_by_text(path):
    path.write_text('{"digest": "')


@pytest.mark.parametrize(
    "damage", [renamed, retyped, relabelled, without_facts, cut, emptied, replaced_by_text]
)
def test_a_changed_or_foreign_file_is_computed_again(finished, tmp_path, damage):
    run_experiment(grid(tmp_path))
    damage(task_file(tmp_path))
    results = run_experiment(grid(tmp_path))
    pd.testing.assert_frame_equal(results.finals, finished[1].finals)
    pd.testing.assert_frame_equal(results.curves, finished[1].curves)


def test_a_file_under_another_tasks_name_is_not_taken_for_its_result(tmp_path):
    run_experiment(grid(tmp_path, n_replicates=2))
    first, second = sorted((tmp_path / "tasks").glob("*.parquet"))
    expected = read_result(second, second.stem)
    second.write_bytes(first.read_bytes())
    assert read_result(second, second.stem) is None
    run_experiment(grid(tmp_path, n_replicates=2))
    assert read_result(second, second.stem).facts["mean_reward"] == expected.facts["mean_reward"]


class Spy:
    """Touches a file as it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_a_file_with_the_right_digest_runs_nothing_as_it_is_read(tmp_path, monkeypatch):
    hostile = {
        b"ARROW:extension:name": b"arrow.py_extension_type",  # once unpickled by whoever read it
        b"ARROW:extension:metadata": pickle.dumps(Spy(tmp_path / "touched")),
    }
    schema = pa.schema([pa.field("round", pa.int64(), metadata=hostile)])
    curve = pa.table([pa.array([1])], schema=schema)
    monkeypatch.setattr(task_files, "thinned_curve", lambda log: curve)
    dataset = load_dataset("demo")
    log = simulate(make_policy("RandomArm", dataset), dataset, seed=0, n_rounds=10)
    task_files.write_result(log, tmp_path / "a.parquet", "key", seconds=0.0)
    assert read_result(tmp_path / "a.parquet", "key").curve["round"].tolist() == [1]
    assert not (tmp_path / "touched").exists()


def dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_leftovers_of_dead_processes_are_swept_and_those_of_live_ones_stay(tmp_path):
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    host = socket.gethostname()
    dead = tasks / f"0123.parquet.{host}-{dead_process()}.part"
    dead_table = tmp_path / f"finals.parquet.{host}-{dead_process()}.part"
    live = tasks / f"4567.parquet.{host}-{os.getppid()}.part"
    elsewhere = tasks / "89ab.parquet.another-machine-12.part"
    forgotten = tasks / "cdef.parquet.another-machine-12.part"
    for path in (dead, dead_table, live, elsewhere, forgotten):
        path.write_bytes(b"half")
    os.utime(forgotten, (0, 0))
    run_experiment(grid(tmp_path))
    assert not dead.exists() and not dead_table.exists() and not forgotten.exists()
    assert live.exists() and elsewhere.exists()


def run_script(folder, before, **environment):
    """Run a grid in a process of its own, after some lines that limit what it may do."""
    script = f"""
        import resource, signal, sys
        from cbkit.experiments.run import Experiment, run_config
        config = {str(folder / "config.yaml")!r}
        {before}
        sys.exit(run_config(config))
    """
    (folder / "config.yaml").write_text(
        "{datasets: [demo], policies: [Greedy, RandomArm], n_replicates: 3, n_rounds: 60, "
        "folder: runs}"
    )
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_a_full_disk_stops_the_run_in_words_leaves_no_part_and_loses_nothing(tmp_path):
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    done = run_script(tmp_path, limit)
    assert done.returncode == 2
    assert done.stderr.startswith("cbkit: ") and "run the same again" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "runs").rglob("*.part"))
    assert run_script(tmp_path, "").returncode == 0


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_runs(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="choose another folder"):
        run_experiment(grid(tmp_path / "file" / "runs"))


def test_it_is_said_on_the_command_line_too(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "config.yaml").write_text(
        f"{{datasets: [demo], policies: [RandomArm], folder: '{tmp_path / 'file' / 'runs'}'}}"
    )
    assert run_config(tmp_path / "config.yaml") == 2
    assert "choose another folder" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="sends itself a signal")
def test_ctrl_c_stops_in_words_and_keeps_what_is_finished(tmp_path):
    after_three = """
        from cbkit.experiments import run
        work = run.run_task
        done = []
        def work_and_stop(task, folder):
            if len(done) == 3:
                signal.raise_signal(signal.SIGINT)
            done.append(task)
            return work(task, folder)
        run.run_task = work_and_stop
        signal.signal(signal.SIGINT, signal.default_int_handler)
    """
    done = run_script(tmp_path, textwrap.dedent(after_three).replace("\n", "\n        "))
    assert done.returncode == 130 and "run the same again to go on" in done.stderr
    kept = list((tmp_path / "runs" / "tasks").iterdir())
    assert len(kept) == 3 and {path.suffix for path in kept} == {".parquet"}
    before = {path: path.stat().st_mtime_ns for path in kept}
    assert run_script(tmp_path, "").returncode == 0
    assert before.items() <= {p: p.stat().st_mtime_ns for p in kept}.items()


def test_the_home_folder_and_the_working_directory_are_understood(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    run_experiment(grid("~/runs"))
    run_experiment(grid("here/runs"))
    assert (tmp_path / "home" / "runs" / "finals.parquet").exists()
    assert (tmp_path / "here" / "runs" / "finals.parquet").exists()
    assert not (tmp_path / "~").exists()


def test_a_folder_keeps_its_place_when_the_policies_change_the_working_directory(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def wander(dataset):
        from cbkit import make_policy

        os.chdir(tmp_path / "elsewhere")
        return make_policy("RandomArm", dataset)

    run_experiment(grid("runs", policies={"wander": wander}, n_replicates=2))
    assert len(list((tmp_path / "runs" / "tasks").glob("*.parquet"))) == 2
