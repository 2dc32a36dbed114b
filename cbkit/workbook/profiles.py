"""Check which notebooks run with which parameters.

A profile is a file ``notebooks/params/<profile>.yaml``: a mapping from a notebook's name to the
parameters it runs with, or to a list of such mappings, one per run; plus two optional keys.
Parameters under ``all`` go to every notebook that has them, and ``cell_timeout`` is the number of
seconds a cell may take. Every notebook that has a parameter ``profile`` gets the profile's name,
which names the folder below ``outputs/`` that all it writes goes to.

papermill only warns about a parameter that a notebook does not have. Here it is refused, and so is
a value of another type than the default's.
"""

import ast
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml

from cbkit.paths import notebooks_dir

Scalar = bool | int | float | str

DEFAULT_CELL_TIMEOUT = 1800


class ProfileError(ValueError):
    """What was asked for does not fit the notebooks; the message says what to write instead."""


@dataclass(kw_only=True, frozen=True)
class NotebookRun:
    """One notebook and the parameters it is to run with, all of them checked.

    `name` is the notebook's. Where the profile lists several sets, its values of the parameters in
    which these differ follow, as many as tell them apart, as in ``"06_evaluation-bibtex"``.
    """

    name: str
    path: Path
    parameters: dict[str, Scalar]
    cell_timeout: int


def notebook_paths() -> dict[str, Path]:
    """Return the notebooks by name, in the order in which they are read."""
    return {path.stem: path for path in sorted(notebooks_dir().glob("*.ipynb"))}


def notebook_parameters(path: Path) -> dict[str, Scalar]:
    """Return the parameters of a notebook with their defaults.

    Raises
    ------
    ProfileError
        If the file is no notebook, or its parameters are not literals, one a line.
    """
    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception as error:  # nbformat raises what JSON, the schema and its own checks raise
        raise ProfileError(f"{path.name} cannot be read as a notebook: {error}") from error
    tagged = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) > 1:
        raise ProfileError(f"{path.name}: one cell may have the tag parameters, {len(tagged)} have")
    try:
        return parameter_values(tagged[0].source) if tagged else {}
    except (SyntaxError, ValueError) as error:
        raise ProfileError(f"{path.name}: parameters cell: {error}") from error


def parameter_values(source: str) -> dict[str, Scalar]:
    """Return the parameters that a cell sets, which has to be ``name = literal`` on a line each.

    Examples
    --------
    >>> parameter_values("n_rounds = 0  # rounds, 0 = all\\nmark = '#'")
    {'n_rounds': 0, 'mark': '#'}
    """
    values: dict[str, Scalar] = {}
    for statement in ast.parse(source).body:
        text = ast.unparse(statement)
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                raise ValueError(f"{text!r} is not of the form name = literal")
        try:
            values[name] = ast.literal_eval(value)
        except ValueError:
            raise ValueError(f"{text!r} computes its value; write a literal") from None
        if not isinstance(values[name], Scalar):
            raise ValueError(
                f"parameter {text} is not a plain number, string, True or False; "
                "write one such literal a line"
            )
        if statement.lineno != statement.end_lineno:
            raise ValueError(f"{text!r} takes more than one line")
    return values


def plan(
    profile: str,
    *,
    notebooks: Sequence[str] = (),
    overrides: Mapping[str, str] | None = None,
) -> list[NotebookRun]:
    """Return the runs that a profile asks for, or raise what does not fit before any starts.

    Parameters
    ----------
    profile : str
        Name of a file in ``notebooks/params/``, without its ending.
    notebooks : sequence of str
        Notebooks to run, by name or number (``"02_baselines"`` or ``"02"``); all where empty.
    overrides : mapping of str to str, optional
        Parameter values as typed on the command line, read as the type of the parameter's default.
        Each goes to all chosen notebooks that have it. Where a profile lists several runs of a
        notebook and some have the value already, only these are chosen.
    """
    paths = notebook_paths()
    if not paths:
        raise ProfileError(f"no notebooks in {notebooks_dir()}")
    chosen = [_find_notebook(name, paths) for name in notebooks] or list(paths)
    defaults = _defaults(paths, chosen)
    sections, cell_timeout = _read_profile(profile, paths)
    common = sections.pop("all", [{}])[0]
    _refuse_unknown(common, {key for own in defaults.values() for key in own}, "any notebook")
    for name, sets in sections.items():
        for section in sets if name in defaults else []:
            _refuse_unknown(section, defaults[name], name)

    overrides = overrides or {}
    _refuse_unknown(overrides, {key for name in chosen for key in defaults[name]}, *chosen)
    runs = []
    for name in sorted(set(chosen)):
        own = defaults[name]
        typed = {key: _read(key, overrides[key], own[key]) for key in own if key in overrides}
        listed = sections.get(name, [{}])
        apart = [key for key in own if len({repr(one.get(key)) for one in listed}) > 1]
        n_naming = _n_telling(apart, own, listed)
        for key in apart:
            if key in typed:
                listed = [one for one in listed if one.get(key) == typed[key]] or listed
        sets = []
        for section in listed:
            asked = {"profile": profile} | common | section
            values = {key: _checked(key, asked[key], own[key], name) for key in own if key in asked}
            if values | typed not in sets:
                sets.append(values | typed)
        naming = apart[: max(n_naming, _n_telling(apart, own, sets))]
        for parameters in sets:
            labels = [str(parameters.get(key, own[key])).replace("/", "_") for key in naming]
            runs.append(
                NotebookRun(
                    name="-".join([name, *labels]),
                    path=paths[name],
                    parameters=parameters,
                    cell_timeout=cell_timeout,
                )
            )
    return runs


