import marktext
from marktext import to_html

SOURCE = """# My *page*
## Part one
### Deep
#### Deeper
## Part one
## !!!
## Part `one` & more
"""
IDS = ["my-page", "part-one", "deep", "deeper", "part-one-2", "section", "part-one-more"]


def test_default_has_no_ids():
    assert "id=" not in to_html(SOURCE)
    assert to_html("# a\n") == "<h1>a</h1>\n"


def test_anchors():
    out = to_html(SOURCE, anchored=True)
    for ident in IDS:
        assert f'id="{ident}"' in out
    assert '<h1 id="my-page">My <em>page</em></h1>' in out


def test_toc():
    toc = marktext.table_of_contents(SOURCE)
    assert [tuple(entry) for entry in toc] == [
        (1, "My *page*", "my-page"), (2, "Part one", "part-one"), (3, "Deep", "deep"), (2, "Part one", "part-one-2"),
        (2, "!!!", "section"), (2, "Part `one` & more", "part-one-more"),
    ]


def test_left_out_headings_count():
    toc = marktext.table_of_contents("# A\n### b\n## b\n", depth=2)
    assert [e[2] for e in toc] == ["a", "b-2"]


def test_third():
    assert [e[2] for e in marktext.table_of_contents("# x\n# X\n# x!\n")] == ["x", "x-2", "x-3"]


def test_headings_in_code_do_not_count():
    assert marktext.table_of_contents("```\n# no\n```\n") == []
