"""What such experiments and notebooks commonly get wrong; names begin with the area."""

import importlib
import re

import numpy as np
import pandas as pd
import pytest

from cbkit import MultilabelDataset, RandomArm, load_dataset, simulate
from cbkit.datasets import DatasetAbsentError
from cbkit.datasets.manifest import entries
from cbkit.experiments.stats import intervals, paired_difference
from cbkit.experiments.tables import result_table, to_markdown
from cbkit.workbook.profiles import ProfileError, notebook_parameters, notebook_paths, plan

workbook = importlib.import_module("cbkit.workbook.run")
DATA = MultilabelDataset.from_arrays(np.eye(7), np.eye(7)[:, :3])


def runs(rewards, policy="Greedy", **columns):
    n = len(rewards)
    table = {"dataset": "demo", "checksum": "c", "policy": policy, "seed": range(n)}
    table |= {"n_rounds": 100, "row_order": list("abc"[:n]), "mean_reward": rewards}
    return pd.DataFrame(table | columns)


def test_experiments_compared_across_row_orders_are_refused():
    first = runs([0.1, 0.2, 0.3])
    difference = paired_difference(first, first.assign(mean_reward=[0.0, 0.1, 0.2]))
    assert difference["difference"] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="row_order differs"):
        paired_difference(first, first.assign(row_order=["a", "c", "b"]))


def test_experiments_play_the_last_smaller_block():
    log = simulate(RandomArm(3), DATA, seed=0, refit_every=3)  # blocks of 3, 3 and 1
    assert sorted(log.rounds["row"]) == list(range(7))


def test_statistics_come_with_n_and_an_interval():
    table = intervals(runs([0.1, 0.2, 0.3]), ["policy"]).iloc[0]
    half = 4.30265273 * 0.1 / np.sqrt(3)  # t quantile of 2 degrees of freedom
    np.testing.assert_allclose(table[["low", "high"]].astype(float), [0.2 - half, 0.2 + half])
    assert table["n"] == 3
    single = intervals(runs([0.1]), ["policy"]).iloc[0]
    assert np.isnan(single["low"]) and single["n"] == 1


def test_papermill_parameter_that_no_notebook_has_is_refused():
    with pytest.raises(ProfileError, match=r"no parameter 'n_round'.*n_rounds"):
        plan("demo", overrides={"n_round": "5"})


def test_papermill_runs_one_notebook_after_another_each_with_a_timeout(monkeypatch, tmp_path):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    running, calls = [], []

    def execute(path, output, *, execution_timeout, **_):
        assert not running
        running.append(path)
        calls.append((path.stem, execution_timeout))
        running.pop()

    monkeypatch.setattr(workbook.papermill, "execute_notebook", execute)
    planned = plan("demo", notebooks=["00", "01"])
    assert workbook.run_notebooks("demo", planned) == 0
    assert [name for name, _ in calls] == ["00_setting_and_data", "01_cold_start"]
    assert all(
        timeout == run.cell_timeout > 0 for (_, timeout), run in zip(calls, planned, strict=True)
    )


@pytest.mark.parametrize("name", sorted(notebook_paths()))
def test_nbval_defaults_are_the_small_demo(name):
    defaults = notebook_parameters(notebook_paths()[name])
    assert defaults["profile"] == "demo"
    assert defaults.get("dataset", "demo") == "demo"
    assert defaults.get("n_rounds", 0) <= load_dataset("demo").n_rows
    assert defaults.get("n_replicates", 1) <= 15


def test_tables_are_rounded_text():
    noisy, clean = (
        to_markdown(result_table(runs([value, 0.2, 0.25]))) for value in (0.1 + 0.2, 0.3)
    )
    assert noisy == clean
    assert re.search(r"\| 0\.25\d* ± 0\.12\d* \|", noisy)


@pytest.mark.parametrize("name", [name for name, entry in entries().items() if entry.files])
def test_data_have_pinned_addresses_and_checksums(name):
    for file in entries()[name].files.values():
        assert re.match(r"https://.*/[0-9a-f]{40}/", file.url)
        # A label file without a checksum is checked by what it says.
        assert file.pinned or file.name == entries()[name].labels


def test_data_that_are_absent_are_named_with_the_ways_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setenv("CBKIT_DATA", str(tmp_path))
    with pytest.raises(DatasetAbsentError) as caught:
        load_dataset("bibtex")
    for way in ("fetch bibtex", "CBKIT_DATA", "bibtex-like"):
        assert way in str(caught.value)


def test_logs_hold_no_widgets_or_bars_where_nobody_watches(capsys):
    simulate(RandomArm(3), DATA, seed=0)
    assert capsys.readouterr() == ("", "")
