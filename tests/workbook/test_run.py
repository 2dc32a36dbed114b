"""Running notebooks by profile."""

import os
import re
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from cbkit import paths
from cbkit.__main__ import main
from cbkit.workbook import profiles
from cbkit.workbook.profiles import ProfileError, notebook_parameters, plan

FACTS = """\
import os, sys
print(sys.executable)
print(os.environ["OMP_NUM_THREADS"])
print(os.getcwd())
print(n_rounds, rate, name, shuffle, profile)"""

PARAMETERS = """\
# what to run
n_rounds = 100
rate = 0.5  # of learning
name = "demo"
shuffle = True
profile = "demo\""""


def write_notebook(path, *sources, parameters=PARAMETERS):
    cell = new_code_cell(parameters)
    cell.metadata.tags = ["parameters"]
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    cells = [new_markdown_cell("# Title"), cell, *map(new_code_cell, sources)]
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)


@pytest.fixture
def workbook(tmp_path, monkeypatch):
    """A workbook of two notebooks with profiles, in a folder of its own."""
    folder = tmp_path / "notebooks"
    (folder / "params").mkdir(parents=True)
    write_notebook(folder / "00_facts.ipynb", FACTS)
    write_notebook(folder / "01_sum.ipynb", "print(n_rounds + 1)", parameters="n_rounds = 1")
    (folder / "params" / "demo.yaml").write_text("cell_timeout: 60\n")
    monkeypatch.setattr(profiles, "notebooks_dir", lambda: folder)
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path / "out"))
    return folder


def set_profile(workbook, text):
    (workbook / "params" / "demo.yaml").write_text(text)


def printed(workbook, name):
    output = workbook.parent / "out" / "outputs" / "demo" / f"{name}.ipynb"
    cells = nbformat.read(output, as_version=4).cells
    return "".join(o.text for c in cells for o in c.get("outputs", []) if "text" in o).splitlines()


# What runs with which parameters


def test_parameters_are_read_with_their_types(workbook):
    assert notebook_parameters(workbook / "00_facts.ipynb") == {
        "n_rounds": 100,
        "rate": 0.5,
        "name": "demo",
        "shuffle": True,
        "profile": "demo",
    }


def test_profile_sets_common_then_notebook_then_typed_parameters(workbook):
    set_profile(workbook, "all: {n_rounds: 5, rate: 1}\n01_sum: {n_rounds: 6}\ncell_timeout: 9\n")
    first, second = plan("demo")
    assert first.parameters == {"n_rounds": 5, "rate": 1.0, "profile": "demo"}
    assert isinstance(first.parameters["rate"], float)
    assert second.parameters == {"n_rounds": 6}
    assert (first.cell_timeout, second.cell_timeout) == (9, 9)
    typed = plan("demo", overrides={"n_rounds": "7", "shuffle": "False"})
    assert [run.parameters["n_rounds"] for run in typed] == [7, 7]
    assert typed[0].parameters["shuffle"] is False


def test_a_list_of_sets_runs_a_notebook_once_per_set_under_a_name_of_its_own(workbook):
    set_profile(
        workbook, "00_facts: [{name: a/b, rate: 1}, {name: c, rate: 1}]\ncell_timeout: 60\n"
    )
    assert [run.name for run in plan("demo")] == ["00_facts-a_b", "00_facts-c", "01_sum"]
    assert [run.parameters["name"] for run in plan("demo", notebooks=["00"])] == ["a/b", "c"]
    assert main(["run", "--notebook", "00", "-p", "n_rounds", "7"]) == 0
    assert printed(workbook, "00_facts-c")[-1] == "7 1.0 c True demo"


