"""The files through which an agent sees terminals (TF-1…4), and spilled outputs (SH-6).

They lie in a folder of this host that the sandbox shows read-only at the place where the emulated editor has it.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

REWRITE_MS = 5000
"""How often ``running_for_ms`` is brought up to date (TF-3)."""
MAX_FILE_BYTES = 4 << 20
"""Output kept in one terminal file; the rest is counted in a closing line."""


def iso(moment: datetime) -> str:
    """A UTC moment with milliseconds and a Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def _one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text or "\r" in text else text


class JobFile:
    """The file of one agent shell (TF-3): a header that is rewritten in place, the output, a footer at the end.

    Args:
        path: Where, on this host.
        now: The session's clock.

    """

    def __init__(
        self, path: Path, *, pid: int, cwd: str, command: str, title: str | None, started: datetime,
        now: Callable[[], datetime],
    ) -> None:  # fmt: skip
        self.path = path
        self._started, self._now = started, now
        self._written = 0
        self._shown_ms = 0
        self._omitted = 0
        fields = [f"pid: {pid}", f"cwd: {cwd}", f"command: {_one_line(command)}"]
        if title:
            fields.append(f"title: {_one_line(title)}")
        self._prefix = "---\n" + "\n".join(fields) + "\n"
        self._file = path.open("xb")
        self._file.write(self._header("running", 0))
        self._file.flush()

    def _header(self, status: str, running_ms: int) -> bytes:
        # status and running_for_ms are padded, so that the header keeps its length
        text = f"{self._prefix}status: {status:<9}\nstarted_at: {iso(self._started)}\nrunning_for_ms: {running_ms:<10}\n---\n"
        return text.encode("utf-8", "replace")

    def elapsed_ms(self) -> int:
        """Milliseconds of the session's clock since the start."""
        return int((self._now() - self._started).total_seconds() * 1000)

    def write(self, text: str) -> None:
        """Append output."""
        data = text.encode("utf-8", "replace")
        room = MAX_FILE_BYTES - self._written
        if room > 0:
            kept = data[:room]
            if len(kept) < len(data):
                kept = kept.decode("utf-8", "ignore").encode()
            self._file.write(kept)
            self._file.flush()
            self._written += len(kept)
            self._omitted += len(data) - len(kept)
            if self._omitted:
                self._written = MAX_FILE_BYTES
        else:
            self._omitted += len(data)

    def refresh(self) -> None:
        """Bring ``running_for_ms`` up to date when it is :data:`REWRITE_MS` behind."""
        elapsed = self.elapsed_ms()
        if elapsed - self._shown_ms >= REWRITE_MS:
            self._shown_ms = elapsed
            self._rewrite("running", elapsed)

    def _rewrite(self, status: str, running_ms: int) -> None:
        self._file.flush()
        end = self._file.tell()
        self._file.seek(0)
        self._file.write(self._header(status, running_ms))
        self._file.seek(end)
        self._file.flush()

    def finish(
        self, *, exit_code: int | None, elapsed_ms: int, aborted: bool = False, error: str | None = None
    ) -> None:
        """Write the footer and the final status."""
        status = "aborted" if aborted else "succeeded" if exit_code == 0 and error is None else "failed"
        if self._omitted:
            self._file.write(f"\n... ({self._omitted} bytes omitted) ...\n".encode())
        outcome = f"error: {_one_line(error)}" if error is not None else f"exit_code: {exit_code}"
        footer = f"\n---\n{outcome}\nelapsed_ms: {elapsed_ms}\nended_at: {iso(self._now())}\n---\n"
        self._file.write(footer.encode("utf-8", "replace"))
        self._rewrite(status, elapsed_ms)
        self._file.close()

    def close(self) -> None:
        """Close without a footer (the session ends while the job runs)."""
        self._file.close()


def write_user_terminal(
    path: Path, *, pid: int, cwd: str, last_command: str, last_exit_code: int | None, output: str
) -> None:
    """Write the file of a terminal that the user has open in the editor (TF-2)."""
    code = "" if last_exit_code is None else str(last_exit_code)
    text = (
        f"---\npid: {pid}\ncwd: {cwd}\nlast_command: {_one_line(last_command)}\nlast_exit_code: {code}\n---\n{output}"
    )
    path.write_bytes(text.encode("utf-8", "replace"))
