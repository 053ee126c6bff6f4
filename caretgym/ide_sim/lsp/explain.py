"""From a journal: which message of which server made which lint."""

from collections.abc import Iterator
from typing import Any

import msgspec

from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.reader import Journal
from caretgym.ide_sim.lsp.records import LintReport


class Explained(msgspec.Struct, frozen=True):
    """A report and its message.

    Attributes:
        report: What was said to the session.
        direction: ``received``, or ``cached``: an earlier answer to the same text in the same tree. Empty: no message.
        method: Of the notification, or of the request that it answers. Empty: not known.
        request: Serial number of that request; 0: none in this record.
        message: The message; None: it was not kept.

    """

    report: LintReport
    direction: str = ""
    method: str = ""
    request: int = 0
    message: Any = None


def explain(journal: Journal, step: int) -> Iterator[Explained]:
    """The reports of a step, in order."""
    messages: dict[int, ev.LspMessage] = {}
    requests: dict[tuple[str, Any], tuple[int, str]] = {}
    for stored in journal.events(types=(ev.LspMessage, ev.LintsReported)):
        event = stored.event
        if isinstance(event, ev.LspMessage):
            messages[event.serial] = event
            if event.direction == "sent":
                body = body_of(journal, event)
                if isinstance(body, dict) and "id" in body and "method" in body:
                    requests[event.server, body["id"]] = (event.serial, str(body["method"]))
        elif isinstance(event, ev.LintsReported) and event.step == step:
            yield _explained(journal, event.report, messages, requests)


def _explained(
    journal: Journal,
    report: LintReport,
    messages: dict[int, ev.LspMessage],
    requests: dict[tuple[str, Any], tuple[int, str]],
) -> Explained:
    message = messages.get(report.serial)
    if message is None:
        return Explained(report)
    body = body_of(journal, message)
    request, method = 0, ""
    if isinstance(body, dict):
        method = str(body.get("method", ""))
        if not method and message.direction == "received":
            request, method = requests.get((report.server, body.get("id")), (0, ""))
    return Explained(report, message.direction, method, request, body)


def body_of(journal: Journal, message: ev.LspMessage) -> Any:
    """A message as JSON; None: it was not kept, or is not JSON."""
    data = message.body
    if data is None and message.blob is not None:
        data = journal.blob(message.blob)
    if data is None:
        return None
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return None
