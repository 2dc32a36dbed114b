"""One writer of tables: what it keeps, replaces and records."""

import numpy as np
import pandas as pd
import pytest

from cbkit.policies.version import RESULT_VERSION
from cbkit.workbook.tables import copy_table, load_table, read_provenance, read_table, write_table


def runs(dataset, reward, seeds=(0, 1, 2)):
    table = pd.DataFrame({"dataset": dataset, "policy": "Greedy", "seed": seeds})
    return table.assign(n_rounds=50, mean_reward=reward)


def test_rows_of_the_same_data_sets_are_replaced_and_others_stay(tmp_path):
    write_table(tmp_path, "s", "finals", pd.concat([runs("a", 0.1), runs("b", 0.2)]))
    path = write_table(tmp_path, "s", "finals", runs("a", 0.3))
    assert path == tmp_path / "s" / "finals.csv"
    means = pd.read_csv(path).groupby("dataset")["mean_reward"].mean().round(6)
    assert means.to_dict() == {"a": 0.3, "b": 0.2}


def test_subsets_of_a_data_set_are_replaced_with_it(tmp_path):
    write_table(tmp_path, "s", "t", pd.concat([runs("a", 0.1), runs("a[arms=3]", 0.2)]))
    write_table(tmp_path, "s", "t", runs("a", 0.3))
    assert set(read_table(tmp_path, "s", "t")["dataset"]) == {"a"}


def test_a_table_without_data_sets_is_replaced_as_a_whole(tmp_path):
    write_table(tmp_path, "s", "t", pd.DataFrame({"x": [1, 2]}))
    write_table(tmp_path, "s", "t", pd.DataFrame({"x": [3]}))
    assert read_table(tmp_path, "s", "t")["x"].tolist() == [3]


def test_curves_are_small_parquet_files_and_come_back_as_they_were(tmp_path):
    curves = runs("a", 0.12345).assign(round=[10, 20, 30], criterion=[None, "min", "max"])
    path = write_table(tmp_path, "s", "curves", curves)
    assert path.suffix == ".parquet"
    write_table(tmp_path, "s", "curves", curves.assign(dataset="b"))
    found = read_table(tmp_path, "s", "curves")
    assert found["dataset"].tolist() == ["a"] * 3 + ["b"] * 3
    assert found["criterion"].isna().tolist() == [True, False, False] * 2
    assert found["mean_reward"].tolist() == pytest.approx([0.1234] * 6, abs=2e-4)


def test_tables_of_many_rows_move_from_text_to_parquet(tmp_path):
    few = write_table(tmp_path, "s", "finals", runs("a", 0.123456))
    many = runs("b", 0.123456, seeds=range(6000))
    path = write_table(tmp_path, "s", "finals", many)
    assert few.suffix == ".csv" and path.suffix == ".parquet" and not few.exists()
    found = read_table(tmp_path, "s", "finals")
    assert found["dataset"].value_counts().to_dict() == {"a": 3, "b": 6000}
    assert found["mean_reward"].to_numpy() == pytest.approx(0.123456, abs=1e-6)


def test_rounds_are_whole_numbers_also_where_some_are_not_known(tmp_path):
    partly = pd.DataFrame({"dataset": "a", "n_rounds": [50.0, np.nan]})
    write_table(tmp_path, "s", "t", partly)
    assert read_provenance(tmp_path)["n_rounds"].tolist() == ["50"]


def test_hours_of_a_table_are_shared_out_among_its_data_sets(tmp_path):
    both = pd.concat([runs("a", 0.1, seeds=(0, 1, 2, 3)), runs("b", 0.1, seeds=(0,))])
    write_table(tmp_path, "s", "t", both, cpu_seconds=3600)
    assert read_provenance(tmp_path)["cpu_hours"].tolist() == ["0.8", "0.2"]
    write_table(tmp_path, "s", "t", both, cpu_seconds=pd.Series([900.0, 0, 0, 900, 1800]))
    assert read_provenance(tmp_path)["cpu_hours"].tolist() == ["0.5", "0.5"]


def test_provenance_has_a_line_per_table_and_data_set(tmp_path):
    write_table(tmp_path, "s", "t", runs("a", 0.1), cpu_seconds=1800)
    write_table(tmp_path, "s", "t", runs("b", 0.1, seeds=(4, 5, 6)))
    write_table(tmp_path, "s", "t", runs("a", 0.2), cpu_seconds=3600)
    write_table(tmp_path, "s", "u", pd.DataFrame({"x": [1]}))
    found = read_provenance(tmp_path).set_index(["table", "dataset"])
    assert list(found.index) == [("t", "a"), ("t", "b"), ("u", "")]
    assert found.loc[("t", "a"), ["n_rounds", "seeds", "cpu_hours"]].tolist() == ["50", "0-2", "1"]
    assert found.loc[("t", "b"), ["seeds", "cpu_hours"]].tolist() == ["4-6", ""]
    assert set(found["result_version"]) == {str(RESULT_VERSION)}


def test_a_copied_table_brings_its_provenance_and_leaves_other_data_sets(tmp_path):
    run, committed = tmp_path / "run", tmp_path / "committed"
    write_table(committed, "s", "t", runs("b", 0.5))
    write_table(run, "s", "t", runs("a", 0.1), cpu_seconds=36)
    copy_table(run, "s", "t", committed)
    assert set(read_table(committed, "s", "t")["dataset"]) == {"a", "b"}
    assert read_provenance(committed)["cpu_hours"].tolist() == ["0.01", ""]


def test_a_table_of_another_study_is_the_committed_one(tmp_path):
    name = "online_bootstrap_coverage/agreement"
    pd.testing.assert_frame_equal(read_table(tmp_path, "s", name), load_table(name))


def test_an_absent_table_is_named_with_those_there_are():
    with pytest.raises(FileNotFoundError, match=r"no table evaluation/final; .*curves, finals"):
        load_table("evaluation/final")
