"""Claims about fingerprints: all of the user's code is in them, and nothing that is not code."""

import functools
import importlib
import os
import subprocess
import sys
import textwrap
import threading
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor
from scipy import sparse

from cbkit.experiments.fingerprint import describe, fingerprint
from cbkit.experiments.run import Experiment, run_experiment

# A user's policy: README's example, with helpers, constants, a hierarchy, a closure and a second
# module. Every line that is code has an effect on `top_n`.
POLICY = """
from dataclasses import dataclass, field
import functools
import numpy as np
import second
from second import scaled as rescaled
from cbkit import LogisticOracle, MABFirst, Policy
from cbkit.policies.choosers import Choice

# How many of the best arms are looked at.
EPS = 0.25
WEIGHTS = np.array([0.5, 1.5])
NAMES = {"first": 1, "last": 2}


def halved(function):
    @functools.wraps(function)
    def inner(values):
        return function(values) / 2
    return inner


@halved
def spread(values, power=2):
    offset = NAMES["last"]
    return rescaled(values) ** power + offset


def chance_of(limit):
    return lambda rng: rng.random() < limit + EPS


class Base:
    floor = 0

    def lowest(self, values):
        return max(values.min(), self.floor) * second.FACTOR


@dataclass(kw_only=True)
class TopN(Base):
    n_top: int
    chance: object = chance_of(0.125)
    weights: list = field(default_factory=lambda: [1, 2, 3])

    @property
    def share(self):
        return 1 / self.n_top

    def choose(self, values, context, rng):
        top = np.argsort(-spread(values) - self.lowest(values))[: self.n_top]
        arm = int(rng.choice(top)) if self.chance(rng) else int(top[0])
        bonus = WEIGHTS.sum() + sum(self.weights)
        return Choice(arm, explored=arm != top[0], propensity=self.share + 0 * bonus)


def top_n(dataset, n_top=3):
    chooser = TopN(n_top=n_top)
    parts = {"oracle": LogisticOracle(), "cold_start": MABFirst(a=1, b=2)}
    return Policy(name="Top", n_arms=dataset.n_arms, chooser=chooser, **parts)
"""
SECOND = """
import math

FACTOR = 3
_deep = 7


def scaled(values):
    return values * deeper(values.size)


def deeper(size):
    import third
    return math.sqrt(size) + _deep + third.LAST


def not_reached():
    return "unused"
"""
THIRD = "LAST = 11\n"

# One change of each line of code: the text in it, and what replaces it.
CHANGES = [
    ("policy.py", "import scaled as rescaled", "import deeper as rescaled"),
    ("policy.py", "EPS = 0.25", "EPS = 0.26"),
    ("policy.py", "[0.5, 1.5]", "[0.5, 1.25]"),
    ("policy.py", '"last": 2', '"last": 3'),
    ("policy.py", '{"first": 1, "last": 2}', '{"last": 2, "first": 1}'),
    ("policy.py", "    @functools.wraps(function)\n", ""),
    ("policy.py", "def inner(values)", "def inner(values, unused=None)"),
    ("policy.py", "function(values) / 2", "function(values) / 3"),
    ("policy.py", "@halved\n", ""),
    ("policy.py", "power=2", "power=3"),
    ("policy.py", 'NAMES["last"]', 'NAMES["first"]'),
    ("policy.py", "** power + offset", "** power - offset"),
    ("policy.py", "< limit + EPS", "<= limit + EPS"),
    ("policy.py", "floor = 0", "floor = 1"),
    ("policy.py", "def lowest(self, values)", "def lowest(self, values, *, unused=0)"),
    ("policy.py", "* second.FACTOR", "+ second.FACTOR"),
    ("policy.py", "@dataclass(kw_only=True)", "@dataclass"),
    ("policy.py", "class TopN(Base)", "class TopN"),
    ("policy.py", "n_top: int", "n_top: int = 3"),
    ("policy.py", "chance_of(0.125)", "chance_of(0.25)"),
    ("policy.py", "[1, 2, 3]", "[1, 2, 4]"),
    ("policy.py", "    @property\n    def share", "    def share"),
    ("policy.py", "1 / self.n_top", "2 / self.n_top"),
    ("policy.py", "values, context, rng", "values, other, rng"),
    ("policy.py", "np.argsort(-spread", "np.argsort(spread"),
    ("policy.py", "if self.chance(rng)", "if not self.chance(rng)"),
    ("policy.py", "WEIGHTS.sum()", "WEIGHTS.max()"),
    ("policy.py", "explored=arm != top[0]", "explored=arm == top[0]"),
    ("policy.py", "n_top=3", "n_top=4"),
    ("policy.py", "n_top=n_top", "n_top=2"),
    ("policy.py", "LogisticOracle()", "LogisticOracle(C=2)"),
    ("policy.py", "MABFirst(a=1, b=2)", "MABFirst(a=1, b=3)"),
    ("policy.py", 'name="Top"', 'name="Best"'),
    ("second.py", "FACTOR = 3", "FACTOR = 4"),
    ("second.py", "_deep = 7", "_deep = 8"),
    ("second.py", "deeper(values.size)", "deeper(values.size + 1)"),
    ("second.py", "math.sqrt", "math.log"),
    ("second.py", "third.LAST", "-third.LAST"),
    ("third.py", "LAST = 11", "LAST = 12"),
]
# What needs no key of its own.
NO_CHANGES = [
    ("policy.py", "# How many of the best", "# So many of the best"),
    ("policy.py", "\n\n\nclass Base", "\n\n\n\n\nclass Base"),
    ("second.py", '"unused"', '"unused too"'),
]
MODULES = {"policy.py": POLICY, "second.py": SECOND, "third.py": THIRD}


