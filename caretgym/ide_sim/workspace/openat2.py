"""The Linux system call openat2(2), which glibc does not wrap: open a path without ever leaving a directory."""

import ctypes
import errno
import functools
import os
import platform

RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08
CONFINED = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS
"""Symbolic links are followed as long as they stay beneath the directory."""

_NUMBERS = {"x86_64": 437, "aarch64": 437, "arm64": 437, "riscv64": 437, "ppc64le": 437, "s390x": 437}
_NUMBER = _NUMBERS.get(platform.machine())
_syscall = ctypes.CDLL(None, use_errno=True).syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]


class Openat2Unavailable(RuntimeError):
    """This kernel or container has no openat2 (Linux 5.6 and newer have it; some seccomp filters refuse it)."""

    def __init__(self, why: str) -> None:
        super().__init__(f"caretgym confines file access with openat2(2): {why}. It needs Linux 5.6 or newer.")


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@functools.lru_cache(maxsize=64)
def _how(flags: int, mode: int, resolve: int) -> tuple[_OpenHow, int]:
    how = _OpenHow(flags, mode, resolve)  # the kernel only reads it, so one copy serves every call
    return how, ctypes.addressof(how)


def openat2(directory: int, path: bytes, flags: int, *, mode: int = 0, resolve: int = CONFINED) -> int:
    """Open `path` relative to the descriptor `directory` and return a descriptor, close-on-exec.

    Raises OSError: EXDEV when resolution would leave the directory, ELOOP for a forbidden or endless link, EAGAIN when
    a rename raced with `..`; Openat2Unavailable when the kernel lacks the call.
    """
    if _NUMBER is None:
        raise Openat2Unavailable(f"its number is not known for {platform.machine()}")
    _, address = _how(flags | os.O_CLOEXEC, mode, resolve)
    while True:
        descriptor = _syscall(_NUMBER, directory, path, address, ctypes.sizeof(_OpenHow))
        if descriptor >= 0:
            return int(descriptor)
        code = ctypes.get_errno()
        if code == errno.ENOSYS:
            raise Openat2Unavailable("the kernel does not have it")
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code), os.fsdecode(path))


def check_available(directory: int) -> None:
    """Raise Openat2Unavailable unless `directory` can be opened through openat2."""
    try:
        os.close(openat2(directory, b".", os.O_PATH | os.O_DIRECTORY))
    except PermissionError as error:
        if error.errno == errno.EPERM:  # how seccomp filters of container engines refuse a call
            raise Openat2Unavailable("a seccomp filter refuses it") from error
        raise
