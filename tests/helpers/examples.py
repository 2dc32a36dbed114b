"""The Python of a document, to be run as its readers would."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

PYTHON = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)


def examples(text: str) -> list[str]:
    """Return the Python blocks of a Markdown text."""
    return PYTHON.findall(text)


def run_examples(text: str, folder: Path) -> dict[str, Any]:
    """Run the blocks as one script in a folder of its own; return the names that it defines."""
    script = folder / "script.py"
    script.write_text("\n".join(examples(text)), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("CBKIT_OUTPUT", str(folder))
        return runpy.run_path(str(script))
