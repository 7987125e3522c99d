"""The encoding of bytes, their text, and what is said when they were not plain UTF-8."""

import pytest

from evaluator.files.encodings import decoded, guess_encoding

LATIN = (
    *("Überstunden", "spesen 5 €", "don’t know", "Lunch costs 5 € a day. Ask before."),
    "Förväntad återbetalning sker månaden därpå, även för tjänstlediga. " * 5,
)


@pytest.mark.parametrize("text", LATIN)
def test_single_signs_beyond_ascii_make_no_other_script(text: str) -> None:
    """One such byte fits Korean, Cyrillic and UTF-16 as well; mostly it is cp1252."""
    guess = guess_encoding(text.encode("cp1252"))
    assert guess is not None
    assert "cp1252" == guess.encoding


def test_what_is_no_text_has_no_encoding() -> None:
    """Bytes that no encoding explains."""
    assert None is guess_encoding(bytes(range(256)) * 40)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("urlop macierzyński, żądanie zwrotu kosztów podróży służbowej " * 4, "cp1250"),
        ("휴가 신청 급여 명세서 초과 근무", "cp949"),
        ("Überstunden und Urlaub " * 9, "utf-16-le"),
    ],
)
def test_other_scripts_are_still_found(text: str, encoding: str) -> None:
    """Their bytes beyond ASCII, or zeros, stand together."""
    guess = guess_encoding(text.encode(encoding))
    assert guess is not None
    assert text == text.encode(encoding).decode(guess.encoding)


TEXTS = ("Über größer café naïve", "Привет мир", "这是一个中文文档。", "it’s “quoted” text – here")
OTHER = (
    ("这是一个很长的中文文档，请阅读全部内容。", "gb18030"),
    ("ภาษาไทยเป็นภาษาที่มีเสียงวรรณยุกต์", "cp874"),
    ("отпуск\nзарплата\nсверхурочные часы", "cp1251"),
    ("これは日本語の文章です。髙橋さんの文書です。", "cp932"),
    ("Überstunden, Café, 5 €", "cp1252"),
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_broken_byte_spoils_one_place_of_utf8(text: str) -> None:
    """Another encoding would spoil every sign beyond ASCII for it."""
    expected = (f"{text} � and on", ("1 place not UTF-8, read as �",))
    assert expected == decoded(text.encode() + b" \xff and on", html=False)


@pytest.mark.parametrize(("text", "encoding"), OTHER)
def test_another_encoding_is_no_damaged_utf8(text: str, encoding: str) -> None:
    """Hardly two of its bytes make one of UTF-8."""
    found = decoded(text.encode(encoding), html=False)

    assert found is not None
    assert text == found[0]


@pytest.mark.parametrize(
    ("label", "text", "encoding"),
    [
        ("iso-8859-1", "“Leave” – it’s 5 €", "cp1252"),
        ("shift_jis", "①髙橋さん", "cp932"),
        ("gb2312", "朱镕基", "gb18030"),
        ("euc-kr", "똠방각하", "cp949"),
    ],
)
def test_a_declared_standard_means_what_browsers_make_of_it(
    label: str, text: str, encoding: str
) -> None:
    """Read as the standard, quotation marks would be control characters that nobody sees."""
    page = f"<meta charset={label}>{text}".encode(encoding)
    how = f"not UTF-8; read as {encoding}, as browsers read {label}, which it declares"
    assert (f"<meta charset={label}>{text}", (how,)) == decoded(page, html=True)


def test_the_declaration_of_an_xml_page_is_read_too() -> None:
    """XHTML may have no other."""
    page = '<?xml version="1.0" encoding="iso-8859-2"?><p>Łódź'
    found = decoded(page.encode("iso-8859-2"), html=True)
    assert (page, ("not UTF-8; read as iso-8859-2, as it declares",)) == found


@pytest.mark.parametrize("label", ["undefined", "rot13", "no-such-thing", "utf-8", "utf-16"])
def test_a_declaration_that_cannot_be_is_passed_over(label: str) -> None:
    """Python knows codecs that are none for text, and a page may declare what it is not."""
    found = decoded(f"<meta charset={label}><p>café ".encode("cp1252"), html=True)
    assert (
        f"<meta charset={label}><p>café ",
        ("not UTF-8; read as cp1252, which is a guess",),
    ) == found


def test_a_named_encoding_is_of_what_is_not_utf8() -> None:
    """It goes before a declaration and a guess, and behind UTF-8; what does not fit has no text."""
    page = "<meta charset=koi8-r>привет"
    how = ("not UTF-8; read as cp1251, as --encoding says",)
    assert (page, how) == decoded(page.encode("cp1251"), html=True, named="cp1251")
    assert ("grün", ()) == decoded("grün".encode(), html=False, named="cp1251")
    assert decoded(b"\x81 \x8d", html=False, named="cp1252") is None
    zeros = "leave".encode("utf-16-le")  # without a mark it is binary otherwise
    found = decoded(zeros, html=False, named="utf-16-le")
    assert found is not None
    assert "leave" == found[0]
    assert decoded(zeros, html=False) is None
