from marktext import to_html


def test_heading_and_paragraph():
    assert to_html("# Hi #\n\na\nb\n") == "<h1>Hi</h1>\n<p>a b</p>\n"


def test_code_is_not_interpreted():
    assert to_html("```py\n*a* <b>\n```\n") == '<pre><code class="language-py">*a* &lt;b&gt;\n</code></pre>\n'


def test_flat_list():
    assert to_html("- a\n- b\n") == "<ul><li>a</li><li>b</li></ul>\n"


def test_one_nested_item():
    assert to_html("- a\n  - b\n") == "<ul><li>a<ul><li>b</li></ul></li></ul>\n"
