"""Only `results` rewrites what is committed, and only of the runs that went well."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from cbkit.__main__ import main
from cbkit.workbook import publish
from cbkit.workbook.notebook import Study
from cbkit.workbook.profiles import ProfileError
from cbkit.workbook.publish import estimate, make_results, results_plan
from cbkit.workbook.tables import COLUMNS


@pytest.fixture
def committed(tmp_path, monkeypatch):
    """Folders in the place of the tracked ones, and runs that write a table and a figure."""
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path / "out"))
    monkeypatch.setattr(publish, "results_dir", lambda: tmp_path / "results")
    monkeypatch.setattr(publish, "figures_dir", lambda: tmp_path / "figures")

    def run_notebooks(run, runs):
        for one in runs:
            dataset = one.parameters.get("dataset", "")
            study = Study(publish.study_of(one.path.stem), run, dataset)
            study.save_table("finals", pd.DataFrame({"dataset": [dataset], "x": [1]}))
            study.save_figure(f"{dataset}_x", plt.figure())
            plt.close("all")
        return int(any(one.parameters.get("dataset") == "medical" for one in runs))

    monkeypatch.setattr(publish, "run_notebooks", run_notebooks)
    return tmp_path


def test_results_of_a_data_set_are_its_run_of_the_paper_profile():
    (run,) = results_plan("evaluation/bibtex")
    assert run.path.stem == "06_evaluation"
    assert run.parameters["dataset"] == "bibtex"
    assert run.parameters["profile"] == "results"
    assert len(results_plan()) > len(results_plan("evaluation")) > 1


@pytest.mark.parametrize("study", ["evaluation", "cold_start_and_many_arms"])
def test_runs_of_a_study_by_data_set_are_named_by_it(study):
    runs = results_plan(study)
    assert [run.name for run in runs] == [
        f"{run.path.stem}-{run.parameters['dataset']}" for run in runs
    ]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("evaluatoin", "no study 'evaluatoin'; did you mean evaluation?"),
        ("evaluation/bibtx", "the results of evaluation have no 'bibtx'; did you mean bibtex?"),
    ],
)
def test_results_that_no_run_gives_are_refused(asked, message):
    with pytest.raises(ProfileError) as refusal:
        results_plan(asked)
    assert message in str(refusal.value)


def know_hours(folder, rows):
    (folder / "results").mkdir(exist_ok=True)
    columns = ["study", "table", "dataset", "cpu_hours"]
    known = pd.DataFrame(rows, columns=columns).reindex(columns=COLUMNS, fill_value="")
    known.to_csv(folder / "results" / "provenance.csv", index=False)


def test_the_estimate_is_what_the_tables_of_a_run_s_data_set_took_last_time(committed):
    rows = [("finals", "bibtex", 0.25), ("more", "bibtex", 0.5), ("curves", "bibtex", "")]
    rows += [("finals", "medical", 2), ("curves", "yeast", "")]
    know_hours(committed, [("evaluation", *row) for row in rows])
    hours = estimate(results_plan("evaluation"))
    assert hours["06_evaluation-bibtex"] == 0.75
    assert hours["06_evaluation-medical"] == 2
    assert hours["06_evaluation-yeast"] == hours["06_evaluation-enron"] == 0
    assert sum(hours.values()) == 2.75


def test_a_study_whose_tables_are_not_by_data_set_is_estimated_as_a_whole(committed):
    know_hours(committed, [("setting_and_data", "datasets", "", 0.125)])
    assert estimate(results_plan("setting_and_data")) == {"00_setting_and_data": 0.125}
    know_hours(committed, [("sensitivity", "finals", name, 1) for name in ("medical", "enron")])
    assert estimate(results_plan("sensitivity")) == {"F_sensitivity": 2}


def test_the_printed_sum_says_how_many_runs_it_leaves_out(committed, capsys):
    know_hours(committed, [("evaluation", "finals", "bibtex", 0.25)])
    assert make_results("evaluation", dry_run=True) == 0
    lines = capsys.readouterr().out.splitlines()
    n_runs = len(results_plan("evaluation"))
    assert lines[0].split() == ["06_evaluation-bibtex", "0.25", "CPU", "hours"]
    assert lines[1].split() == ["06_evaluation-mediamill-2000", "unknown"]
    assert lines[n_runs] == (
        "about 0.25 CPU hours as of the last time, "
        f"and those of {n_runs - 1} of {n_runs} runs, unknown"
    )
    assert make_results("evaluation/bibtex", dry_run=True) == 0
    assert "\nabout 0.25 CPU hours as of the last time\n" in capsys.readouterr().out


def test_a_dry_run_runs_nothing(committed):
    assert make_results("evaluation", dry_run=True) == 0
    assert not (committed / "results").exists() or not list((committed / "results").rglob("*.csv"))


def test_results_are_published_study_by_study_and_not_of_a_failed_run(committed):
    assert make_results("evaluation") == 1
    table = pd.read_csv(committed / "results" / "evaluation" / "finals.csv")
    assert "bibtex" in set(table["dataset"]) and "medical" not in set(table["dataset"])
    pictures = {path.stem for path in (committed / "figures" / "evaluation").iterdir()}
    assert "bibtex_x" in pictures and "medical_x" not in pictures
    assert (committed / "results" / "provenance.csv").exists()


def test_what_another_run_left_in_the_folder_is_not_published(committed):
    left = Study("evaluation", "results", "bibtex")
    left.save_table("finals", pd.DataFrame({"dataset": ["digits"], "x": [2]}))
    assert make_results("evaluation/bibtex") == 0
    table = pd.read_csv(committed / "results" / "evaluation" / "finals.csv")
    assert set(table["dataset"]) == {"bibtex"}


def test_figures_are_drawn_from_committed_tables_below_outputs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    assert main(["figures", "adaptive_greedy", "--format", "pdf"]) == 0
    drawn = sorted((tmp_path / "outputs" / "figures" / "adaptive_greedy").iterdir())
    assert [path.name for path in drawn] == ["against_greedy.pdf", "shares.pdf"]
    assert all(path.read_bytes().startswith(b"%PDF") for path in drawn)
    assert main(["figures", "adaptive_greed"]) == 2
    assert "did you mean adaptive_greedy?" in capsys.readouterr().err
    assert main(["figures", "evaluation/bibtx"]) == 2
    assert "did you mean bibtex?" in capsys.readouterr().err
