"""Reading a JUnit XML report that untrusted code may have had a hand in."""

import os
import stat
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec

MAX_BYTES = 16 << 20


class ReportError(ValueError):
    """There is no usable report; the message says why."""


class TestReport(msgspec.Struct, frozen=True):
    """What the tests said: ids ``classname::name`` in the order of the report."""

    __test__ = False

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many tests there were."""
        return len(self.passed) + len(self.failed) + len(self.skipped)


def read_report(folder: Path, name: str) -> TestReport:
    """Read ``folder/name``.

    Raises:
        ReportError: missing, not a regular file, too large, not XML, or without tests.

    """
    try:
        fd = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ReportError(f"the report {name} was not written ({error.strerror})") from error
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise ReportError(f"the report {name} is not a regular file")
        if status.st_size > MAX_BYTES:
            raise ReportError(f"the report {name} has {status.st_size} bytes, at most {MAX_BYTES} are read")
        data = file.read()
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ReportError(f"the report {name} declares entities, which no test runner writes")
    try:
        root = ET.fromstring(data)  # noqa: S314 - entities are refused above
    except ET.ParseError as error:
        raise ReportError(f"the report {name} is not XML: {error}") from error
    passed, failed, skipped = [], [], []
    for case in root.iter("testcase"):
        ident = f"{case.get('classname', '')}::{case.get('name', '')}"
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed.append(ident)
        elif "skipped" in kinds:
            skipped.append(ident)
        else:
            passed.append(ident)
    report = TestReport(tuple(passed), tuple(failed), tuple(skipped))
    if report.total == 0:
        raise ReportError(f"the report {name} has no tests")
    return report
