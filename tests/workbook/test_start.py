"""Notebooks are copied to where they can be run, and files that are there are left alone."""

import pytest

from cbkit.__main__ import main
from cbkit.paths import notebooks_dir, output_root, project_root, workbook_root
from cbkit.workbook import publish
from cbkit.workbook.profiles import ProfileError, plan
from cbkit.workbook.start import copy_notebooks


def test_notebooks_and_parameters_are_copied_as_they_are(tmp_path, capsys):
    assert main(["init", str(tmp_path / "new" / "work")]) == 0
    n_notebooks = len([*notebooks_dir().glob("*.ipynb")])
    assert f"{n_notebooks} notebooks are in" in capsys.readouterr().out
    copied = tmp_path / "new" / "work" / "notebooks"
    for origin in (*notebooks_dir().glob("*.ipynb"), *notebooks_dir().glob("params/*.yaml")):
        copy = copied / origin.relative_to(notebooks_dir())
        assert copy.read_bytes() == origin.read_bytes()


def test_nothing_is_overwritten_and_nothing_copied_where_a_file_is_there(tmp_path, capsys):
    own = tmp_path / "notebooks" / "02_baselines.ipynb"
    own.parent.mkdir()
    own.write_text("mine")
    assert main(["init", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "02_baselines.ipynb is there already, and 0 more; nothing was copied" in said
    assert [path.name for path in own.parent.iterdir()] == [own.name]
    assert own.read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_refused_in_words(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["init", str(tmp_path / "file" / "work")]) == 2
    assert capsys.readouterr().err.startswith("cbkit: ")


@pytest.mark.parametrize("inside", [".", "notebooks", "notebooks/params"])
def test_copied_notebooks_are_those_that_run_from_inside_their_folder(
    inside, tmp_path, monkeypatch
):
    monkeypatch.delenv("CBKIT_OUTPUT", raising=False)
    copy_notebooks(tmp_path)
    monkeypatch.chdir(tmp_path / inside)
    assert workbook_root() == output_root() == tmp_path
    [run] = plan("demo", notebooks=["02"])
    assert run.path == tmp_path / "notebooks" / "02_baselines.ipynb"


def test_elsewhere_the_notebooks_of_the_checkout_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert workbook_root() == project_root()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that lies in no checkout, and a working directory without notebooks."""
    (tmp_path / "_workbook").mkdir()
    monkeypatch.setattr("cbkit.paths.__file__", str(tmp_path / "paths.py"))
    monkeypatch.chdir(tmp_path)


def test_an_installed_package_without_notebooks_says_how_to_get_them(installed):
    with pytest.raises(FileNotFoundError, match="write `cbkit init work`"):
        notebooks_dir()


def test_an_installed_package_is_not_rewritten(installed, monkeypatch, capsys):
    monkeypatch.setattr(publish, "results_plan", lambda asked: [])
    monkeypatch.setattr(publish, "estimate", lambda runs: {})
    with pytest.raises(ProfileError, match="belongs to an installed package"):
        publish.make_results()
    assert main(["figures", "--committed"]) == 2
    assert "belongs to an installed package" in capsys.readouterr().err
