"""Every number in prose is checked by an assertion of its notebook; pages quote notebooks.

`prose_numbers` says what counts as a number.
"""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from prose_numbers import main, unguarded, without_source

from cbkit.experiments.tables import to_markdown
from cbkit.paths import project_root
from cbkit.studies.claims.verdicts import one_page
from cbkit.workbook.profiles import notebook_paths
from cbkit.workbook.tables import load_table

NOTEBOOKS = notebook_paths()
ROOT = project_root()
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", ROOT / "figures/README.md", *sorted(ROOT.glob("docs/*/*.md")))
]


@pytest.fixture(scope="module")
def notebooks():
    return {name: nbformat.read(path, as_version=4) for name, path in NOTEBOOKS.items()}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_number_in_a_notebooks_prose_stands_in_one_of_its_assertions(name, notebooks):
    assert unguarded(notebooks[name]) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_result_on_a_page_is_one_that_a_notebook_states(page, notebooks):
    table = to_markdown(one_page(load_table("verdicts/verdicts")))  # the README's is tested there
    text = (ROOT / page).read_text(encoding="utf-8").replace(table, "")
    assert without_source(text, notebooks) == []


# The check itself

GUARD = """
table = load_table("study/finals").round(3)
assert table.loc["Greedy", ["gain", "low", "high"]].tolist() == [-0.174, -0.313, -0.02]
assert (len(table), table["reward"].max()) == (1584, 0.453)
assert table["cost"].between(9, 28).all() and set(table["setting"]) == {"growth 1.05"}
"""


def made_up(prose, guard=GUARD):
    return new_notebook(cells=[new_markdown_cell(prose), new_code_cell(guard)])


@pytest.mark.parametrize(
    "prose",
    [
        "The gain is -17% [-31, -2], and it loses 17.4% [2.0, 31.3].",
        "Of 1,584 cells, the best earns .45 (.453), 45% and 9 to 28 times as much, with 1.05.",
        "With five arms, 3 of 4 and `k = 12`, $x^{12}$ says 0; see [there](12_explorer.ipynb).",
        "The prior (3/k, 4, 2), Gamma(2, 2), the 80th percentile 95% t intervals, notebook 06.",
        "> The paper: 15% and .83\n\nOn 10 October 2018.\n\n**References.** Li (2011), 12, 4-56.",
    ],
)
def test_check_passes_what_assertions_hold_and_what_is_no_number_of_a_result(prose):
    assert unguarded(made_up(prose)) == []


@pytest.mark.parametrize(
    ("prose", "number"),
    [
        ("It earns .454.", ".454"),
        ("It earns .46 of it.", ".46"),
        ("It gains +17%.", "+17%"),
        ("It loses 17% [2, 32].", "17% [2, 32]"),
        ("It loses 17% [-2, 31].", "17% [-2, 31]"),
        ("All 1,585 cells.", "1,585"),
        ("It takes 8 times as long.", "8 times"),
        ("It takes 10 to 28 times as long.", "10 to 28"),
        ("In 12 of them.", "12"),
    ],
)
def test_check_names_a_number_that_no_assertion_holds(prose, number):
    (found,) = unguarded(made_up(prose))
    assert number in found


@pytest.mark.parametrize(
    "guard", ["reward = 0.453", "assert 0.453", "assert round(table.reward) and table.round(453)"]
)
def test_a_number_outside_of_comparisons_guards_nothing(guard):
    assert unguarded(made_up("It earns .453.", guard))


def test_a_page_quotes_the_notebooks_that_its_section_names():
    notebooks = {"01_one": made_up("It earns .45 [.40, .50]."), "02_two": made_up("It earns .33.")}
    page = "It earns .33.\n\n## One\n\n![Rewards](paper/one/rewards.png)\n\n"
    assert without_source(page + ".45 [.40, .50] with 12 arms", notebooks) == []
    (found,) = without_source(page + "It earns .33.", notebooks)
    assert ".33" in found
    (found,) = without_source(page + "It earns .45 [.40, .51].", notebooks)
    assert ".51" in found


def test_check_names_the_file_and_exits_with_1(tmp_path, capsys):
    good, bad = tmp_path / "good.ipynb", tmp_path / "bad.ipynb"
    nbformat.write(made_up("It earns .453."), good)
    nbformat.write(made_up("It earns .6."), bad)
    assert (main([str(good)]), main([str(good), str(bad)])) == (0, 1)
    printed = capsys.readouterr().out
    assert "bad.ipynb: It earns .6." in printed and "good.ipynb" not in printed
