"""When to ask a server again."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
MAX_WAIT_S = 60.0


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (a number or an HTTP date), or None (RFC 9110, 10.2.3)."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass  # a date then
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds: float = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds)


def backoff(attempt: int, generator: random.Random, base_s: float) -> float:
    """Seconds before the given retry (from 0): doubling, up to half of it random, bounded."""
    return min(MAX_WAIT_S, base_s * 2.0**attempt * (1 + generator.random() / 2))
