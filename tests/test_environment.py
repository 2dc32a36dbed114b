"""The conda environment and the package ask for the same things."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from cbkit.paths import project_root


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((project_root() / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def environment():
    return yaml.safe_load((project_root() / "environment.yml").read_text())


def imported(folder):
    """Return the names that PyPI has for the packages that a folder's modules import."""
    local = {path.stem for path in Path(folder).rglob("*.py")} | {"cbkit"}
    names = set()
    for path in Path(folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    names -= local | sys.stdlib_module_names
    distributions = packages_distributions()
    return {distributions[name][0].lower() for name in names}


def by_name(requirements):
    return {r.name: str(r.specifier) for r in map(Requirement, requirements)}


def test_environment_has_the_packages_and_bounds_of_the_project_and_of_three_extras(
    project, environment
):
    conda = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    extras = project["optional-dependencies"]
    extras = [entry for name in ("dev", "dask", "docs") for entry in extras[name]]
    expected = by_name([*project["dependencies"], *extras])
    expected |= {"python": project["requires-python"], "pip": ""}
    assert by_name(conda) == expected


def test_environment_installs_the_package_itself_from_conda_forge_alone(environment):
    assert {"pip": ["-e ."]} in environment["dependencies"]
    assert environment["channels"] == ["conda-forge"]


def test_bounds_are_lower_bounds_only(project):
    extras = [entry for extra in project["optional-dependencies"].values() for entry in extra]
    for name, specifier in by_name([*project["dependencies"], *extras]).items():
        assert specifier.startswith(">=") and "," not in specifier, f"{name}{specifier}"


def test_extras_are_these(project):
    assert set(project["optional-dependencies"]) == {"dev", "dask", "docs", "race", "oracles-test"}


def test_every_package_that_the_code_imports_is_asked_for(project):
    runtime = set(by_name(project["dependencies"]))
    extras = [entry for extra in project["optional-dependencies"].values() for entry in extra]
    assert imported(project_root() / "cbkit") <= runtime | set(
        by_name(project["optional-dependencies"]["dask"])
    )
    assert imported(project_root() / "tests") <= runtime | set(by_name(extras))
