"""The files that services read: the workflow, Binder's configuration and the citation."""

import re

import yaml

from cbkit.paths import project_root

ROOT = project_root()
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["test"]


def test_the_workflow_calls_targets_that_the_makefile_has():
    called = [step["run"] for step in JOB["steps"] if "run" in step]
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert called == ["make test", "make docs"]
    assert {command.removeprefix("make ") for command in called} <= targets


def test_the_workflow_runs_on_three_versions_of_python_from_the_oldest_that_is_supported():
    versions = JOB["strategy"]["matrix"]["python"]
    oldest = re.search(r'requires-python = ">=(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert len(set(versions)) == 3 and versions[0] == oldest[1]


def test_binder_installs_the_project_itself():
    assert (ROOT / ".binder/requirements.txt").read_text("utf-8").split() == ["--editable", "."]


def test_the_citation_names_the_workbook_and_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    [paper] = citation["references"]
    assert citation["type"] == "software" and citation["license"] == "BSD-3-Clause"
    assert paper["identifiers"][0]["value"] == "arXiv:1811.04383"
