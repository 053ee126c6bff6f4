"""The system-call filter of a sandbox, as a classic BPF program.

It refuses (EPERM) what lets a process change the machine rather than use it: new namespaces and mounts, kernel modules,
keyrings, tracing by perf and bpf, clocks, swap, reboot; and `TIOCSTI`, which would type into a terminal. Namespaces are
also checked in `clone`'s flags; `clone3`, whose flags a filter can't see, answers ENOSYS so that libc falls back.
"""

import platform
import struct

_LD, _JEQ, _JSET, _RET = 0x20, 0x15, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_TIOCSTI = 0x5412
_NAMESPACE_FLAGS = 0x7E020080  # CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET,TIME}

# number of each call on (x86_64, aarch64)
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "acct": (163, 89),
    "quotactl": (179, 60),
}
_ARCHITECTURES = {"x86_64": (0xC000003E, 0, {"clone": 56, "clone3": 435, "ioctl": 16}),
                  "aarch64": (0xC00000B7, 1, {"clone": 220, "clone3": 435, "ioctl": 29})}  # fmt: skip


def seccomp_program(machine: str | None = None) -> bytes:
    """The filter for this machine's architecture; empty for one that the table doesn't know.

    Returns:
        ``struct sock_filter`` entries, 8 bytes each, for ``PR_SET_SECCOMP``.

    """
    known = _ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        return b""
    audit, column, special = known
    refused = sorted(n for n in (numbers[column] for numbers in _REFUSED.values()) if n is not None)
    code: list[tuple[int, int, int, int]] = [
        (_LD, 0, 0, 4),  # architecture
        (_JEQ, 1, 0, audit),
        (_RET, 0, 0, _KILL),  # a foreign personality would renumber the calls
        (_LD, 0, 0, 0),  # system call number
    ]
    if audit == 0xC000003E:  # the x32 numbers reach the same calls
        code += [(0x35, 0, 1, 0x40000000), (_RET, 0, 0, _ERRNO | _ENOSYS)]
    code += [(_JEQ, 0, 1, special["clone3"]), (_RET, 0, 0, _ERRNO | _ENOSYS)]
    code += [
        (_JEQ, 0, 4, special["clone"]),
        (_LD, 0, 0, 16),  # low half of the first argument
        (_JSET, 0, 1, _NAMESPACE_FLAGS),
        (_RET, 0, 0, _ERRNO | _EPERM),
        (_RET, 0, 0, _ALLOW),
        (_JEQ, 0, 4, special["ioctl"]),
        (_LD, 0, 0, 24),  # low half of the second argument
        (_JEQ, 0, 1, _TIOCSTI),
        (_RET, 0, 0, _ERRNO | _EPERM),
        (_RET, 0, 0, _ALLOW),
    ]
    for number in refused:
        code += [(_JEQ, 0, 1, number), (_RET, 0, 0, _ERRNO | _EPERM)]
    code.append((_RET, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)
