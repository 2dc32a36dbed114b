"""The site's pages: their code runs, and they cite what is in the references."""

import re

import pytest
from examples import examples, run_examples

from cbkit.paths import project_root

DOCS = project_root() / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path
    for path in sorted(DOCS.rglob("*.md"))
    if "_build" not in path.parts
}
WITH_CODE = [name for name, path in PAGES.items() if examples(path.read_text(encoding="utf-8"))]
ENTRIES = re.findall(
    r"^@\w+\{(\w+),(.*?)^\}", (DOCS / "references.bib").read_text("utf-8"), re.M | re.S
)


@pytest.mark.parametrize("page", WITH_CODE)
def test_the_code_of_a_page_runs_as_it_stands(page, tmp_path, capsys):
    run_examples(PAGES[page].read_text(encoding="utf-8"), tmp_path)
    assert capsys.readouterr().out


def test_every_page_of_the_guide_has_code():
    guide = {name for name in PAGES if name.startswith("guide/") and name != "guide/index"}
    assert len(guide) == 5 and guide <= set(WITH_CODE)


@pytest.mark.parametrize("folder", ["guide", "howto"])
def test_an_index_lists_all_pages_of_its_folder(folder):
    listed = PAGES[f"{folder}/index"].read_text(encoding="utf-8").split()
    pages = {name.split("/")[1] for name in PAGES if name.startswith(f"{folder}/")}
    assert pages - {"index"} == pages & set(listed)


def test_references_are_complete_and_cited_where_they_exist():
    fields = {key: set(re.findall(r"^  (\w+) =", text, re.M)) for key, text in ENTRIES}
    assert all({"author", "title", "year"} <= found for found in fields.values())
    texts = " ".join(path.read_text(encoding="utf-8") for path in PAGES.values())
    cited = {key for keys in re.findall(r"\{cite\}`([^`]+)`", texts) for key in keys.split(",")}
    assert cited == set(fields)
