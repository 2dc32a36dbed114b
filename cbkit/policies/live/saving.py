"""Save a policy to a file and load it again, by the same version of its results.

A file is an archive of ``about.json`` and the policy: ``policy.json`` with the numbers of its
arrays in a file per dtype, or ``policy.pickle``. The former is not compressed, so that reading it
takes about as much memory as the file is long.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from cbkit._base.version import __version__
from cbkit.policies.live.plain import DTYPES, NotPlainError, PlainWriter, read_plain
from cbkit.policies.policy import Policy
from cbkit.policies.version import RESULT_VERSION

_ABOUT, _PLAIN, _PICKLE = "about.json", "policy.json", "policy.pickle"
_FORMAT = "cbkit policy"
_LONGEST_ABOUT = 10_000  # bytes
_DAMAGE = (  # all that reading a damaged archive raises
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RecursionError,
    RuntimeError,
    UnicodeDecodeError,
    json.JSONDecodeError,
)


def save_policy(
    policy: Policy, path: str | Path, *, format: Literal["safe", "pickle"] = "safe"
) -> Path:
    """Write a policy to a file: what it knows, its schedules, and decisions that wait for rewards.

    Parameters
    ----------
    policy : Policy
        With ``format="pickle"`` of named parts: a class of one's own must be importable where it
        is loaded.
    path : str or Path
        Where to; a file that is there is replaced at once, when the new one is whole.
    format : {"safe", "pickle"}, default="safe"
        Plain data and arrays, from which no code can run as it is loaded; or a pickle, which
        policies with classifiers, transformers or parts of one's own need.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If the policy holds something that the safe format has no form for.

    Examples
    --------
    >>> import tempfile
    >>> from cbkit import Greedy, load_policy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_policy(Greedy(["hats", "shoes"]), f"{folder}/shop.policy")
    ...     load_policy(path).arm_names
    ('hats', 'shoes')
    """
    if not isinstance(policy, Policy):
        raise ValueError(f"policy must be a Policy, got {type(policy).__name__}")
    if format not in ("safe", "pickle"):
        raise ValueError(f'format must be "safe" or "pickle", got {format!r}')
    path = Path(path).expanduser()
    about = {
        "format": _FORMAT,
        "version": __version__,
        "result_version": RESULT_VERSION,
        "name": policy.name,
    }
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    compression = zipfile.ZIP_STORED if format == "safe" else zipfile.ZIP_DEFLATED
    try:
        with zipfile.ZipFile(unfinished, "w", compression) as file:
            file.writestr(_ABOUT, json.dumps(about))
            (_write_plain if format == "safe" else _write_pickle)(file, policy)
        with unfinished.open("rb+") as stored:
            os.fsync(stored.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _write_plain(file: zipfile.ZipFile, policy: Policy) -> None:
    writer = PlainWriter()
    try:
        root = writer.write(policy)
    except NotPlainError as error:
        raise ValueError(
            f"{policy.name} cannot be saved in the safe format: {error}; write "
            'save_policy(..., format="pickle"), and load_policy(..., allow_pickle=True)'
        ) from error
    file.writestr(_PLAIN, json.dumps({"root": root, "nodes": writer.nodes}))
    for dtype, numbers in writer.arrays().items():
        with file.open(dtype, "w", force_zip64=True) as stream:
            stream.write(numbers.view(np.uint8).data)


def _write_pickle(file: zipfile.ZipFile, policy: Policy) -> None:
    with file.open(_PICKLE, "w", force_zip64=True) as stream:
        pickle.dump(policy, stream, protocol=pickle.HIGHEST_PROTOCOL)


def load_policy(path: str | Path, *, allow_pickle: bool = False) -> Policy:
    """Read a policy that `save_policy` wrote, which goes on as if it had never stopped.

    Parameters
    ----------
    path : str or Path
        The file.
    allow_pickle : bool, default=False
        Whether to read a pickle, which can run any code as it is read: allow it for files alone
        that you or people you trust have saved. Files in the safe format need no trust.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If the file is none of `save_policy`, is damaged, is of another version of the results, or
        is a pickle that was not allowed.
    """
    path = Path(path).expanduser()
    stored = io.BytesIO(path.read_bytes())
    try:
        with zipfile.ZipFile(stored) as file:
            about = _about(path, file)
            if about["result_version"] != RESULT_VERSION:
                raise ValueError(
                    f"{path} was saved by cbkit {about['version']}, version "
                    f"{about['result_version']} of the results, and this is version "
                    f"{RESULT_VERSION}, which would go on differently; load it with the cbkit "
                    "that saved it, or let a fresh policy learn from its log"
                )
            if _PICKLE not in file.namelist():
                policy = _read_plain(path, file)
            elif allow_pickle:
                policy = pickle.loads(file.read(_PICKLE))
            else:
                raise ValueError(
                    f"{path} holds a pickle, which can run any code as it is read; if you trust "
                    "whoever saved it, write load_policy(..., allow_pickle=True)"
                )
    except _DAMAGE as error:
        raise ValueError(f"{path} is not a policy that was saved whole: {error}") from error
    if not isinstance(policy, Policy):
        raise ValueError(f"{path} holds a {type(policy).__name__}, not a policy")
    return policy


def _about(path: Path, file: zipfile.ZipFile) -> dict[str, Any]:
    with file.open(_ABOUT) as stream:
        about = json.loads(stream.read(_LONGEST_ABOUT))
    expected = {"format", "version", "result_version"}
    if not isinstance(about, dict) or not expected <= set(about) or about["format"] != _FORMAT:
        raise ValueError(f"{path} is not a saved policy; save_policy writes such files")
    return about


def _read_plain(path: Path, file: zipfile.ZipFile) -> Any:
    members = {member.filename: member for member in file.infolist()}
    names = set(members) - {_ABOUT, _PLAIN}
    if not names <= DTYPES or len(members) != len(file.infolist()):
        raise ValueError(f"{path} is not a saved policy: it has other parts, or one of them twice")
    for name in (_PLAIN, *names):
        if members[name].compress_type != zipfile.ZIP_STORED:  # it may be far longer than the file
            raise ValueError(f"{path} is not a saved policy: its {name} is compressed")
    content = json.loads(file.read(_PLAIN))
    numbers = {name: file.read(name) for name in names}
    try:
        arrays = {name: np.frombuffer(numbers[name], np.dtype(name)) for name in names}
        policy = read_plain(content["nodes"], arrays, content["root"])
        if isinstance(policy, Policy):  # try whether its parts fit each other
            policy.scores(sparse.csr_array((1, policy.n_features_ or 1)))
    except Exception as error:
        raise ValueError(f"{path} holds no policy that can go on: {error}") from error
    return policy
