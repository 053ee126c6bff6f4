"""``python -m eventlog summary FILE``."""

import sys

from eventlog import daily_counts, read_events, sessions


def main(argv: list[str]) -> int:
    if len(argv) != 2 or argv[0] != "summary":
        print("usage: python -m eventlog summary FILE", file=sys.stderr)
        return 2
    with open(argv[1], encoding="utf-8") as file:
        events, rejected = read_events(file)
    print(f"events: {len(events)} (rejected: {rejected})")
    print(f"users: {len({event.user for event in events})}")
    print(f"sessions: {len(sessions(events))}")
    for day, count in daily_counts(events).items():
        print(f"{day}: {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
