"""What stands inside a line."""

import html
import re

_TOKEN = re.compile(
    r"(?P<code>`[^`]+`)"
    r"|\[(?P<text>[^\]]+)\]\((?P<url>[^)\s]+)\)"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|\*(?P<emphasis>[^*]+)\*"
)


def inline(text: str) -> str:
    """A line's text as HTML."""
    out, at = [], 0
    for match in _TOKEN.finditer(text):
        out.append(html.escape(text[at : match.start()]))
        if match["code"]:
            out.append(f"<code>{html.escape(match['code'][1:-1])}</code>")
        elif match["url"]:
            out.append(f'<a href="{html.escape(match["url"])}">{inline(match["text"])}</a>')
        elif match["strong"]:
            out.append(f"<strong>{inline(match['strong'])}</strong>")
        else:
            out.append(f"<em>{inline(match['emphasis'])}</em>")
        at = match.end()
    out.append(html.escape(text[at:]))
    return "".join(out)