@pytest.mark.parametrize(
    ("sets", "labels"),
    [
        ("[{n_rounds: 1, name: a}, {n_rounds: 2, name: b}]", ["1", "2"]),
        ("[{name: a, shuffle: false}, {name: b}, {name: demo}]", ["a", "b", "demo"]),
        ("[{rate: 1, name: a}, {rate: 2, name: a}, {rate: 2}]", ["1.0-a", "2.0-a", "2.0-demo"]),
        ("[{rate: 1, name: a}, {rate: 1.0, name: b}]", ["1.0-a", "1.0-b"]),
    ],
)
def test_runs_are_named_by_the_first_parameters_that_tell_their_sets_apart(workbook, sets, labels):
    set_profile(workbook, f"00_facts: {sets}")
    runs = plan("demo", notebooks=["00"])
    assert [run.name for run in runs] == [f"00_facts-{label}" for label in labels]


def test_runs_have_names_of_their_own_where_a_typed_value_takes_away_what_told_them_apart(workbook):
    set_profile(workbook, "00_facts: [{n_rounds: 1, name: a}, {n_rounds: 2, name: b}]")
    runs = plan("demo", notebooks=["00"], overrides={"n_rounds": "3"})
    assert [run.name for run in runs] == ["00_facts-3-a", "00_facts-3-b"]


def test_sets_that_typed_parameters_make_equal_run_once(workbook):
    set_profile(workbook, "00_facts: [{name: a}, {name: c}]")
    (run,) = plan("demo", notebooks=["00"], overrides={"name": "d"})
    assert (run.name, run.parameters["name"]) == ("00_facts-d", "d")


def test_a_typed_value_that_some_sets_have_already_chooses_these(workbook):
    set_profile(workbook, "00_facts: [{name: a, n_rounds: 5}, {name: c, n_rounds: 9}]")
    (run,) = plan("demo", notebooks=["00"], overrides={"name": "c"})
    assert (run.name, run.parameters["n_rounds"]) == ("00_facts-9", 9)
    (run,) = plan("demo", notebooks=["00"], overrides={"name": "a", "n_rounds": "9"})
    assert (run.parameters["name"], run.parameters["n_rounds"]) == ("a", 9)


def test_notebooks_run_in_reading_order_and_are_found_by_name_or_number(workbook):
    assert [run.name for run in plan("demo")] == ["00_facts", "01_sum"]
    assert [run.name for run in plan("demo", notebooks=["01", "00_facts.ipynb"])] == [
        "00_facts",
        "01_sum",
    ]
    assert [run.name for run in plan("demo", notebooks=["01_sum"])] == ["01_sum"]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("all: {n_round: 5}", "'n_round' in any notebook; did you mean n_rounds?"),
        ("01_sum: {rate: 0.1}", "'rate' in 01_sum; choose from n_rounds"),
        ("01_sums: {n_rounds: 5}", "no notebook '01_sums'; did you mean 01_sum?"),
        ("00_facts: {n_rounds: '5'}", "n_rounds must be int like its default 100, got '5'"),
        ("00_facts: {n_rounds: 5.0}", "n_rounds must be int like its default 100, got 5.0"),
        ("00_facts: {n_rounds: true}", "n_rounds must be int like its default 100, got True"),
        ("00_facts: {rate: 1e-3}", "got '1e-3'; YAML reads 1e-3 as text, write 1.0e-3"),
        ("00_facts: {shuffle: 1}", "shuffle must be bool like its default True, got 1"),
        ("00_facts: {name: [a]}", "name must be str like its default 'demo', got ['a']"),
        ("00_facts: 5", "00_facts must map parameters to values, got 5"),
        ("00_facts: [{n_round: 5}]", "no parameter 'n_round' in 00_facts; did you mean n_rounds?"),
        ("all: [{n_rounds: 5}, {n_rounds: 6}]", "all must map parameters to values"),
        ("[1, 2]", "must map notebooks to parameters, got [1, 2]"),
        ("a: b: c", "demo.yaml is not YAML"),
        ("cell_timeout: soon", "cell_timeout must be a whole number of seconds, got 'soon'"),
    ],
)
def test_profile_that_does_not_fit_is_refused_with_what_to_write(workbook, profile, expected):
    set_profile(workbook, profile)
    with pytest.raises(ProfileError) as refusal:
        plan("demo")
    assert expected in str(refusal.value)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"profile": "dmeo"}, "no profile 'dmeo'; did you mean demo?"),
        ({"notebooks": ["02"]}, "no notebook '02'; choose from 00_facts, 01_sum"),
        ({"overrides": {"n_round": "5"}}, "in 00_facts or 01_sum; did you mean n_rounds?"),
        ({"overrides": {"rate": "5"}, "notebooks": ["01"]}, "no parameter 'rate' in 01_sum"),
        ({"overrides": {"n_rounds": "many"}}, "n_rounds must be int like its default 100"),
        ({"overrides": {"shuffle": "maybe"}}, "shuffle must be bool like its default True"),
    ],
)
def test_request_that_does_not_fit_is_refused_with_what_to_write(workbook, asked, expected):
    with pytest.raises(ProfileError) as refusal:
        plan(**{"profile": "demo"} | asked)
    assert expected in str(refusal.value)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("seed = None", "02_bad.ipynb: parameters cell: parameter seed = None is not a plain"),
        ("n = 5 * 100", "'n = 5 * 100' computes its value; write a literal"),
        ("n: int = 500", "is not of the form name = literal"),
        ("n = ", "02_bad.ipynb: parameters cell: invalid syntax"),
    ],
)
def test_parameters_that_are_no_literals_are_refused(workbook, parameters, expected):
    write_notebook(workbook / "02_bad.ipynb", parameters=parameters)
    with pytest.raises(ProfileError) as refusal:
        plan("demo")
    assert expected in str(refusal.value)


