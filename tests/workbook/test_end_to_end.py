"""Every notebook runs at tiny sizes through papermill and leaves figures and tables of numbers."""

import re
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from cbkit.paths import notebooks_dir
from cbkit.workbook.profiles import notebook_parameters, notebook_paths, plan
from cbkit.workbook.publish import study_of
from cbkit.workbook.run import run_notebooks

pytestmark = pytest.mark.slow

# Each goes to the notebooks that have the parameter.
TINY = {
    "n_rounds": 200,
    "n_replicates": 4,
    "n_history": 300,
    "n_logs": 1,
    "n_seeds": 1,
    "n_samples": 4,
    "n_test": 50,
    "largest_sample": 100,
    "largest_reading": 100,
    "most_resamples": 20,
}
NUMBER = re.compile(r"<td>[-+]?\d")


@pytest.fixture
def output(tmp_path, monkeypatch):
    """The folder that figures, tables and executed copies go to."""
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path / "out"))
    return tmp_path / "out"


def assert_figures_show_something(folder):
    pictures = sorted(folder.glob("*.png"))
    assert pictures, f"there is no figure in {folder}"
    for picture in pictures:
        assert np.std(imread(picture)[..., :3]) > 0.01, f"{picture.name} is blank"


def assert_tables_hold_numbers(folder):
    for path in folder.glob("*.csv"):
        table = pd.read_csv(path)
        numbers = table.select_dtypes("number")
        assert len(table), f"{path.name} is empty"  # at tiny sizes a choice may be of words alone
        if numbers.shape[1]:
            assert np.isfinite(numbers).to_numpy().any(), f"{path.name} has no number"


# One of each kind: single runs, a grid, live use, loops of its own. nbval runs all of them.
KINDS = ("00_setting_and_data", "02_baselines", "09_live_use", "A_online_bootstrap_coverage")
SHOWING = {"12_explorer", "Z_index"}  # they show figures and save none
EACH = [
    name if name in KINDS else pytest.param(name, marks=pytest.mark.exhaustive)
    for name in notebook_paths()
]


@pytest.mark.parametrize("name", EACH)
def test_notebook_runs_at_tiny_sizes_and_leaves_figures_and_tables(name, output):
    own = notebook_parameters(notebook_paths()[name])
    sizes = {key: str(value) for key, value in TINY.items() if key in own}
    (run,) = plan("demo", notebooks=[name], overrides=sizes)
    assert run_notebooks("demo", [run]) == 0
    study = study_of(name)
    if name not in SHOWING:
        assert_figures_show_something(output / "outputs" / "demo" / "figures" / study)
    assert_tables_hold_numbers(output / "outputs" / "demo" / "tables" / study)
    executed = nbformat.read(output / "outputs" / "demo" / f"{name}.ipynb", as_version=4)
    cells = [cell for cell in executed.cells if cell.cell_type == "code"]
    outputs = [found for cell in cells for found in cell.outputs]
    assert all(cell.execution_count for cell in cells)
    shown = [found["data"].get("text/html", "") for found in outputs if "data" in found]
    assert any(NUMBER.search(html) for html in shown), f"{name} shows no table with numbers"


def test_plain_papermill_runs_the_evaluation_on_another_data_set(output, tmp_path):
    command = [sys.executable, "-m", "papermill", str(notebooks_dir() / "06_evaluation.ipynb")]
    sizes = {"dataset": "digits", "n_replicates": "2", "n_choosing": "1", "n_rounds": "100"}
    parameters = [word for pair in sizes.items() for word in ("-p", *pair)]
    subprocess.run(
        [*command, "out.ipynb", *parameters],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    assert_figures_show_something(output / "outputs" / "demo" / "figures" / "evaluation")
    finals = pd.read_csv(output / "outputs" / "demo" / "tables" / "evaluation" / "finals.csv")
    assert set(finals["dataset"]) == {"digits"}
    assert finals["mean_reward"].notna().all()
    played = finals[finals["seed"] >= 10].groupby(["variant", "policy"])["seed"].nunique()
    assert played.eq(2).all()
