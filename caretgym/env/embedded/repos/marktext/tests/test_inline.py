import pytest

from marktext.inline import inline


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a *b* **c** `d`", "a <em>b</em> <strong>c</strong> <code>d</code>"),
        ("`*a*`", "<code>*a*</code>"),
        ("[x](http://e)", '<a href="http://e">x</a>'),
        ("1 < 2 & *", "1 &lt; 2 &amp; *"),
    ],
)
def test_inline(text, expected):
    assert inline(text) == expected