def test_comments_and_texts_may_hold_signs_that_code_uses(workbook):
    text = """# n_rounds = 9
n = 3  # rounds, n = all
mark = "a # b = c"
other = 'x'  # see #1"""
    write_notebook(workbook / "02_signs.ipynb", "print(n, mark)", parameters=text)
    found = notebook_parameters(workbook / "02_signs.ipynb")
    assert found == {"n": 3, "mark": "a # b = c", "other": "x"}
    assert main(["run", "--notebook", "02", "-p", "n", "7", "-p", "mark", "# 1"]) == 0
    assert printed(workbook, "02_signs") == ["7 # 1"]


@pytest.mark.parametrize("content", ["", "<<<<<<< HEAD\n{}\n=======", "{}"])
def test_a_notebook_that_cannot_be_read_is_named_only_if_it_is_asked_for(workbook, content):
    (workbook / "02_broken.ipynb").write_text(content)
    set_profile(workbook, "02_broken: {n_rounds: 3}")
    assert [run.name for run in plan("demo", notebooks=["01"])] == ["01_sum"]
    for asked in ({"notebooks": ["02"]}, {}):
        with pytest.raises(ProfileError, match=r"02_broken.ipynb cannot be read as a notebook"):
            plan("demo", **asked)


def test_workbook_without_notebooks_is_refused(workbook):
    for path in workbook.glob("*.ipynb"):
        path.unlink()
    with pytest.raises(ProfileError, match="no notebooks in"):
        plan("demo")


# Running


def test_run_uses_this_interpreter_one_thread_and_the_notebooks_folder(
    workbook, tmp_path, monkeypatch, capfd
):
    """A kernel registered under the same name for an interpreter that is not there is not used."""
    other = tmp_path / "registered" / "kernels" / "python3"
    other.mkdir(parents=True)
    (other / "kernel.json").write_text(
        '{"argv": ["no-such-python", "-f", "{connection_file}"], "display_name": "x",'
        ' "language": "python"}'
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "registered"))
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    before = dict(os.environ)
    assert main(["run", "--notebook", "00", "-p", "n_rounds", "7", "-p", "name", "a b"]) == 0
    assert printed(workbook, "00_facts") == [
        sys.executable,
        "1",
        str(workbook),
        "7 0.5 a b True demo",
    ]
    assert dict(os.environ) == before
    streams = capfd.readouterr()
    assert re.fullmatch(r"00_facts +\d+\.\d s", streams.out.splitlines()[0])
    assert "outputs/demo" in streams.out
    assert streams.err == "", "neither a progress bar nor a message of the kernel"