def import_from(folder, sources, monkeypatch):
    """Write the modules into a folder and import the policy from there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in sources.items():
        (folder / name).write_text(source)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    for name in ("policy", "second", "third"):
        sys.modules.pop(name, None)
    return importlib.import_module("policy")


@pytest.fixture(autouse=True)
def no_module_stays():
    yield
    for name in ("policy", "second", "third"):
        sys.modules.pop(name, None)


@pytest.fixture
def key_with(tmp_path, monkeypatch):
    """Return the key of the policy after one change."""

    def key(file=None, old="", new=""):
        sources = dict(MODULES)
        if file is not None:
            assert sources[file].count(old) == 1, f"{old!r} is not in {file} once"
            sources[file] = sources[file].replace(old, new)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        return fingerprint(import_from(folder, sources, monkeypatch).top_n)

    return key


@pytest.mark.parametrize("file, old, new", CHANGES, ids=[old.strip() for _, old, _ in CHANGES])
def test_a_change_of_any_line_that_is_reached_changes_the_key(key_with, file, old, new):
    assert key_with(file, old, new) != key_with()


def test_the_changes_cover_every_line_of_code_that_is_reached():
    changed = {file: set() for file in MODULES}
    for file, old, _ in CHANGES:
        start = MODULES[file].index(old)
        first = MODULES[file][:start].count("\n")
        changed[file] |= {first + extra for extra in range(old.rstrip("\n").count("\n") + 1)}
    for file, source in MODULES.items():
        for number, line in enumerate(source.splitlines()):
            code = line.split("#")[0].strip()
            needless = not code or code.startswith(("import ", "from ")) or "unused" in code
            # Heads and passing-on, without which the changed lines would not run at all.
            structure = code.startswith(("def ", "return inner", "class Base", "not_reached"))
            assert needless or structure or number in changed[file], f"{file}: {line}"


@pytest.mark.parametrize("file, old, new", NO_CHANGES)
def test_comments_blank_lines_and_what_is_not_reached_do_not_count(key_with, file, old, new):
    assert key_with(file, old, new) == key_with()


def test_keys_are_the_same_in_another_folder_process_and_hash_seed(key_with, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name, source in MODULES.items():
        (folder / name).write_text(source + SETS * (name == "policy.py"))
    show = "import policy; from cbkit.experiments.fingerprint import fingerprint as f; "
    show += "print(f(policy.top_n), f(policy.with_sets))"
    keys = {
        subprocess.run(
            [sys.executable, "-c", show],
            cwd=folder,
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(keys) == 1 and keys.pop().split()[0] == key_with()


SETS = """

LETTERS = {"a", "b", "c", "d"}
FROZEN = frozenset(LETTERS)


def with_sets(x, kinds=frozenset({"x", "y", "z"})):
    return x in LETTERS or x in FROZEN or x in {"p", "q", "r"} or kinds
