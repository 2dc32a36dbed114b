"""Only `results` rewrites what is committed, and only of the runs that went well."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from cbkit.__main__ import main
from cbkit.workbook import publish
from cbkit.workbook.notebook import Study
from cbkit.workbook.profiles import ProfileError
from cbkit.workbook.publish import estimate, make_results, results_plan


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
        return int(any(one.parameters.get("dataset") == "delicious" for one in runs))

    monkeypatch.setattr(publish, "run_notebooks", run_notebooks)
    return tmp_path


def test_results_of_a_data_set_are_its_run_of_the_paper_profile():
    (run,) = results_plan("evaluation/bibtex")
    assert run.path.stem == "06_evaluation"
    assert run.parameters["dataset"] == "bibtex"
    assert run.parameters["profile"] == "results"
    assert len(results_plan("evaluation")) == 5
    assert len(results_plan()) > len(results_plan("evaluation"))


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


def test_the_estimate_is_what_the_tables_took_last_time():
    hours = estimate(results_plan("evaluation"))
    assert hours["06_evaluation-bibtex"] == pytest.approx(0.304)
    assert sum(hours.values()) == pytest.approx(5.16, abs=0.01)


def test_dry_run_prints_cpu_hours_and_runs_nothing(committed, capsys):
    assert make_results("evaluation", dry_run=True) == 0
    printed = capsys.readouterr().out
    assert "CPU hours" in printed and "06_evaluation-bibtex" in printed
    assert not (committed / "results").exists() or not list((committed / "results").rglob("*.csv"))


def test_results_are_published_study_by_study_and_not_of_a_failed_run(committed):
    assert make_results("evaluation") == 1
    table = pd.read_csv(committed / "results" / "evaluation" / "finals.csv")
    assert "bibtex" in set(table["dataset"]) and "delicious" not in set(table["dataset"])
    pictures = {path.stem for path in (committed / "figures" / "evaluation").iterdir()}
    assert "bibtex_x" in pictures and "delicious_x" not in pictures
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
