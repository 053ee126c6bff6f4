"""What a sandbox's file system looks like, as options of ``bwrap``.

The order matters: bwrap carries its operations out one by one.
"""

from collections.abc import Iterator
from pathlib import Path

from caretgym.ide_sim.sandbox import runtime
from caretgym.ide_sim.sandbox.base import HOME, WORKSPACE, SandboxSpec

INIT = "/run/caretgym/init.pyc"
LAYERS = "/run/caretgym/layers"
UPPER = "/run/caretgym/upper"
RIPGREP = "/run/caretgym/rg"
_MIB = 1 << 20


def mount_options(spec: SandboxSpec, upper: Path | None) -> list[str]:
    """The options that build the tree: ``/usr``, ``/etc``, ``/opt``, ``/tmp``, the home, layers and binds.

    Args:
        spec: What to show.
        upper: A host directory for the upper layer, or None for a tmpfs that pid 1 mounts.

    """
    prefix, _ = runtime.python_prefix()
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        host = Path("/", name)
        if host.is_symlink():
            options += ["--symlink", str(host.readlink()), str(host)]
        elif host.is_dir():
            options += ["--ro-bind", str(host), str(host)]
    options += ["--ro-bind", str(runtime.etc_directory()), "/etc"]
    for name in ("alternatives", "ld.so.cache", "ssl/certs"):
        if name != "ssl/certs":
            options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    options += ["--proc", "/proc", "--dev", "/dev"]
    options += ["--perms", "1777", "--size", str(spec.limits.tmp_mb * _MIB), "--tmpfs", "/tmp"]  # noqa: S108
    options += ["--dir", "/var", "--symlink", "/tmp", "/var/tmp", "--dir", HOME]  # noqa: S108
    if prefix == Path("/usr"):
        options += ["--dir", "/opt", "--symlink", "/usr", "/opt/python"]
    else:
        options += ["--ro-bind", str(prefix), "/opt/python"]
        options += ["--tmpfs", f"/opt/python/lib/{runtime.PYTHON}/site-packages"]
    options += ["--ro-bind", str(runtime.venv_directory()), "/opt/venv"]
    site = spec.site_packages or runtime.default_site_packages()
    options += ["--ro-bind", str(site), runtime.SITE_PACKAGES]
    options += ["--ro-bind", str(runtime.init_program()), INIT, "--ro-bind", str(runtime.ripgrep()), RIPGREP]
    options += ["--dir", WORKSPACE]
    for number, layer in enumerate(spec.layers):
        options += ["--ro-bind", str(layer), f"{LAYERS}/{number}"]
    if upper is not None:
        options += ["--bind", str(upper), UPPER]
    for inside, host in spec.binds.items():
        options += ["--ro-bind", str(host), inside]
    for inside, host in spec.writable_binds.items():
        options += ["--bind", str(host), inside]
    for path in _visible(spec.hidden, prefix):
        options += ["--tmpfs", path]
    return [*options, "--remount-ro", "/dev", "--remount-ro", "/"]


def _visible(hidden: tuple[Path, ...], prefix: Path) -> Iterator[str]:
    """Where host paths that must stay hidden would be seen inside."""
    package = Path(__file__).resolve().parents[2]
    for path in {package, *(p.resolve() for p in hidden)}:
        if path.is_relative_to("/usr"):
            yield str(path)
        elif path.is_relative_to(prefix) and not path.is_relative_to(prefix / "lib" / runtime.PYTHON / "site-packages"):
            yield str(Path("/opt/python") / path.relative_to(prefix))
