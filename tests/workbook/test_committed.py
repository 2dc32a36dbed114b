"""What is committed: provenance for every table, a gallery of every figure, and nothing large."""

import re

import pytest

from cbkit.paths import figures_dir, project_root, results_dir
from cbkit.workbook.gallery import GALLERY
from cbkit.workbook.profiles import notebook_paths
from cbkit.workbook.publish import study_of
from cbkit.workbook.tables import read_provenance, read_table, source_of

STUDIES = {study_of(name) for name in notebook_paths()}
TABLES = sorted(results_dir().glob("*/*"))
PICTURES = sorted(figures_dir().glob("*/*.png"))
GALLERY_PAGE = (figures_dir().parent / "README.md").read_text(encoding="utf-8")


def test_tables_and_figures_lie_in_folders_of_studies():
    assert {path.parent.name for path in TABLES} <= STUDIES
    assert {path.parent.name for path in PICTURES} <= STUDIES
    assert set(GALLERY) <= STUDIES


def test_every_table_has_its_provenance_and_every_line_its_table():
    lines = read_provenance(results_dir())
    named = {(row.study, row.table) for row in lines.itertuples()}
    assert named == {(path.parent.name, path.stem) for path in TABLES}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_provenance_says_of_each_data_set_what_the_table_holds(path):
    table = read_table(results_dir(), path.parent.name, path.stem)
    lines = read_provenance(results_dir())
    lines = lines[(lines["study"] == path.parent.name) & (lines["table"] == path.stem)]
    if "dataset" not in table:
        assert lines["dataset"].tolist() == [""]
        return
    lines = lines.set_index("dataset")
    for dataset, rows in table.groupby(source_of(table["dataset"])):
        line = lines.loc[dataset]
        if "seed" in rows:
            first, _, last = line["seeds"].partition("-")
            assert (int(first), int(last or first)) == (rows["seed"].min(), rows["seed"].max())
        if line["n_rounds"]:
            last_round = rows["n_rounds" if "n_rounds" in rows else "round"].max()
            assert int(line["n_rounds"]) == last_round


def test_the_gallery_shows_pictures_that_are_there_each_under_a_question():
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", GALLERY_PAGE)
    assert len(shown) == len(set(shown)) >= 12
    assert all((figures_dir().parent / name).exists() for name in shown)
    questions = re.findall(r"^## .+\?$", GALLERY_PAGE, flags=re.MULTILINE)
    assert len(questions) == len(shown)


def test_committed_pictures_are_png_alone_and_small():
    files = [path for path in figures_dir().parent.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".png", ".md"}
    assert sum(path.stat().st_size for path in files) < 8e6
    assert not (project_root() / "figures" / "demo").exists()
