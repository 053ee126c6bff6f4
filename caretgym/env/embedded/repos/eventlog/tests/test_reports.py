from datetime import UTC, date, datetime, timedelta

from eventlog import Event, daily_counts, funnel, read_events, sessions

T = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def at(minutes, user="ann", kind="view"):
    return Event(T + timedelta(minutes=minutes), user, kind)


def test_sessions_split_at_long_gaps():
    found = sessions([at(0), at(10), at(60)])
    assert [(s.count, s.user) for s in found] == [(2, "ann"), (1, "ann")]


def test_funnel_needs_the_order():
    events = [at(0, kind="view"), at(1, kind="buy"), at(0, "bob", "buy"), at(1, "bob", "view")]
    assert funnel(events, ["view", "buy"]) == [2, 1]


def test_daily_counts():
    assert daily_counts([at(0), at(1), at(24 * 60)]) == {date(2024, 5, 1): 2, date(2024, 5, 2): 1}


def test_reading():
    lines = ['{"time": "2024-05-01T12:00:00+00:00", "user": "ann", "kind": "view"}', "nonsense", ""]
    events, rejected = read_events(lines)
    assert (len(events), rejected) == (1, 1)
