"""The command line."""

import pkgutil
import sys
import tomllib
import types

import pytest

from cbkit.__main__ import main
from cbkit.datasets import FetchError, dataset_names
from cbkit.paths import project_root
from cbkit.workbook import profiles, publish
from cbkit.workbook import run as workbook
from cbkit.workbook.profiles import ProfileError

COMMANDS = ["init", "datasets", "fetch", "run", "results", "figures", "experiment"]


@pytest.fixture
def module(monkeypatch):
    """Put a module that holds the given functions in the place of a real one."""

    def replace(name, **functions):
        stand_in = types.ModuleType(name)
        vars(stand_in).update(functions)
        monkeypatch.setitem(sys.modules, name, stand_in)

    return replace


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_names_what_a_command_takes(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([*command.split(), "--help"])
    assert end.value.code == 0
    assert "usage: cbkit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "command"),
        (["fly"], "invalid choice: 'fly'"),
        (["init"], "FOLDER"),
        (["fetch"], "NAME"),
        (["experiment"], "CONFIG.yaml"),
        (["run", "-p", "n_rounds"], "expected 2 arguments"),
        (["run", "02_baselines"], "unrecognized arguments: 02_baselines"),
    ],
)
def test_mistyped_command_ends_with_2_and_says_what_is_missing(arguments, expected, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert expected in capsys.readouterr().err


def test_the_console_script_is_this_command_line():
    project = tomllib.loads((project_root() / "pyproject.toml").read_text())["project"]
    assert pkgutil.resolve_name(project["scripts"]["cbkit"]) is main


def test_run_plans_and_runs_what_was_typed(monkeypatch):
    asked = {}

    def plan(profile, **options):
        asked.update(profile=profile, **options)
        return ["a run"]

    def run_notebooks(profile, runs):
        asked.update(ran=(profile, runs))
        return 1

    monkeypatch.setattr(profiles, "plan", plan)
    monkeypatch.setattr(workbook, "run_notebooks", run_notebooks)
    typed = "run --profile paper --notebook 01 --notebook 02 -p n_rounds 500 -p name demo"
    assert main(typed.split()) == 1
    assert asked == {
        "profile": "paper",
        "notebooks": ["01", "02"],
        "overrides": {"n_rounds": "500", "name": "demo"},
        "ran": ("paper", ["a run"]),
    }


def test_a_run_of_another_name_goes_to_its_own_folder(monkeypatch):
    ran = []
    monkeypatch.setattr(profiles, "plan", lambda *_, **__: ["a run"])
    monkeypatch.setattr(workbook, "run_notebooks", lambda run, runs: ran.append(run) or 0)
    assert main("run --profile paper -p profile mine".split()) == 0
    assert ran == ["mine"]


def test_results_are_made_or_estimated_as_asked(monkeypatch, capsys):
    asked = []

    def make_results(study, *, dry_run):
        asked.append((study, dry_run))
        if study == "x":
            raise ProfileError("no study 'x'")
        return 0

    monkeypatch.setattr(publish, "make_results", make_results)
    assert main(["results", "evaluation/bibtex", "--dry-run"]) == 0
    assert main(["results"]) == 0
    assert main(["results", "x"]) == 2
    assert asked == [("evaluation/bibtex", True), ("", False), ("x", False)]
    assert capsys.readouterr().err == "cbkit: no study 'x'\n"


def test_run_that_does_not_fit_ends_with_2_and_one_line(monkeypatch, capsys):
    def refuse(*_, **__):
        raise ProfileError("no notebook '09'")

    monkeypatch.setattr(profiles, "plan", refuse)
    assert main(["run", "--notebook", "09"]) == 2
    assert capsys.readouterr().err == "cbkit: no notebook '09'\n"


def test_datasets_lists_every_name_with_its_row(capsys):
    assert main(["datasets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(dataset_names())]] == [*dataset_names()]
    digits = next(line for line in lines if line.split()[:1] == ["digits"])
    assert digits.split()[1:] == ["embedded", "1797", "64", "10", "1.00", "179.70", "10.18"]


def test_name_that_cannot_be_fetched_ends_with_2_and_what_to_write(capsys):
    assert main(["fetch", "digits"]) == 2
    assert "cbkit: 'digits' is nothing to fetch" in capsys.readouterr().err


def test_fetch_takes_the_names_in_turn(module):
    fetched = []
    module("cbkit.datasets", fetch=fetched.append, FetchError=FetchError)
    assert main(["fetch", "bibtex", "delicious"]) == 0
    assert fetched == ["bibtex", "delicious"]


@pytest.mark.parametrize("error", [ValueError("unknown"), FetchError("offline")])
def test_failed_fetch_is_reported_after_the_others_were_fetched(module, capsys, error):
    fetched = []

    def fetch(name):
        if name == "bad":
            raise error
        fetched.append(name)

    module("cbkit.datasets", fetch=fetch, FetchError=FetchError)
    assert main(["fetch", "bad", "good"]) == 2
    assert fetched == ["good"]
    assert capsys.readouterr().err == f"cbkit: {error}\n"


@pytest.mark.parametrize("code", [0, 1])
def test_experiment_gives_the_exit_code_of_its_runs(module, code):
    asked = []
    module("cbkit.experiments.run", run_config=lambda path: asked.append(path) or code)
    assert main(["experiment", "grid.yaml"]) == code
    assert asked == ["grid.yaml"]
