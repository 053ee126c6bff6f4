from datetime import UTC, date, datetime, timedelta, timezone

from eventlog import Event, daily_counts, sessions

EAST = timezone(timedelta(hours=9))
WEST = timezone(timedelta(hours=-8))


def test_days_are_utc_days():
    events = [
        Event(datetime(2024, 5, 2, 3, 0, tzinfo=EAST), "a", "view"),
        Event(datetime(2024, 4, 30, 23, 0, tzinfo=WEST), "a", "buy"),
        Event(datetime(2024, 5, 1, 23, 59, tzinfo=UTC), "a", "view"),
    ]
    assert daily_counts(events) == {date(2024, 5, 1): 3}
    assert daily_counts(events, "view") == {date(2024, 5, 1): 2}


def test_exactly_half_an_hour_is_one_session():
    t = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
    minutes = [0, 30, 60, 91]
    found = sessions([Event(t + timedelta(minutes=m), "a", "view") for m in minutes])
    assert [s.count for s in found] == [3, 1]


def test_sessions_across_offsets():
    t = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
    found = sessions([Event(t, "a", "x"), Event((t + timedelta(minutes=30)).astimezone(EAST), "a", "x")])
    assert [s.count for s in found] == [2]
