"""What holds for every notebook, and for the check that pre-commit runs."""

import ast
import re
from itertools import pairwise

import nbformat
import pytest
from check_notebooks import main, problems
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from cbkit.workbook.profiles import notebook_parameters, notebook_paths, parameter_values, plan

NOTEBOOKS = notebook_paths()
# Found in the markdown cells, in this order (cells may hold several).
LANDMARKS = ("question", "paper", "$", "reading the figure", "differ", "summary")


@pytest.fixture(params=NOTEBOOKS, scope="module")
def notebook(request):
    return nbformat.read(NOTEBOOKS[request.param], as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook):
    """The text that a reader reads; all of it was typed by a person."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def n_lines(code):
    """The lines of a cell beside imports and the assertions that guard what prose says."""
    aside = (ast.Assert, ast.Import, ast.ImportFrom)
    apart = [node for node in ast.parse(code).body if isinstance(node, aside)]
    return len(code.splitlines()) - sum(node.end_lineno - node.lineno + 1 for node in apart)


def parameters_cell(notebook):
    return next(c for c in code_cells(notebook) if "parameters" in c.metadata.get("tags", []))


# The workbook's notebooks


def test_notebook_was_run_from_start_to_end_without_errors_or_machine_paths(notebook):
    assert problems(notebook) == []


def test_notebook_has_12_to_20_cells_and_short_code(notebook):
    assert 12 <= len(notebook.cells) <= 20
    lengths = [n_lines(cell.source) for cell in code_cells(notebook)]
    assert max(lengths) <= 15, f"lines of the code cells: {lengths}"


def test_notebook_starts_with_title_imports_and_parameters_and_ends_with_versions(notebook):
    first, imports, *_ = notebook.cells
    assert first.cell_type == "markdown" and first.source.startswith("# ")
    statements = ast.parse(imports.source).body
    assert all(isinstance(statement, ast.Import | ast.ImportFrom) for statement in statements)
    assert code_cells(notebook)[1] is parameters_cell(notebook)
    assert notebook.cells[-1].cell_type == "code" and "version" in notebook.cells[-1].source


def test_notebook_begins_with_question_and_answer_and_a_committed_figure(notebook):
    first = notebook.cells[0].source
    question, answer = first.index("**Question.**"), first.index("**Answer.**")
    assert question < answer
    numbers = re.findall(r"\d", first[answer : first.index("\n\n", answer)])
    assert len(numbers) >= 4, "the answer has numbers"
    early = "".join(cell.source for cell in notebook.cells[:4])
    assert "show_figure(" in early


def test_numbers_of_the_committed_tables_are_guarded_by_an_assertion(notebook):
    guards = [c.source for c in code_cells(notebook) if "assert " in c.source]
    assert any("load_table(" in c or "verdicts" in c for c in guards)


def test_notebook_tells_its_story_in_the_order_of_all_notebooks(notebook):
    texts = [text.lower() for text in prose(notebook)]
    position = 0
    for landmark in LANDMARKS:
        found = [i for i, text in enumerate(texts) if i >= position and landmark in text]
        assert found, f"no {landmark!r} in the text from cell {position} of it on"
        position = found[0]


def test_notebook_only_calls_what_the_package_defines(notebook):
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, ast.ClassDef), f"class {node.name} belongs in cbkit"
            if isinstance(node, ast.FunctionDef):
                lines = node.end_lineno - node.lineno + 1
                assert lines <= 4, f"function {node.name} of {lines} lines belongs in cbkit"


@pytest.mark.parametrize(("name", "following"), list(pairwise(NOTEBOOKS)))
def test_summary_links_to_the_next_notebook(name, following):
    source = nbformat.read(NOTEBOOKS[name], as_version=4)
    assert f"({following}.ipynb)" in prose(source)[-1]


def test_papermill_reads_every_parameter_that_the_notebook_has(notebook, tmp_path):
    path = tmp_path / "notebook.ipynb"
    nbformat.write(notebook, path)
    assert notebook_parameters(path) == parameter_values(parameters_cell(notebook).source)


@pytest.mark.skipif(not NOTEBOOKS, reason="there are no notebooks yet")
@pytest.mark.parametrize("profile", ["demo", "paper"])
def test_profile_fits_the_notebooks(profile):
    assert list(dict.fromkeys(run.path.stem for run in plan(profile))) == list(NOTEBOOKS)


# The check itself


def executed(*, source="n_rounds = 500\nname = 'demo'", count=1, outputs=()):
    cell = new_code_cell(
        source, execution_count=count, outputs=list(outputs), metadata={"tags": ["parameters"]}
    )
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    return new_notebook(cells=[cell], metadata={"kernelspec": kernel})


def test_check_passes_an_executed_notebook_with_one_parameters_cell():
    assert problems(executed()) == []
    assert parameter_values(executed().cells[0].source) == {"n_rounds": 500, "name": "demo"}


@pytest.mark.parametrize("count", [None, 2])
def test_check_refuses_cells_not_run_in_order_from_1(count):
    assert "restart the kernel" in problems(executed(count=count))[0]


def test_check_refuses_no_or_two_parameters_cells():
    notebook = executed()
    notebook.cells.append(new_code_cell("x = 1", execution_count=2))
    notebook.cells[1].metadata.tags = ["parameters"]
    assert "2 have" in problems(notebook)[0]
    del notebook.cells[0].metadata["tags"], notebook.cells[1].metadata["tags"]
    assert "0 have" in problems(notebook)[0]


@pytest.mark.parametrize(
    "source",
    [
        "n_rounds = 5 * 100",
        "n_rounds: int = 500",
        "seed = None",
        "policies = ['Greedy']",
        "import os",
        "name = (\n    'demo'\n)",
        "n_rounds = ",
    ],
)
def test_check_refuses_parameters_that_are_not_scalar_literals(source):
    assert "parameters cell" in problems(executed(source=source))[0]


def test_check_refuses_a_cell_left_by_papermill():
    notebook = executed()
    cell = new_code_cell("n_rounds = 5", execution_count=2)
    cell.metadata.tags = ["injected-parameters"]
    notebook.cells.append(cell)
    assert "injected" in problems(notebook)[0]


def test_check_refuses_another_kernel():
    notebook = executed()
    notebook.metadata.kernelspec.name = "my-env"
    assert "my-env" in problems(notebook)[0]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (new_output("error", ename="ValueError", evalue="no", traceback=[]), "ValueError: no"),
        (new_output("stream", name="stderr", text="FutureWarning: old\n"), "FutureWarning"),
        (new_output("stream", name="stdout", text="saved '/some/folder/a.png'"), "/some/folder"),
        (new_output("display_data", data={"text/html": "<a>C:\\Users\\me</a>"}), "C:\\Users"),
        (
            new_output("display_data", data={"application/vnd.jupyter.widget-view+json": {}}),
            "widget",
        ),
    ],
)
def test_check_refuses_outputs_that_do_not_belong_in_a_notebook(output, expected):
    assert expected in problems(executed(outputs=[output]))[0]


@pytest.mark.parametrize(
    "text", ["figures/demo/a.png", "https://example.org/a/b", "reward/round", "<td>1</td>", "1/2/3"]
)
def test_check_passes_text_with_slashes_that_is_no_machine_path(text):
    output = new_output("display_data", data={"text/html": text})
    assert problems(executed(outputs=[output])) == []


def test_check_names_the_file_and_exits_with_1(tmp_path, capsys):
    good, bad = tmp_path / "good.ipynb", tmp_path / "bad.ipynb"
    nbformat.write(executed(), good)
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Title")]), bad)
    assert main([str(good)]) == 0
    assert main([str(good), str(bad)]) == 1
    printed = capsys.readouterr().out
    assert "bad.ipynb: " in printed and "good.ipynb" not in printed
