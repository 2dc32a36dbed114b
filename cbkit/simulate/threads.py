"""Linear algebra on one thread, which is quickest for products as small as those of a round."""

from __future__ import annotations

import functools
import sys
from contextlib import AbstractContextManager

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which linear algebra stays on one thread.

    Libraries are looked for again only after an import: that takes longer than a short run.
    """
    return _controller(len(sys.modules)).limit(limits=1)


@functools.lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    return ThreadpoolController()