"""


def test_running_the_code_does_not_change_its_key(key_with, tmp_path, monkeypatch):
    policy = import_from(tmp_path / "run", MODULES, monkeypatch)
    before = fingerprint(policy.top_n)
    for _ in range(3000):  # long enough for Python to specialise the bytecode
        policy.spread(np.ones(2))
        policy.TopN(n_top=1).lowest(np.ones(2))
    assert fingerprint(policy.top_n) == before


def defined(source, **names):
    """Return what source defines, as at a prompt: there is no file."""
    namespace = {"__name__": "__main__", **names}
    exec(textwrap.dedent(source), namespace)
    return namespace


@pytest.mark.parametrize(
    "source, old, new",
    [
        ("LIMIT = 3\ndef f(x): return x < LIMIT", "3", "4"),
        ("def g(x): return x + 1\ndef f(x): return g(x)", "+", "-"),
        ("f = lambda x: x + 1", "1", "2"),
        ("def f(x):\n  def g(y): return y * 2\n  return g(x)", "2", "3"),
        ("class A:\n  K = 1\nclass B(A): pass\ndef f(x): return B()", "1", "2"),
        ("class M(type):\n  K = 1\nclass B(metaclass=M): pass\ndef f(x): return B()", "1", "2"),
        ("class A:\n  def __call__(self): return 1\nf = A()", "1", "2"),
        ("class A:\n  def __init__(self): self.x = 1\nf = A()", "1", "2"),
        ("class A:\n  __slots__ = ('x',)\n  def __init__(self): self.x = 1\nf = A()", "1", "2"),
        ("class A:\n  def go(self): return 1\nf = A().go", "1", "2"),
        ("class A:\n  @classmethod\n  def go(cls): return 1\nf = A.go", "1", "2"),
        ("from functools import cache\n@cache\ndef f(x): return 1", "1", "2"),
        (
            "from functools import singledispatch\n@singledispatch\ndef f(x): return 0\n"
            "@f.register\ndef _(x: int): return 1",
            "1",
            "2",
        ),
        (
            "from contextlib import contextmanager\n@contextmanager\ndef f(x): yield 1",
            "1",
            "2",
        ),
        ("from enum import Enum\nclass E(Enum):\n  A = 1\ndef f(x): return E.A", "1", "2"),
        (
            "from typing import NamedTuple\nclass N(NamedTuple):\n  x: int = 1\n"
            "def f(x): return N()",
            "1",
            "2",
        ),
        ("f = [1, (2, {'a': {3, 4}})]", "4", "5"),
        ("import numpy as np\nA = np.zeros(10**6)\nA[7] = 1\ndef f(x): return A", "1", "2"),
        ("import re\nP = re.compile('a1')\ndef f(x): return P.match(x)", "1", "2"),
        ("def f(x):\n  try: return x\n  except KeyError: return 1", "Key", "Index"),
        ("async def f(x): return 1", "1", "2"),
        ("def f(x, *, y=1): return y", "1", "2"),
        ("def f(x, y=[1]): return y", "1", "2"),
        ("def f(x): return x[1:2]", "2", "3"),
        ("def f(x): return (1, 2)", "(1, 2)", "[1, 2]"),
        ("A = (1, 2)\ndef f(x): return A", "(1, 2)", "[1, 2]"),
        ("A = True\ndef f(x): return A", "True", "1"),
        ("def f(x): return True", "True", "1"),
        ("def f(x): return 1", "1", "1.0"),
        ("def f(x): return 0.0", "0.0", "-0.0"),
    ],
)
def test_code_without_a_file_is_known_by_what_it_does(source, old, new):
    position = source.rindex(old)
    changed = source[:position] + new + source[position + len(old) :]
    assert fingerprint(defined(source)["f"]) == fingerprint(defined(source)["f"])
    assert fingerprint(defined(source)["f"]) != fingerprint(defined(changed)["f"])


def test_code_that_refers_to_itself_has_a_key():
    source = """
        class Node:
            def __init__(self): self.me = self
            def copy(self): return super().__init__() or Node() or even(LIMIT)
        LIMIT = [1]
        LIMIT.append(LIMIT)
        def even(x): return x == 0 or odd(x - 1)
        def odd(x): return x != 0 and even(x - 1)
    """
    first, second = defined(source), defined(source)
    for name in ("Node", "LIMIT", "even", "odd"):
        assert fingerprint(first[name]) == fingerprint(second[name])
    assert fingerprint(first["Node"]()) == fingerprint(second["Node"]())
    other = defined(source.replace("x != 0", "x > 0"))
    assert fingerprint(first["Node"]) != fingerprint(other["Node"])


@dataclass
class Settings:
    eps: float
    names: dict


@pytest.mark.parametrize(
    "one, other",
    [
        (1, "1"),
        ([1, 2], [2, 1]),
        (np.arange(3), np.arange(4)),
        (np.arange(3), np.arange(3.0)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.array(["a", None], object), np.array(["b", None], object)),
        (sparse.eye_array(3), 2 * sparse.eye_array(3)),
        (pd.DataFrame({"a": [1], "b": ["x"]}), pd.DataFrame({"a": [1], "b": ["y"]})),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
        (pd.Series([1, 2]), pd.Series([1, 2], index=[1, 0])),
        (Settings(0.1, {}), Settings(0.2, {})),
        (Settings(0.1, {"a": 1}), Settings(0.1, {"a": 2})),
        (functools.partial(int, base=2), functools.partial(int, base=3)),
        (functools.partial(max, 2), functools.partial(max, 3)),
        (len, max),
        (np.random.default_rng(0), np.random.default_rng(1)),
        (b"a", b"b"),
        ({1: 2}, {1: 3}),
        (None, False),
        ("a", ["a"]),
    ],
)
def test_other_content_has_another_fingerprint(one, other):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(one)


def test_the_order_of_keywords_and_memory_layout_do_not_count():
    assert fingerprint({"a": 1, "b": {"c": 2, "d": 3}}) == fingerprint(
        {"b": {"d": 3, "c": 2}, "a": 1}
    )
    assert fingerprint(functools.partial(int, a=1, b=2)) == fingerprint(
        functools.partial(int, b=2, a=1)
    )
    square = np.arange(9.0).reshape(3, 3)
    assert fingerprint(square) == fingerprint(np.asfortranarray(square))
    assert fingerprint(np.float64(0.5)) == fingerprint(0.5)


def test_installed_code_is_known_by_its_name():
    assert describe(len) == {"installed": "builtins:len"}
    assert describe(Experiment) == {"installed": "cbkit.experiments.experiment:Experiment"}


@pytest.mark.parametrize("value", [threading.Lock(), sys.stderr, (x for x in "ab")])
def test_what_cannot_be_told_is_refused_with_what_to_write_instead(value):
    def policy(dataset):
        return value

    with pytest.raises(ValueError, match=r"cannot be told.*make it inside the function") as refusal:
        fingerprint(policy)
    assert "policy -> value" in str(refusal.value)


def test_an_edited_helper_runs_the_grid_again(tmp_path, monkeypatch):
    def rewards(sources):
        module = import_from(tmp_path / str(len(list(tmp_path.iterdir()))), sources, monkeypatch)
        experiment = Experiment(
            datasets=["demo"],
            policies={"mine": module.top_n},
            folder=tmp_path / "runs",
            n_rounds=300,
            n_replicates=1,
        )
        return run_experiment(experiment).finals["mean_reward"].item()

    first = rewards(MODULES)
    edited = MODULES | {"policy.py": POLICY.replace("np.argsort(-spread", "np.argsort(spread")}
    assert rewards(edited) != first
    assert rewards(MODULES) == first
    assert len(list((tmp_path / "runs" / "tasks").glob("*.parquet"))) == 2


MINE = """
from cbkit import make_policy
NAME = "RandomArm"


