import pytest

from marktext import to_html
from marktext.blocks import parse_items


def shape(items):
    return [(i.text, shape(i.children)) for i in items]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("- a\n  - b\n    - c\n- d", [("a", [("b", [("c", [])])]), ("d", [])]),
        ("- a\n  - b\n    - c\n      - d\n  - e\n- f", [("a", [("b", [("c", [("d", [])])]), ("e", [])]), ("f", [])]),
        ("- a\n    - b\n- c", [("a", [("b", [])]), ("c", [])]),
        ("- a\n- b\n  - c\n- d", [("a", []), ("b", [("c", [])]), ("d", [])]),
        ("- a\n  - b\n    - c\n      - d\n        - e\n- f\n  - g", [("a", [("b", [("c", [("d", [("e", [])])])])]), ("f", [("g", [])])]),
    ],
)
def test_shapes(source, expected):
    assert shape(parse_items(source.splitlines())) == expected


def test_html():
    assert to_html("- a\n  - b\n    - c\n- d\n") == "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ul>\n"
