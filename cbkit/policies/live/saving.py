"""Save a policy to a file and load it again, by the same version of its results."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
import zlib
from pathlib import Path
from typing import Any

from cbkit._base.version import __version__
from cbkit.policies.policy import Policy
from cbkit.policies.version import RESULT_VERSION

_ABOUT, _POLICY = "about.json", "policy.pickle"
_FORMAT = "cbkit policy"
_DAMAGE = (  # all that reading a damaged archive raises
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    UnicodeDecodeError,
    json.JSONDecodeError,
)


def save_policy(policy: Policy, path: str | Path) -> Path:
    """Write a policy to a file: what it knows, its schedules, and decisions that wait for rewards.

    Parameters
    ----------
    policy : Policy
        Of named parts, as for pickle: a class of one's own must be importable where it is loaded.
    path : str or Path
        Where to; a file that is there is replaced at once, when the new one is whole.

    Returns
    -------
    Path
        The file.

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
    path = Path(path).expanduser()
    about = {
        "format": _FORMAT,
        "version": __version__,
        "result_version": RESULT_VERSION,
        "name": policy.name,
    }
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(_ABOUT, json.dumps(about))
            with file.open(_POLICY, "w", force_zip64=True) as stream:
                pickle.dump(policy, stream, protocol=pickle.HIGHEST_PROTOCOL)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def load_policy(path: str | Path) -> Policy:
    """Read a policy that `save_policy` wrote, which goes on as if it had never stopped.

    Parameters
    ----------
    path : str or Path
        The file. Load only what you or people you trust have saved: like any pickle, a file can
        hold code that runs as it is read.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If the file is none of `save_policy`, is damaged, or is of another version of the results.
    """
    path = Path(path).expanduser()
    stored = io.BytesIO(path.read_bytes())
    try:
        with zipfile.ZipFile(stored) as file:
            about = _about(path, json.loads(file.read(_ABOUT)))
            content = file.read(_POLICY)  # checks its checksum
    except _DAMAGE as error:
        raise ValueError(f"{path} is not a policy that was saved whole: {error}") from error
    if about["result_version"] != RESULT_VERSION:
        raise ValueError(
            f"{path} was saved by cbkit {about['version']}, version {about['result_version']} of "
            f"the results, and this is version {RESULT_VERSION}, which would go on differently; "
            "load it with the cbkit that saved it, or let a fresh policy learn from its log"
        )
    policy = pickle.loads(content)
    if not isinstance(policy, Policy):
        raise ValueError(f"{path} holds a {type(policy).__name__}, not a policy")
    return policy


def _about(path: Path, about: Any) -> dict[str, Any]:
    expected = {"format", "version", "result_version"}
    if not isinstance(about, dict) or not expected <= set(about) or about["format"] != _FORMAT:
        raise ValueError(f"{path} is not a saved policy; save_policy writes such files")
    return about