def mine(dataset):
    return make_policy(NAME, dataset)
"""


def test_workers_that_have_other_code_than_the_plan_do_not_run_it(tmp_path, monkeypatch):
    get_reusable_executor().shutdown()  # workers of earlier tests do not find the module
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module("mine")
    monkeypatch.setattr(module, "NAME", "BestArmInHindsight")  # the file keeps the other
    experiment = Experiment(
        datasets=["demo"],
        policies={"mine": module.mine, "best": "BestArmInHindsight"},
        folder=tmp_path / "runs",
        n_rounds=100,
        n_replicates=2,
    )
    run_experiment(replace(experiment, policies=["RandomArm"]), n_jobs=2)  # workers without a path
    with pytest.warns(UserWarning, match="the workers have other code than this process"):
        finals = run_experiment(experiment, n_jobs=2).finals
    by_policy = finals.groupby("policy")["mean_reward"].apply(list)
    assert by_policy["mine"] == by_policy["best"]
    sys.modules.pop("mine")


def test_workers_find_a_module_in_a_folder_that_was_not_there_when_they_looked(
    tmp_path, monkeypatch
):
    get_reusable_executor().shutdown()
    late = tmp_path / "late"
    (tmp_path / "early.py").write_text(
        "from cbkit import RandomArm\n\n"
        "def looks(dataset):\n"
        "    import importlib.util\n"
        "    assert importlib.util.find_spec('my_late') is None\n"
        "    return RandomArm(dataset.n_arms)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(late)
    experiment = Experiment(
        datasets=["demo"],
        policies={"looks": importlib.import_module("early").looks},
        folder=tmp_path / "runs",
        n_rounds=5,
        n_replicates=4,
    )
    assert run_experiment(experiment, n_jobs=2).failures.empty
    late.mkdir()
    (late / "my_late.py").write_text(MINE)
    importlib.invalidate_caches()
    mine = importlib.import_module("my_late").mine
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # of workers with other code
        results = run_experiment(replace(experiment, policies={"mine": mine}), n_jobs=2)
    assert results.failures.empty
    for name in ("early", "my_late"):
        sys.modules.pop(name)
