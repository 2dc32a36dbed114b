"""The index holds every numbered item of the paper, and leads to what exists."""

import importlib
import re

import nbformat
import pytest

from cbkit.paths import figures_dir, results_dir
from cbkit.policies.registry import paper_policy_names
from cbkit.studies.claims.all_claims import CLAIMS
from cbkit.workbook.paper_index import VERDICTS, index_table, paper_index
from cbkit.workbook.profiles import notebook_paths

ITEMS = paper_index()
OF_THE_PAPER = [item for item in ITEMS if item.section != "Beyond the paper"]

# As the paper has them, in its order; LaTeX counts algorithms, figures and tables through.
SECTIONS = [
    "Abstract",
    "1 Introduction",
    "2 Problem definition",
    "3 Related work",
    "4 Obtaining upper confidence bounds",
    "5 Cold-start problem",
    "6 Establishing baselines",
    "7 Algorithms",
    "8 Empirical evaluation",
    "9 Conclusions",
    "Appendix A: Online bootstrap for UCB",
    "Appendix B: Smoothing and MAB-first, many-armed bandits",
    "Appendix C: Gradient norms in active learning",
]
BOUND = "Proportion of expected values falling below 80% confidence bound, "
CAPTIONS = {
    "Algorithm": [
        "MAB-first",
        "Epsilon-Greedy",
        "Explore-Then-Exploit",
        "SoftmaxExplorer",
        "BootstrappedUCB",
        "OnlineBoostrappedUCB",  # so misspelt in the paper
        "BootstrappedTS",
        "OnlineBootstrappedTS",
        "ContextualAdaptiveGreedy",
        "ContextualAdaptiveGreedy2",
        "ActiveExplorer",
        "ActiveAdaptiveGreedy",
    ],
    "Figure": [
        "Results on BibTeX dataset",
        "Results on Mediamill dataset",
        "Results on Mediamill Reduced dataset",
        "Results on Del.icio.us dataset",
        "Smoothing and MAB-first on BibTeX dataset",
        "Smoothing and MAB-first on Eurlex dataset",
        "Smoothing and MAB-first on Mediamill dataset",
        "Smoothing and MAB-first on Mediamill Reduced dataset",
        "Limiting the number of arms, Bibtex dataset",
        "Limiting the number of arms, Eurlex dataset",
        "Limiting the number of arms, Mediamill dataset",
        "Limiting the number of arms, Mediamill Reduced dataset",
        "Comparison of active learning selection criteria on Bibtex dataset",
    ],
    "Table": [
        BOUND + "Linear regression with large bias term, independent features",
        BOUND + "Logistic regression with small negative bias term, independent features",
        BOUND + "Logistic regression with small negative bias term, correlated features",
    ],
}
DATA_SETS = ["BibTeX", "Del.icio.us", "Mediamill", "Mediamill without", "EURLex"]


def headings(notebook):
    cells = nbformat.read(notebook_paths()[notebook], as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return set(re.findall(r"^#+ (.+?)\s*$", text, flags=re.MULTILINE))


def test_sections_are_the_papers_in_its_order():
    assert list(dict.fromkeys(item.section for item in OF_THE_PAPER)) == SECTIONS
    assert list(dict.fromkeys(item.section for item in ITEMS)) == [*SECTIONS, "Beyond the paper"]


@pytest.mark.parametrize("kind", CAPTIONS)
def test_algorithms_figures_and_tables_are_complete_numbered_and_in_order(kind):
    found = [(item.item, item.what) for item in ITEMS if item.item.startswith(f"{kind} ")]
    assert found == [(f"{kind} {n}", text) for n, text in enumerate(CAPTIONS[kind], start=1)]


def test_data_sets_and_their_table_are_complete():
    found = [item.what for item in ITEMS if item.item == "data set"]
    assert len(found) == len(DATA_SETS)
    assert all(what.startswith(name) for what, name in zip(found, DATA_SETS, strict=True))
    assert [item.section for item in ITEMS if item.item == "table"] == ["8 Empirical evaluation"]


def test_each_item_has_its_place_or_a_reason_why_not():
    for item in ITEMS:
        assert bool(item.notebooks) != item.is_left_out, item.what
        if item.is_left_out:
            assert len(item.note.split()) > 4 and not (item.code or item.figures or item.tables)


def test_what_the_index_names_exists():
    for item in ITEMS:
        for dotted in item.code:
            module, _, name = dotted.rpartition(".")
            assert getattr(importlib.import_module(module), name).__doc__, dotted
        assert all((figures_dir() / f"{name}.png").exists() for name in item.figures), item.what
        assert all(list(results_dir().glob(f"{name}.*")) for name in item.tables), item.what


@pytest.mark.parametrize("notebook", notebook_paths())
def test_notebooks_have_the_headings_that_the_index_links_to(notebook):
    linked = {item.notebooks[notebook] for item in ITEMS if notebook in item.notebooks}
    linked |= {VERDICTS[1]} if notebook == VERDICTS[0] else set()
    assert linked and linked - {""} <= headings(notebook)


def test_no_place_is_a_notebook_that_there_is_not():
    assert {name for item in ITEMS for name in item.notebooks} == set(notebook_paths())


def test_every_claim_and_every_policy_of_the_paper_belongs_to_an_item():
    assert {n for item in ITEMS for n in item.claims} == {claim.number for claim in CLAIMS}
    code = {name.rpartition(".")[2] for item in OF_THE_PAPER for name in item.code}
    assert set(paper_policy_names()) - {"Greedy", "SmoothedGreedy"} <= code


def test_the_stored_notebook_shows_the_index_as_it_is():
    cells = nbformat.read(notebook_paths()["Z_index"], as_version=4).cells
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    stored = "\n\n".join(data["text/markdown"] for data in outputs if "text/markdown" in data)
    made = [
        f"### {name}\n\n{index_table(item for item in ITEMS if item.section == name)}"
        for name in [*SECTIONS, "Beyond the paper"]
    ]
    assert stored == "\n\n".join(made), "run notebook Z again"
