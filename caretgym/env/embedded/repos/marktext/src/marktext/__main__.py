"""``python -m marktext FILE``: print a file as HTML."""

import sys
from pathlib import Path

from marktext import to_html


def main(argv: list[str]) -> int:
    if len(argv) != 1:
        print("usage: python -m marktext FILE", file=sys.stderr)
        return 2
    print(to_html(Path(argv[0]).read_text(encoding="utf-8")), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
