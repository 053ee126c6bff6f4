"""The text model: bytes survive, positions agree, edits are whole or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caretgym.ide_sim.document import (
    BinaryFileError,
    Document,
    EditError,
    Encoding,
    EncodingError,
    Position,
    Range,
    TextChange,
    adapt_newlines,
    find_occurrences,
    find_relaxed,
    split_lines,
)

TEXT = st.text(alphabet=st.sampled_from("ab \t\r\n\f\u2028é界😀\u0301"), max_size=40)


@given(st.binary(max_size=200))
def test_bytes_survive(data: bytes) -> None:
    try:
        document = Document.from_bytes(data)
    except BinaryFileError:
        return
    assert document.to_bytes() == data


@pytest.mark.parametrize("encoding", list(Encoding))
def test_each_encoding_round_trips(encoding: Encoding) -> None:
    data = Document.from_text("ab\r\né\n", encoding).to_bytes()
    assert Document.from_bytes(data).to_bytes() == data


def test_binary_is_refused_and_named_encodings_are_found() -> None:
    with pytest.raises(BinaryFileError):
        Document.from_bytes(b"a\0b")
    with pytest.raises(BinaryFileError):
        Document.from_bytes(b"\x01" * 5 + b"a" * 95)
    assert Document.from_bytes(b"\x01" * 4 + b"a" * 96).text.startswith("\x01")
    assert Document.from_bytes("é".encode("cp1252")).encoding is Encoding.CP1252
    assert Document.from_bytes(b"\x81\xe9").encoding is Encoding.LATIN1


def test_a_character_that_the_encoding_lacks_is_refused_by_name() -> None:
    document = Document.from_bytes("é".encode("cp1252"))
    document.replace(0, 1, "界")
    with pytest.raises(EncodingError, match=r"U\+754C.*UTF-8"):
        document.to_bytes()


@given(TEXT)
def test_lines_are_lsp_lines(text: str) -> None:
    document = Document.from_text(text)
    assert "".join(split_lines(text)) == text
    rebuilt = "".join(document.line_text(n) + document.line_end(n) for n in range(document.line_count))
    assert rebuilt == text
    assert document.line_count == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@given(TEXT, st.data())
def test_positions_round_trip_in_all_units(text: str, data: st.DataObject) -> None:
    document = Document.from_text(text)
    offset = data.draw(st.integers(0, len(text)))
    if text[max(offset - 1, 0) : offset + 1] == "\r\n":
        return  # inside a line end there is no position
    for unit in ("utf-8", "utf-16", "utf-32"):
        assert document.offset_at(document.position_at(offset, unit), unit) == offset
    assert document.offset_of_byte(document.byte_offset(offset)) == offset


@given(TEXT, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXT), max_size=4))
def test_edits_are_like_splices_and_their_inverse_restores(text: str, edits: list[tuple[int, int, str]]) -> None:
    document, expected = Document.from_text(text), text
    changes = []
    for low, high, new in edits:
        start, end = sorted((min(low, len(expected)), min(high, len(expected))))
        if any(expected[max(o - 1, 0) : o + 1] == "\r\n" for o in (start, end)):
            continue
        probe = Document.from_text(expected)
        changes.append(TextChange(Range(probe.position_at(start), probe.position_at(end)), new))
        expected = expected[:start] + new + expected[end:]
    inverse = document.apply(changes)
    assert document.text == expected
    document.apply(inverse)
    assert document.text == text
    assert document.undo() == document.redo() == bool(changes)
    assert document.text == text


def test_refused_edits_change_nothing() -> None:
    document = Document.from_text("abc")
    for change in (
        Range(Position(0, 2), Position(0, 1)),
        Range(Position(0, 0), Position(0, 5)),
        Range(Position(1, 0), Position(1, 0)),
    ):
        with pytest.raises(EditError):
            document.apply([TextChange(Range(Position(0, 0), Position(0, 0)), "x"), TextChange(change, "y")])
    assert (document.text, document.version) == ("abc", 1)
    with pytest.raises(EditError, match="inside a character"):
        Document.from_text("é").apply([TextChange(Range(Position(0, 1), Position(0, 1)), "x")], "utf-8")


def test_utf16_columns() -> None:
    document = Document.from_text('x="😋"')
    assert document.position_at(4) == Position(0, 5)
    face = Document.from_text('const face = "😀";')
    end = face.position_at(len(face.text))
    assert end == Position(0, 18)
    face.apply([TextChange(Range(Position(0, 0), end), 'const next = "🚀";')])
    assert face.text == 'const next = "🚀";'


def test_insert_inside_a_line_end_and_back() -> None:
    document = Document.from_text("a\r\nb")
    document.replace(2, 2, "X")
    assert document.line_count == 3
    assert document.position_at(2) == Position(1, 0)
    document.undo()
    assert (document.text, document.line_count) == ("a\r\nb", 2)


def test_form_feed_is_no_line_end() -> None:
    document = Document.from_text("1\n2\n3\n\f\n5\ntarget\n")
    assert document.line_text(5) == "target"


def test_matching() -> None:
    assert find_occurrences("aaaa", "aa") == [0, 2]
    assert find_occurrences("abc", "") == []
    assert adapt_newlines("a\nb\r\nc\r", "\r\n") == "a\r\nb\r\nc\r\n"
    text = "x\nfoo  \n  bar\u2019s\ny\n"
    (span,) = find_relaxed(text, "foo\n  bar's\n")
    assert text[span.start : span.end] == "foo  \n  bar\u2019s\n"
    assert find_relaxed(text, "foo\nbar's") == []
    assert find_relaxed("a\tb\nc\td\n", " ") == []