def _n_telling(
    keys: Sequence[str], defaults: Mapping[str, Scalar], sets: Sequence[Mapping[str, Scalar]]
) -> int:
    """Return how many of the first keys tell sets of values apart as well as all of them do.

    Examples
    --------
    >>> sets = [{"dataset": "yeast", "seed": 1}, {"dataset": "medical", "seed": 2}]
    >>> _n_telling(["dataset", "seed"], {"dataset": "demo", "seed": 0}, sets)
    1
    """
    rows = [[repr(one.get(key, defaults[key])) for key in keys] for one in sets]
    different = [len({tuple(row[:n]) for row in rows}) for n in range(len(keys) + 1)]
    return different.index(different[-1])


def _defaults(paths: Mapping[str, Path], chosen: Sequence[str]) -> dict[str, dict[str, Scalar]]:
    """Read all notebooks' parameters; one that cannot be read is refused if it is chosen."""
    found = {}
    for name, path in paths.items():
        try:
            found[name] = notebook_parameters(path)
        except ProfileError:
            if name in chosen:
                raise
    return found


def _read_profile(profile: str, known: Mapping[str, Path]) -> tuple[dict[str, list[dict]], int]:
    folder = notebooks_dir() / "params"
    path = folder / f"{profile}.yaml"
    if not path.is_file():
        names = sorted(file.stem for file in folder.glob("*.yaml"))
        raise ProfileError(f"no profile {profile!r}; {instead(profile, names)}")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise ProfileError(f"{path.name} is not YAML: {error}") from error
    if not isinstance(content, dict):
        raise ProfileError(f"{path.name} must map notebooks to parameters, got {content!r}")
    cell_timeout = content.pop("cell_timeout", DEFAULT_CELL_TIMEOUT)
    if type(cell_timeout) is not int or cell_timeout < 1:
        raise ProfileError(
            f"{path.name}: cell_timeout must be a whole number of seconds, got {cell_timeout!r}"
        )
    sections = {
        key: content[key] if isinstance(content[key], list) else [content[key] or {}]
        for key in content
    }
    for key, sets in sections.items():
        if key != "all" and key not in known:
            names = [*known, "all", "cell_timeout"]
            raise ProfileError(f"{path.name}: no notebook {key!r}; {instead(key, names)}")
        for section in sets:
            if not isinstance(section, dict) or (key == "all" and len(sets) > 1):
                raise ProfileError(
                    f"{path.name}: {key} must map parameters to values, got {section!r}"
                )
    return sections, cell_timeout


def _find_notebook(given: str, known: Mapping[str, Path]) -> str:
    name = given.removesuffix(".ipynb")
    for candidate in known:
        if name == candidate or name == candidate.split("_")[0]:
            return candidate
    raise ProfileError(f"no notebook {given!r}; {instead(name, known)}")


def _refuse_unknown(given: Iterable[str], known: Iterable[str], *where: str) -> None:
    for key in given:
        if key not in known:
            raise ProfileError(
                f"no parameter {key!r} in {' or '.join(where)}; {instead(key, sorted(known))}"
            )


def instead(given: object, known: Iterable[str]) -> str:
    """Return a hint of the closest name, or of all that there is.

    Examples
    --------
    >>> instead("n_round", ["n_rounds", "seed"])
    'did you mean n_rounds?'
    >>> instead("colour", ["n_rounds", "seed"])
    'choose from n_rounds, seed'
    """
    known = list(known)
    close = difflib.get_close_matches(str(given), known, n=1)
    return f"did you mean {close[0]}?" if close else f"choose from {', '.join(known) or 'nothing'}"


def _checked(key: str, value: object, default: Scalar, notebook: str) -> Scalar:
    """Return the value of a profile as the type of the default; whole numbers may stand for floats.

    Examples
    --------
    >>> _checked("C", 1, 0.5, "02_baselines")
    1.0
    """
    if type(value) is int and type(default) is float:
        return float(value)
    if type(value) is not type(default):
        hint = "; YAML reads 1e-3 as text, write 1.0e-3" if type(default) is float else ""
        raise ProfileError(
            f"{notebook}: parameter {key} must be {type(default).__name__} like its default "
            f"{default!r}, got {value!r}{hint}"
        )
    return value


def _read(key: str, text: str, default: Scalar) -> Scalar:
    """Return what was typed as the type of the default.

    Examples
    --------
    >>> _read("n_rounds", "500", 1000), _read("shuffle", "false", True)
    (500, False)
    """
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        return type(default)(text)
    except (KeyError, ValueError):
        raise ProfileError(
            f"parameter {key} must be {type(default).__name__} like its default {default!r}, "
            f"got {text!r}"
        ) from None
