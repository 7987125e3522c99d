"""The encoding of bytes that are not UTF-8: a guess, and the same for documents and logs."""

import pytest

from evaluator.files.encodings import guess_encoding

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


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("urlop macierzyński, żądanie zwrotu kosztów podróży służbowej " * 4, "cp1250"),
        ("휴가 신청 급여 명세서 초과 근무", "cp949"),
        ("отпуск\nзарплата\nсверхурочные часы", "cp1251"),
        ("Überstunden und Urlaub " * 9, "utf-16-le"),
    ],
)
def test_other_scripts_are_still_found(text: str, encoding: str) -> None:
    """Their bytes beyond ASCII, or zeros, stand together."""
    guess = guess_encoding(text.encode(encoding))
    assert guess is not None
    assert text == text.encode(encoding).decode(guess.encoding)


def test_what_is_no_text_has_no_encoding() -> None:
    """Bytes that no encoding explains."""
    assert None is guess_encoding(bytes(range(256)) * 40)
