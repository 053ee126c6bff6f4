"""Questions about event logs."""

from eventlog.daily import daily_counts
from eventlog.funnel import funnel
from eventlog.ordering import by_time
from eventlog.reader import Event, read_events
from eventlog.sessions import Session, sessions

__all__ = ["Event", "Session", "by_time", "daily_counts", "funnel", "read_events", "sessions"]
