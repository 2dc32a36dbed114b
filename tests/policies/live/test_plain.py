"""The safe format: what it keeps, and what it refuses."""

import json
import zipfile

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from cbkit import (
    Choice,
    ContextTransform,
    EpsilonGreedy,
    ForestOracle,
    Greedy,
    LogisticOracle,
    MABFirst,
    MultilabelDataset,
    Policy,
    load_policy,
    make_policy,
    policy_names,
    save_policy,
)
from cbkit.policies.live.plain import NotPlainError, PlainWriter, read_plain
from cbkit.policies.registry import policy_parameters

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 4))
REWARDS = (X @ rng.normal(size=(4, 3)) > 0.3).astype(int)
DATA = MultilabelDataset.from_arrays(X, REWARDS, name="planted")
QUICK = MABFirst(a=1, b=1, m=1)


def play(policy, rows, draws, contexts=X):
    """Play rows in blocks, leaving some decisions without their rewards; return all."""
    chosen = []
    for block in np.array_split(rows, 3):
        decisions = policy.select(contexts[block], draws, return_decisions=True)
        arms = [decision.arm for decision in decisions]
        policy.update(decisions[:-1], REWARDS[block, arms][:-1], draws)
        chosen += decisions
    return repr(chosen)  # in which NaN is NaN


def make(name):
    quick = {"cold_start": QUICK} if "oracle" in policy_parameters(name) else {}
    if name in ("ContextualAdaptiveGreedy2", "ActiveAdaptiveGreedy"):
        quick |= {"window": 20}
    return make_policy(name, DATA, **quick)


@pytest.mark.parametrize("contexts", [X, sparse.csr_array(X * (X > 0))], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", policy_names())
def test_every_policy_goes_on_from_a_safe_file_as_if_it_had_never_stopped(name, contexts, tmp_path):
    policy = make(name)
    play(policy, np.arange(120), np.random.default_rng(1), contexts)
    loaded = load_policy(save_policy(policy, tmp_path / "a.policy"))
    assert repr(loaded) == repr(policy)
    assert repr(loaded.pending) == repr(policy.pending)
    assert loaded.n_fitted_arms == policy.n_fitted_arms
    later = np.arange(120, 240)
    played = [play(p, later, np.random.default_rng(2), contexts) for p in (policy, loaded)]
    assert played[0] == played[1]
    for arm in range(3):
        if policy.oracle is not None and not policy.oracle.streaming:
            kept = [p.history_.observations(arm) for p in (policy, loaded)]
            assert (kept[0][0] != kept[1][0]).sum() == 0 and kept[0][1].tolist() == kept[1][
                1
            ].tolist()


@pytest.mark.parametrize("oracle", ["streaming-logistic", "streaming-laplace", "logistic"])
def test_oracles_by_name_go_on_too(oracle, tmp_path):
    policy = make_policy("OnlineBootstrappedTS", DATA, oracle=oracle, kept=False, cold_start=QUICK)
    play(policy, np.arange(120), np.random.default_rng(1))
    loaded = load_policy(save_policy(policy, tmp_path / "a.policy"))
    later = np.arange(120, 240)
    assert play(policy, later, np.random.default_rng(2)) == play(
        loaded, later, np.random.default_rng(2)
    )


def test_arms_that_came_and_went_are_kept(tmp_path):
    policy = Greedy(["hats", "shoes", "coats"], cold_start=MABFirst(a=[1, 2, 3], b=2, m=1))
    policy.add_arm("ties", a=4.0)
    policy.drop_arm("hats")
    loaded = load_policy(save_policy(policy, tmp_path / "a.policy"))
    assert loaded.arm_names == ("shoes", "coats", "ties")
    assert loaded.cold_start_.mab_first.a.tolist() == [2, 3, 4]
    with pytest.raises(ValueError, match="was dropped"):
        loaded.add_arm("hats")


class FirstArm:
    """A chooser of one's own."""

    def choose(self, values, context, rng):
        return Choice(0, explored=False, propensity=1.0)


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        (EpsilonGreedy(3, oracle=SGDClassifier(loss="log_loss")), "oracle.classifier is a SGDC"),
        (Greedy(3, oracle=ForestOracle(forest=ExtraTreesClassifier(5))), "ExtraTreesClassifier"),
        (Policy(n_arms=3, oracle=LogisticOracle(), chooser=FirstArm()), "chooser is a FirstArm"),
        (
            Policy(
                n_arms=3,
                oracle=LogisticOracle(),
                context_transform=ContextTransform(transformer=StandardScaler()),
            ),
            "context_transform.transformer is a StandardScaler",
        ),
    ],
)
def test_what_has_no_safe_form_is_named_and_pickled_if_asked(policy, what, tmp_path):
    with pytest.raises(ValueError, match=what) as refused:
        save_policy(policy, tmp_path / "a.policy")
    assert 'format="pickle"' in str(refused.value)
    assert not list(tmp_path.iterdir())
    path = save_policy(policy, tmp_path / "a.policy", format="pickle")
    loaded = load_policy(path, allow_pickle=True)
    assert loaded.get_params().keys() == policy.get_params().keys()


