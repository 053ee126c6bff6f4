import ast
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import eventlog
from eventlog import Event, daily_counts, funnel, read_events, sessions

T = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
SRC = Path("/workspace/src/eventlog")


def at(minutes, user="ann", kind="view"):
    return Event(T + timedelta(minutes=minutes), user, kind)


def sorts(path):
    tree = ast.parse(path.read_text())
    return [
        n for n in ast.walk(tree)
        if isinstance(n, ast.Call)
        and (getattr(n.func, "id", "") == "sorted" or getattr(n.func, "attr", "") == "sort")
        and any(k.arg == "key" for k in n.keywords)
    ]


def test_structure():
    assert sorts(SRC / "ordering.py")
    for name in ("sessions.py", "funnel.py", "daily.py"):
        assert not sorts(SRC / name), name
    for name in ("sessions.py", "funnel.py"):
        assert "by_time" in (SRC / name).read_text()
    assert "by_time" not in (SRC / "daily.py").read_text()
    assert "by_time" in eventlog.__all__


def test_by_time():
    events = [at(5, "x"), at(1, "b"), at(1, "a"), at(0)]
    out = eventlog.by_time(iter(events))
    assert isinstance(out, list)
    assert out == [events[3], events[1], events[2], events[0]]
    assert eventlog.ordering.by_time is eventlog.by_time


def test_behaviour():
    events = [at(60), at(0), at(10), at(3, "bob", "buy"), at(2, "bob")]
    assert [(s.user, s.count) for s in sessions(events)] == [("ann", 2), ("bob", 2), ("ann", 1)]
    assert funnel(events, ["view", "buy"]) == [2, 1]
    assert daily_counts([at(24 * 60), at(0)]) == {date(2024, 5, 1): 1, date(2024, 5, 2): 1}
    line = '{{"time": "2024-05-01T1{}:00:00+00:00", "user": "u", "kind": "k"}}'
    found, rejected = read_events([line.format(2), line.format(1), "x"])
    assert [e.time.hour for e in found] == [11, 12]
    assert rejected == 1
