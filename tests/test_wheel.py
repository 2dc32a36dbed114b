"""A wheel and a source archive hold all that their users need, without the checkout."""

import os
import subprocess
import sys
import tarfile
import zipfile

import pytest

from cbkit.paths import project_root

pytestmark = pytest.mark.slow

PLAY = """
import cbkit
dataset = cbkit.load_dataset("demo")
log = cbkit.simulate(cbkit.Greedy(dataset.n_arms), dataset, seed=0, n_rounds=200)
print(cbkit.__file__, cbkit.__version__, len(log.rounds))
"""
OUR_FOLDERS = ("cbkit", "data", "notebooks", "figures/paper")


def build(source, folder):
    """Build a wheel of a folder or archive, and return its path."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, str(folder), str(source)], check=True)
    [wheel] = folder.glob("cbkit-*.whl")
    return wheel


def tracked():
    """Return the files below `OUR_FOLDERS` that a release consists of."""
    command = ["git", "ls-files", "--", *OUR_FOLDERS]
    listed = subprocess.run(command, cwd=project_root(), capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return set(listed.stdout.splitlines())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(project_root(), tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def run(wheel, tmp_path_factory):
    """Run Python where the package is the unpacked wheel; the working directory is a new one."""
    site, work = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("user")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    others = {name: value for name, value in os.environ.items() if not name.startswith("CBKIT_")}

    def run(*arguments, folder="."):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=work / folder,
            env=others | {"PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
        )

    return run


def test_a_wheel_holds_the_tracked_files_and_no_others(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    carried = {
        name if name.startswith("cbkit/") else f"cbkit/_workbook/{name}" for name in tracked()
    }
    assert names == carried
    assert "cbkit/py.typed" in names


def test_a_wheel_without_the_checkout_plays_and_lists_data_sets(run):
    played = run("-c", PLAY)
    assert played.returncode == 0, played.stderr
    file, _, n_rounds = played.stdout.split()
    assert n_rounds == "200" and str(project_root()) not in file
    listed = run("-m", "cbkit", "datasets")
    assert listed.returncode == 0 and "bibtex" in listed.stdout


def test_notebooks_that_a_wheel_copies_run_and_show_its_tables_and_figures(run):
    refused = run("-m", "cbkit", "run")
    assert refused.returncode == 2 and "cbkit init" in refused.stderr
    assert run("-m", "cbkit", "init", "work").returncode == 0
    command = ["-m", "cbkit", "run", "--notebook", "02_baselines", "-p", "n_rounds", "200"]
    done = run(*command, "-p", "n_replicates", "4", folder="work")
    assert done.returncode == 0, done.stderr
    assert "outputs/demo" in done.stdout
    again = run("-m", "cbkit", "init", "work")
    assert again.returncode == 2 and "nothing was copied" in again.stderr


def test_a_source_archive_builds_the_same_wheel(wheel, tmp_path):
    make = "import sys, hatchling.build as build; print(build.build_sdist(sys.argv[1]))"
    pytest.importorskip("hatchling")
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], cwd=project_root(), check=True)
    [archive] = tmp_path.glob("cbkit-*.tar.gz")
    with tarfile.open(archive) as file:
        assert not [name for name in file.getnames() if "/outputs/" in name]
    with zipfile.ZipFile(build(archive, tmp_path)) as mine, zipfile.ZipFile(wheel) as other:
        names = {name for name in other.namelist() if not name.endswith("RECORD")}
        assert {name for name in mine.namelist() if not name.endswith("RECORD")} == names
        assert all(mine.read(name) == other.read(name) for name in names)