class Spy:
    """Touches a file as it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_a_pickle_is_not_read_unless_allowed(tmp_path):
    touched = tmp_path / "touched"
    policy = Greedy(3)
    policy.chooser.spy = Spy(touched)
    path = save_policy(policy, tmp_path / "a.policy", format="pickle")
    with pytest.raises(ValueError, match="can run any code"):
        load_policy(path)
    assert not touched.exists()
    load_policy(path, allow_pickle=True).chooser.spy.close()
    assert touched.exists()


def test_another_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match='format must be "safe" or "pickle", got \'json\''):
        save_policy(Greedy(3), tmp_path / "a.policy", format="json")


# --- hostile files


@pytest.fixture
def tampered(tmp_path):
    """Change parts of a saved policy's archive, and give its path."""
    policy = Greedy(3, cold_start=QUICK)
    play(policy, np.arange(120), np.random.default_rng(1))
    path = save_policy(policy, tmp_path / "a.policy")
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}

    def change(compression=zipfile.ZIP_STORED, policy=None, **changes):
        changed = parts | {name.replace("_json", ".json"): text for name, text in changes.items()}
        if policy is not None:
            content = json.loads(parts["policy.json"])
            policy(content)
            changed["policy.json"] = json.dumps(content)
        with zipfile.ZipFile(path, "w", compression) as file:
            for name, text in changed.items():
                file.writestr(name, text)
        return path

    return change


def node_of(content, kind, name=""):
    return next(node for node in content["nodes"] if node[0] == kind and name in str(node[1]))


def rename(attribute, other):
    def change(content):
        [pair] = [p for p in node_of(content, "object", ":Policy")[2] if p[0] == attribute]
        pair[0] = other

    return change


def replace(kind, at, value, name=""):
    def change(content):
        node_of(content, kind, name)[at] = value

    return change


HOSTILE = {
    "a class of another package": replace("object", 1, "subprocess:Popen", ":Policy"),
    "a class of another room": replace("object", 1, "cbkit.workbook.notebook:Study", ":Policy"),
    "a class that a module imports": replace("object", 1, "cbkit.policies.policy:Any", ":Policy"),
    "a function for a class": replace("object", 1, "cbkit.policies.registry:make_policy"),
    "a module that is not there": replace("object", 1, "cbkit.policies.absent:Policy"),
    "a function": lambda content: content["nodes"].insert(
        0, ["function", "cbkit.policies.live.saving:load_policy"]
    ),
    "a kind of node": replace("object", 0, "call"),
    "a special method": rename("n_arms", "__class__"),
    "a method for data": rename("n_refits_", "select"),
    "a property for data": rename("n_refits_", "is_fresh"),
    "a missing attribute": rename("n_arms", "n_harms"),
    "a later node": replace("list", 1, [[10**6]]),
    "a negative node": replace("list", 1, [[-1]]),
    "numbers beyond the array": replace("array", 3, [10**9]),
    "a negative shape": replace("array", 3, [-5, -5]),
    "a negative start": replace("array", 2, -1),
    "no nodes": lambda content: content.pop("nodes"),
    "another root": lambda content: content.update(root=[0]),
    "text for a root": lambda content: content.update(root="policy"),
    "fewer arms": lambda content: next(
        pair for pair in node_of(content, "object", ":Policy")[2] if pair[0] == "n_arms"
    ).__setitem__(1, 2),
    "more features": lambda content: next(
        pair for pair in node_of(content, "object", ":Policy")[2] if pair[0] == "n_features_"
    ).__setitem__(1, 10**9),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_content_is_refused_in_words(case, tampered):
    path = tampered(policy=HOSTILE[case])
    with pytest.raises(ValueError, match=r"a\.policy"):
        load_policy(path)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"../outside": b"x"}, "has other parts"),
        ({"more_json": "{}"}, "has other parts"),
        ({"|O": b"x" * 8}, "has other parts"),
        ({"policy_json": "[" * 100_000}, "not a policy that was saved whole"),
        ({"policy_json": "[]"}, "no policy that can go on"),
        ({"policy_json": b"\xff"}, "not a policy that was saved whole"),
        ({"about_json": " " * 10**6}, "not a policy that was saved whole"),
        ({"about_json": '{"format": "cbkit policy", "version": 1, "result_version": 9}'}, "of the"),
        ({"<f8": b"x" * 7}, r"a\.policy"),
        ({"compression": zipfile.ZIP_DEFLATED}, "is compressed"),
    ],
)
def test_a_hostile_archive_is_refused_in_words(changes, match, tampered):
    with pytest.raises(ValueError, match=match):
        load_policy(tampered(**changes))


def test_parts_that_refer_to_each_other_too_often_are_refused():
    nodes = [["list", [1, 2]]] + [["list", [[at]] * 10] for at in range(12)]
    with pytest.raises(NotPlainError, match="too often"):
        read_plain(nodes, {}, [len(nodes) - 1])


def test_what_contains_itself_is_refused():
    content = [1]
    content.append(content)
    with pytest.raises(NotPlainError, match="contains itself"):
        PlainWriter().write(content)


def test_what_is_shared_stays_shared_and_arrays_keep_their_order():
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    writer = PlainWriter()
    root = writer.write({"a": table, "b": [table, np.float64(0.1), float("nan")]})
    content = read_plain(json.loads(json.dumps(writer.nodes)), writer.arrays(), root)
    assert content["a"] is content["b"][0]
    assert content["a"].flags.f_contiguous and content["a"].flags.writeable
    np.testing.assert_array_equal(content["a"], table)
    assert type(content["b"][1]) is np.float64 and np.isnan(content["b"][2])
