"""One event loop on a thread of its own, for callers that are not asynchronous.

It runs all the time: terminals are read and limits are watched while the caller thinks. All environments of a process
share it.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop, started at the first call."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="caretgym-loop", daemon=True).start()
            _loop = loop
        return _loop


def call(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop and wait for it. Ctrl-C cancels it, waits for its clean-up, and is raised again."""
    future = asyncio.run_coroutine_threadsafe(work, background_loop())
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise


def _after_fork() -> None:
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
