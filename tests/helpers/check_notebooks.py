"""Check that notebooks were run from start to end and can be given parameters.

``check_notebooks.py notebooks/*.ipynb`` names what is wrong and exits with 1 then; pre-commit
 runs it on the notebooks about to be committed.
"""

import re
import sys
from collections.abc import Iterator

import nbformat

from cbkit.workbook.profiles import parameter_values

# Two path components or more after a slash that starts a word: /usr/lib, C:\Users, not a/b or URLs.
MACHINE_PATH = re.compile(r"(?<![\w./:<>+=~-])/(?:[\w.+-]+/)+[\w.+-]+|\b[A-Z]:\\\w+")


def problems(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what is wrong with a notebook, nothing where all is well."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        *_kernel(notebook),
        *_order(code),
        *_parameters(code),
        *(problem for cell in code for problem in _outputs(cell)),
    ]


def _kernel(notebook: nbformat.NotebookNode) -> Iterator[str]:
    kernel = notebook.metadata.get("kernelspec", {})
    if (kernel.get("name"), kernel.get("language")) != ("python3", "python"):
        yield f"its kernel must be python3 (python), got {dict(kernel)}"


def _order(code: list[nbformat.NotebookNode]) -> Iterator[str]:
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        yield f"cells were run in the order {counts}; restart the kernel and run all"


def _parameters(code: list[nbformat.NotebookNode]) -> Iterator[str]:
    tags = [tag for cell in code for tag in cell.metadata.get("tags", [])]
    if tags.count("parameters") != 1:
        yield f"one cell must have the tag parameters, {tags.count('parameters')} have"
    if "injected-parameters" in tags:
        yield "a cell that papermill injected is left in it; commit a run of the defaults"
    for cell in code:
        if "parameters" in cell.metadata.get("tags", []):
            try:
                parameter_values(cell.source)
            except (SyntaxError, ValueError) as error:
                yield f"parameters cell: {error}"


def _outputs(cell: nbformat.NotebookNode) -> Iterator[str]:
    where = f"output of cell [{cell.execution_count}]"
    for output in cell.outputs:
        if output.output_type == "error":
            yield f"{where}: {output.ename}: {output.evalue}"
        if output.get("name") == "stderr":
            yield f"{where}: a warning or progress bar: {output.text.strip().splitlines()[0]!r}"
        data = {"text/plain": output.text} if "text" in output else output.get("data", {})
        if "application/vnd.jupyter.widget-view+json" in data:
            yield f"{where}: a widget, which is blank without its kernel"
        for kind, text in data.items():
            if kind.startswith("text/") and (found := MACHINE_PATH.search(text)):
                yield f"{where}: a path of this machine: {found[0]}"


def main(paths: list[str]) -> int:
    """Print the problems of each notebook; return 1 if there are any."""
    failed = False
    for path in paths:
        for problem in problems(nbformat.read(path, as_version=4)):
            print(f"{path}: {problem}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