def test_a_run_of_another_name_has_one_folder_for_all_that_it_writes(workbook, capsys):
    assert main(["run", "--notebook", "00", "-p", "profile", "mine"]) == 0
    assert "outputs/mine" in capsys.readouterr().out
    out = workbook.parent / "out" / "outputs"
    assert [path.name for path in out.iterdir()] == ["mine"]
    assert (out / "mine" / "00_facts.ipynb").exists()


def test_a_folder_that_cannot_be_written_ends_with_2_and_one_line(workbook, monkeypatch, capsys):
    taken = workbook.parent / "taken"
    taken.write_text("a file")
    monkeypatch.setenv("CBKIT_OUTPUT", str(taken))
    assert main(["run"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("cbkit: cannot make the folder") and "CBKIT_OUTPUT" in error
    assert error.count("\n") == 1


def test_run_leaves_the_notebooks_as_they_are(workbook):
    before = (workbook / "01_sum.ipynb").read_bytes()
    assert main(["run", "--notebook", "01"]) == 0
    assert (workbook / "01_sum.ipynb").read_bytes() == before
    assert printed(workbook, "01_sum") == ["2"]


def test_failing_notebook_is_named_with_its_cell_and_the_others_still_run(workbook, capsys):
    write_notebook(workbook / "00_facts.ipynb", "x = n_rounds\nx / 0", "print('not reached')")
    assert main(["run"]) == 1
    streams = capsys.readouterr()
    first, second, *_ = streams.out.splitlines()
    assert first.startswith("00_facts") and first.endswith("failed")
    assert second.startswith("01_sum") and not second.endswith("failed")
    assert "00_facts: cell [3] of" in streams.err
    assert "    x = n_rounds\n    x / 0\nZeroDivisionError: division by zero" in streams.err
    assert "1 of 2 notebooks failed: 00_facts" in streams.err


def test_cell_that_takes_too_long_is_named(workbook, capsys):
    write_notebook(workbook / "00_facts.ipynb", "import time\ntime.sleep(60)", "z = 2")
    set_profile(workbook, "cell_timeout: 1\n")
    assert main(["run", "--notebook", "00"]) == 1
    error = capsys.readouterr().err
    assert "time.sleep(60)\nit took more than 1 s, the cell_timeout of the profile" in error


def test_kernel_that_dies_is_named_with_its_cell(workbook, capsys):
    write_notebook(workbook / "00_facts.ipynb", "import os\nos._exit(1)", "z = 2")
    assert main(["run", "--notebook", "00"]) == 1
    assert "os._exit(1)\nthe kernel died" in capsys.readouterr().err


# Where things go


def test_output_goes_under_the_folder_of_the_environment_or_the_project(tmp_path, monkeypatch):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    assert paths.outputs_dir("paper") == tmp_path / "outputs" / "paper"
    assert paths.outputs_dir("paper").is_dir()
    monkeypatch.delenv("CBKIT_OUTPUT")
    assert paths.output_root() == paths.project_root()


def test_cache_goes_to_the_folder_of_the_environment_or_the_platform(tmp_path, monkeypatch):
    monkeypatch.setenv("CBKIT_CACHE", str(tmp_path))
    assert paths.cache_dir() == tmp_path
    monkeypatch.delenv("CBKIT_CACHE")
    assert paths.cache_dir().name == "cbkit"


@pytest.mark.parametrize("profile", ["", "..", "a/b"])
def test_run_that_has_no_plain_name_is_refused(profile, tmp_path, monkeypatch):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    with pytest.raises(ValueError, match="a run must have a plain name, got"):
        paths.outputs_dir(profile)
