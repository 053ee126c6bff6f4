"""A language server that misbehaves once, in the way that its argument says, and is honest from then on.

Every line with BAD in it is an error. It runs inside the sandbox, so it imports nothing of ours.
"""

import json
import os
import signal
import sys
import time

FLAG = "/tmp/misbehaved"
mode = sys.argv[1]
push = "push" in mode or mode == "wrong-version"
texts: dict[str, tuple[int, str]] = {}
out = sys.stdout.buffer


def send(message: dict) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    out.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    out.flush()


def items(uri: str) -> list[dict]:
    found = []
    for number, line in enumerate(texts[uri][1].split("\n")):
        at = line.find("BAD")
        if at >= 0:
            start, end = {"line": number, "character": at}, {"line": number, "character": at + 3}
            found.append(
                {"range": {"start": start, "end": end}, "severity": 1, "message": f"bad: {line}", "source": "fake"}
            )
    return found


def first_time() -> bool:
    if os.path.exists(FLAG):
        return False
    open(FLAG, "w").close()
    return True


def publish(uri: str, version: int) -> None:
    send(
        {
            "method": "textDocument/publishDiagnostics",
            "params": {"uri": uri, "version": version, "diagnostics": items(uri)},
        }
    )


def misbehave(request: dict | None) -> bool:
    """True: this request was answered, or is not to be."""
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif mode == "hung":
        time.sleep(3600)
    elif mode == "wrong-id":
        send({"id": 10_000, "result": {"kind": "full", "items": []}})
        return True
    elif mode == "huge":
        out.write(b"Content-Length: 1000000000000\r\n\r\n")
        out.flush()
    elif mode == "invalid-utf8":
        out.write(b'Content-Length: 8\r\n\r\n{"\xff\xfe": 1')
        out.flush()
    elif mode == "half-header":
        out.write(b"Content-Le")
        out.flush()
        time.sleep(3600)
    elif mode == "registrations":
        number = 0
        while True:
            number += 1
            send(
                {
                    "id": f"r{number}",
                    "method": "client/registerCapability",
                    "params": {"registrations": [{"id": str(number), "method": "x/y"}]},
                }
            )
    elif mode == "closed-stdin":
        os.close(0)
        time.sleep(3600)
    elif mode == "garbage":
        out.write(b"Traceback (most recent call last):\n" * 2000)
        out.flush()
        time.sleep(3600)
    elif mode == "exits":
        sys.exit(3)
    elif mode == "stderr-flood":
        for _ in range(2000):
            os.write(2, b"x" * 4096)
    elif mode == "reversed":
        bad = {"start": {"line": 1, "character": 2}, "end": {"line": 0, "character": 1}}
        far = {"start": {"line": 900, "character": 0}, "end": {"line": 901, "character": -5}}
        diagnostics = [{"range": r, "message": "odd", "severity": 1} for r in (bad, far)] + [{"message": "no range"}]
        send({"id": request["id"], "result": {"kind": "full", "items": diagnostics}})
        return True
    elif mode == "lies":
        send({"id": request["id"], "result": "nothing is wrong"})
        return True
    elif mode == "error":
        send({"id": request["id"], "error": {"code": -32603, "message": "internal"}})
        return True
    return False


def handle(message: dict) -> None:
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        if mode == "dies-at-start":
            sys.exit(1)
        capabilities: dict = {"textDocumentSync": 1}
        if not push:
            capabilities["diagnosticProvider"] = {"interFileDependencies": False, "workspaceDiagnostics": False}
        send({"id": message["id"], "result": {"capabilities": capabilities}})
    elif method in ("textDocument/didOpen", "textDocument/didChange"):
        document = params["textDocument"]
        text = document["text"] if "text" in document else params["contentChanges"][-1]["text"]
        texts[document["uri"]] = (document["version"], text)
        if mode == "wrong-version" and first_time():
            publish(document["uri"], document["version"] - 1)
            publish(document["uri"], document["version"] + 100)
        elif push:
            publish(document["uri"], document["version"])
    elif method == "textDocument/diagnostic":
        if first_time() and misbehave(message):
            return
        send({"id": message["id"], "result": {"kind": "full", "items": items(params["textDocument"]["uri"])}})
    elif "id" in message and method is not None:
        send({"id": message["id"], "error": {"code": -32601, "message": "no"}})


def main() -> None:
    while True:
        length = 0
        while (line := sys.stdin.buffer.readline()).strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        if not line:
            return
        handle(json.loads(sys.stdin.buffer.read(length)))


main()
