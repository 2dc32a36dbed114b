"""A wheel holds all that its users need, without the checkout."""

import subprocess
import sys
import zipfile

import pytest

from cbkit.paths import project_root

USE = """
import sys
sys.path.insert(0, sys.argv[1])
import cbkit
from cbkit.__main__ import main
assert cbkit.__file__.startswith(sys.argv[1]), cbkit.__file__
dataset = cbkit.load_dataset("demo")
log = cbkit.simulate(cbkit.Greedy(dataset.n_arms), dataset, seed=0, n_rounds=200)
print(len(log.rounds), main(["datasets"]))
"""


@pytest.mark.slow
def test_a_wheel_without_the_checkout_loads_plays_and_lists_data_sets(tmp_path):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*build, str(tmp_path), str(project_root())], check=True)
    [wheel] = tmp_path.glob("cbkit-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert {"cbkit/py.typed", "cbkit/datasets/datasets.yaml"} <= set(names)
    assert not [name for name in names if name.startswith(("tests/", "notebooks/", "figures/"))]
    run = [sys.executable, "-c", USE, str(tmp_path / "site")]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "bibtex" in done.stdout and "200 0" in done.stdout
