"""``ServerPool``: which process answers for which session, and when it is stopped. One pool for each event loop."""

import asyncio
import contextlib
import time
import weakref
from pathlib import Path

import msgspec

from caretgym.ide_sim.lsp.host import ServerHost
from caretgym.ide_sim.lsp.locate import Located

IDLE_S = 120.0
"""How long a server that nobody asks is kept warm."""
MEMORY_MB = 8192
"""What all servers of a pool may use together; above it, those that nobody asks now are stopped, the idlest first."""
_LOOK_S = 1.0

_pools: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, ServerPool]" = weakref.WeakKeyDictionary()


class ServerPool:
    """Shares servers among sessions.

    Args:
        idle_s: See :data:`IDLE_S`.
        memory_mb: See :data:`MEMORY_MB`.

    """

    def __init__(self, *, idle_s: float = IDLE_S, memory_mb: int = MEMORY_MB) -> None:
        self.idle_s, self.memory_mb = idle_s, memory_mb
        self._hosts: dict[str, ServerHost] = {}
        self._keeper: asyncio.Task[None] | None = None

    @classmethod
    def current(cls) -> "ServerPool":
        """The running loop's pool. It ends with the loop: its keeper's cancellation stops every server."""
        loop = asyncio.get_running_loop()
        if loop not in _pools:
            _pools[loop] = cls()
        return _pools[loop]

    @property
    def hosts(self) -> list[ServerHost]:
        """All, also those that do not run at present."""
        return list(self._hosts.values())

    def take(
        self, located: Located, base: Path, tree_id: str, site_packages: Path | None, private: str = ""
    ) -> ServerHost:
        """The host for a session; give it back with :meth:`release`.

        Args:
            located: The server, with its settings.
            base: The session's base tree.
            tree_id: What identifies it.
            site_packages: Python packages.
            private: A name that only this session has, if it is to have a process of its own.

        """
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(self._keep(), name="caretgym-server-pool")
        identity = msgspec.json.encode(located.spec).decode()
        key = "\0".join((located.version, identity, str(base), tree_id, str(site_packages), private))
        host = self._hosts.get(key)
        if host is None:
            host = self._hosts[key] = ServerHost(located, base, site_packages)
        host.sessions += 1
        return host

    async def release(self, host: ServerHost, *, stop: bool = False) -> None:
        """A session needs it no more. ``stop``: nobody else will."""
        host.sessions -= 1
        host.used_at = time.monotonic()
        if stop and host.sessions <= 0:
            self._drop(host)
            await host.stop()

    def _drop(self, host: ServerHost) -> None:
        for key in [k for k, h in self._hosts.items() if h is host]:
            del self._hosts[key]

    async def stop_idle(self, idle_s: float = 0.0) -> int:
        """Stop servers that nobody has asked for that long; those without sessions are forgotten. Returns how many."""
        stopped = 0
        for host in self.hosts:
            if host.busy or time.monotonic() - host.used_at < idle_s:
                continue
            if host.sessions <= 0:
                self._drop(host)
            if host.running:
                stopped += 1
                await host.stop()
        return stopped

    async def stop_unused(self) -> None:
        """Stop and forget servers that no session has."""
        for host in [h for h in self.hosts if h.sessions <= 0]:
            self._drop(host)
            await host.stop()

    async def close(self) -> None:
        """Stop everything at once."""
        hosts, self._hosts = self.hosts, {}
        for host in hosts:
            await host.stop_now()
        keeper, self._keeper = self._keeper, None
        if keeper is not None and keeper is not asyncio.current_task():
            keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeper

    def memory_used_mb(self) -> dict[ServerHost, float]:
        """Resident memory of each running host's processes, MiB."""
        return {host: _tree_memory(host.host_pid) for host in self.hosts if host.running and host.host_pid}

    async def _keep(self) -> None:
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                await self.stop_idle(self.idle_s)
                await self._shrink()
        finally:
            await self.close()

    async def _shrink(self) -> None:
        used = await asyncio.to_thread(self.memory_used_mb)
        total = sum(used.values())
        for host in sorted(used, key=lambda h: h.used_at):
            if total <= self.memory_mb:
                return
            if not host.busy:
                total -= used[host]
                await host.stop()


def _tree_memory(pid: int) -> float:
    """Resident memory of a process and all below it, MiB, shared pages counted once for each sharer's part (PSS)."""
    total, todo = 0, [pid]
    while todo:
        process = todo.pop()
        with contextlib.suppress(OSError, ValueError):  # gone meanwhile
            todo += [int(p) for p in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 1024
