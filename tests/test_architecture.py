"""The house rules of the package: who may import whom, and how many doors a room may have."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import cbkit

ROOT = Path(cbkit.__file__).parent
MOST_DOORS, MOST_ENTRIES, MOST_LEVELS = 12, 14, 8

# From the ground up; a room may use the rooms below it, never those beside or above it.
LAYERS = [
    {"_base", "paths"},
    {"datasets", "plots"},
    {"oracles"},
    {"policies"},
    {"simulate"},
    {"off_policy"},
    {"experiments"},
    {"studies", "workbook"},
    {"__init__", "__main__"},
]
HEIGHT = {room: height for height, rooms in enumerate(LAYERS) for room in rooms}
MAY_CROSS = {("workbook", "studies")}  # what a study computes, the workbook draws


def name_of(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def imported_by(module):
    """Return what a module of the package imports of it, anywhere in its code."""
    found = set()
    for node in ast.walk(ast.parse(PATHS[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = names & set(PATHS)
            found |= modules | ({node.module} if names - modules else set())
    return frozenset(found & set(PATHS))


def room_of(module):
    return module.split(".")[1] if "." in module else "__init__"


def test_there_is_something_to_check():
    assert len(PATHS) > 50
    assert "cbkit.oracles.oracle" in imported_by("cbkit.policies.policy")
    assert {room_of(module) for module in PATHS} <= set(HEIGHT)


@pytest.mark.parametrize("module", PATHS)
def test_modules_import_from_lower_rooms_alone(module):
    room = room_of(module)
    for imported in imported_by(module):
        other = room_of(imported)
        allowed = other == room or HEIGHT[other] < HEIGHT[room] or (room, other) in MAY_CROSS
        assert allowed or room == "__init__", f"{module} imports {imported}"


@pytest.mark.parametrize("module", PATHS)
def test_studies_are_imported_by_studies_and_workbook_alone(module):
    if room_of(module) not in ("studies", "workbook"):
        assert not [name for name in imported_by(module) if room_of(name) == "studies"]


def test_no_circle_of_imports():
    graph = {module: imported_by(module) - {module} for module in PATHS}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_rooms_stand_on_few_levels():
    below = {room: set() for room in HEIGHT}
    for module in PATHS:
        if room_of(module) != "__init__":  # the public names, of everything
            rooms = {room_of(imported) for imported in imported_by(module)}
            below[room_of(module)] |= rooms - {room_of(module), "__init__"}

    @cache
    def level(room):
        return 1 + max(map(level, below[room]), default=0)

    assert max(map(level, below)) <= MOST_LEVELS


FOLDERS = sorted({path.parent for path in PATHS.values()})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: name_of(folder / "__init__.py"))
def test_no_room_has_more_entries_than_one_sees_at_once(folder):
    entries = [path for path in folder.iterdir() if not path.name.startswith(("__", "."))]
    assert len(entries) <= (MOST_DOORS if folder == ROOT else MOST_ENTRIES)


@pytest.mark.parametrize("module", [m for m, p in PATHS.items() if p.name == "__init__.py"][1:])
def test_packages_are_tables_of_contents(module):
    body = ast.parse(PATHS[module].read_text(encoding="utf-8")).body
    assert ast.get_docstring(ast.Module(body, []))
    for node in body[1:]:
        is_list = isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
        assert isinstance(node, ast.Import | ast.ImportFrom) or is_list
