"""Links between the README, the data's README and the notebooks lead somewhere."""

import re

import nbformat
import pytest

from cbkit.paths import project_root
from cbkit.workbook.profiles import notebook_paths

READMES = [project_root() / "README.md", project_root() / "data" / "README.md"]
READMES.append(project_root() / "figures" / "README.md")
READMES.append(project_root() / ".github" / "CONTRIBUTING.md")
READMES += [p for p in (project_root() / "docs").rglob("*.md") if "_build" not in p.parts]
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
CODE = re.compile(r"```.*?```", flags=re.DOTALL)
NAMED = re.compile(r"`((?:cbkit|data|figures|notebooks|tests)/[\w./-]+)`")


def texts(path):
    """What a document says; of a notebook, its markdown cells and the text it computed."""
    if path.suffix != ".ipynb":
        return [path.read_text(encoding="utf-8")]
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    written = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return written + [data.get("text/markdown", "") for data in outputs]


@pytest.mark.parametrize(
    "path",
    [*READMES, *notebook_paths().values()],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_every_file_that_is_linked_to_or_named_exists(path):
    for text in texts(path):
        for target in LINK.findall(CODE.sub("", text)):
            assert (path.parent / target.partition("#")[0]).exists(), f"link to {target}"
        for target in NAMED.findall(text):
            assert (project_root() / target).exists(), f"mention of {target}"


def test_the_readme_links_to_every_notebook():
    readme = READMES[0].read_text(encoding="utf-8")
    names = {name for name in notebook_paths() if f"[`{name}`](notebooks/{name}.ipynb)" in readme}
    assert names == set(notebook_paths())
