"""Build the site by ``make docs``, then open docs/_build/html/index.html.

Sphinx reads one folder, so the pages of ``docs/``, the notebooks as they are stored, the gallery
and the pages made from code are laid together in one first. Warnings are errors.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import nbformat

from cbkit.workbook.paper_index import index_table, paper_index

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SHOWN = {  # other files of the project that are pages of the site
    "figures/README.md": "gallery.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "data/README.md": "data.md",
}
ROOMS = {  # title of the page: the modules whose names it lists
    "Policies by name": ["cbkit.policies.named"],
    "Parts of policies, and live use": ["cbkit.policies"],
    "Oracles": ["cbkit.oracles", "cbkit.oracles.forests"],
    "Data sets": ["cbkit.datasets"],
    "Simulation": ["cbkit.simulate"],
    "Logs of other policies": ["cbkit.off_policy"],
    "Experiments": ["cbkit.experiments"],
    "Figures": ["cbkit.plots.curves", "cbkit.plots.dots"],
}
HEADING = re.compile(r"(\.ipynb#)([^)\s]+)")
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")


def places() -> dict[Path, str]:
    """Return where on the site each file of the project goes."""
    found = {ROOT / name: place for name, place in SHOWN.items()}
    for path in (*DOCS.rglob("*.md"), *DOCS.rglob("*.bib"), *(ROOT / "notebooks").glob("*.ipynb")):
        if "_build" not in path.parts:
            found[path] = path.relative_to(ROOT).as_posix().removeprefix("docs/")
    for path in (ROOT / "figures" / "paper").rglob("*.png"):
        found[path] = path.relative_to(ROOT).as_posix()
    return found


def relinked(text: str, origin: Path, where: dict[Path, str]) -> str:
    """Return Markdown with its relative links pointing to where their targets are on the site.

    What has no place on the site, such as a module, becomes the plain text of its link.
    """

    def link(match: re.Match[str]) -> str:
        mark, label, target, anchor = match.groups()
        path = (origin.parent / target).resolve()
        if path not in where:
            return label
        folder = Path(where[origin]).parent
        return f"{mark}[{label}]({os.path.relpath(where[path], folder)}{anchor or ''})"

    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def reanchored(text: str) -> str:
    """Return Markdown with links to headings of notebooks by the site's anchors.

    Jupyter's keep capitals and punctuation.
    """

    def anchor(match: re.Match[str]) -> str:
        return match[1] + re.sub(r"[^\w-]", "", match[2].lower())

    return HEADING.sub(anchor, text)


def notebook_page(path: Path, where: dict[Path, str]) -> str:
    """Return a notebook with its links pointing to pages of the site."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = reanchored(relinked(cell.source, path, where))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/markdown" in data:
                data["text/markdown"] = reanchored(relinked(data["text/markdown"], path, where))
    return nbformat.writes(notebook)


def toctree(names: list[str]) -> str:
    return "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def notebooks_page() -> str:
    """Return the list of the notebooks, in the order in which they are read."""
    names = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    intro = "The workbook, in order, with the outputs that are stored with it: runs on demo data,\n"
    intro += "and the committed tables and figures at the paper's sizes.\n\n"
    return "# Notebooks\n\n" + intro + toctree(names)


def paper_page() -> str:
    """Return the page that leads from each item of the paper to its notebook and code."""
    intro = "Each item of Cortes (2018), {cite}`cortes2018`, in the paper's order.\n"
    lines = ["# From the paper to the code\n", intro]
    for section, items in groupby(paper_index(), key=lambda item: item.section):
        table = index_table(
            items,
            folder="notebooks/",
            code="{{py:obj}}`{}`",
            figure="[`{0}`](figures/paper/{0}.png)",
        )
        lines += [f"## {section}\n", reanchored(table), ""]
    return "\n".join(lines)


def public_names(module: str) -> Iterator[str]:
    """Yield the dotted names that users write for a module's public functions and classes."""
    top, room = importlib.import_module("cbkit"), importlib.import_module(module)
    for name in getattr(room, "__all__", None) or sorted(vars(room)):
        value = getattr(room, name)
        own = hasattr(room, "__all__") or getattr(value, "__module__", "") == module
        is_code = inspect.isclass(value) or inspect.isroutine(value)
        if own and is_code and not name.startswith("_") and value.__module__.startswith("cbkit"):
            yield f"cbkit.{name}" if name in top.__all__ else f"{module}.{name}"


def api_pages() -> dict[str, str]:
    """Return the pages of the reference: one per room, each name on the first that has it."""
    pages, seen = {}, set()
    for title, modules in ROOMS.items():
        names = [n for m in modules for n in public_names(m)]
        names = [n for n in dict.fromkeys(names) if n.split(".")[-1] not in seen]
        seen |= {n.split(".")[-1] for n in names}
        file = title.split(",")[0].lower().replace(" ", "_")
        listed = "".join(f"   {name}\n" for name in names)
        options = "   :toctree: generated\n   :nosignatures:\n\n"
        pages[file] = f"{title}\n{'=' * len(title)}\n\n.. autosummary::\n{options}{listed}"
    intro = (
        "Public names only; what starts with `cbkit.` and one name is imported from `cbkit`.\n\n"
    )
    return {f"{file}.rst": text for file, text in pages.items()} | {
        "index.md": "# API reference\n\n" + intro + toctree(list(pages))
    }


def lay_out(folder: Path) -> None:
    """Write all that Sphinx reads to a folder; files that are right already stay as they are."""
    where = places()
    made = {f"api/{name}": text for name, text in api_pages().items()}
    made |= {"notebooks/index.md": notebooks_page(), "paper_to_code.md": paper_page()}
    for path, place in where.items():
        if path.suffix == ".ipynb":
            made[place] = notebook_page(path, where)
        elif path.suffix == ".md":
            made[place] = relinked(path.read_text(encoding="utf-8"), path, where)
        else:
            made[place] = path.read_bytes()
    for old in [path for path in folder.rglob("*") if path.is_file()]:
        if old.relative_to(folder).as_posix() not in made:
            old.unlink()
    for place, content in made.items():
        path = folder / place
        content = content.encode() if isinstance(content, str) else content
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def main(arguments: list[str] | None = None) -> int:
    """Build the site, or check its outward links; return Sphinx's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--to", type=Path, default=DOCS / "_build", help="folder that is written to"
    )
    parser.add_argument("--builder", default="html", help="html, or linkcheck for outward links")
    asked = parser.parse_args(arguments)
    lay_out(asked.to / "source")
    options = ["-W", "--keep-going", "--quiet", "-c", DOCS, "-d", asked.to / "doctrees"]
    command = [sys.executable, "-m", "sphinx", "-b", asked.builder, *options]
    return subprocess.call([*command, asked.to / "source", asked.to / asked.builder])


if __name__ == "__main__":
    sys.exit(main())
