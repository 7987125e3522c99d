"""
The words of a text in any script: which they are, how many, and whether there is any.

It knows no language and no tokenizer of a model.
"""

import re
import unicodedata

# Scripts that put no blanks between words: Thai to Khmer, kana, Han, Hangul.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
# Marks of the other scripts, soft hyphens and joiners: parts of words, though `re` knows them as
# none. Without them Hindi, pointed Hebrew and decomposed letters fall apart.
_WITHIN = (
    r"\xad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0963\u0971-\u0dff"
    r"\u0f71-\u0f84\u0f8d-\u0fbc\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d"
)
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}](?:[^\W{UNSPACED}]|[{_WITHIN}]){{,15}}|[^\w\s]")
_WHOLE_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}](?:[^\W_{UNSPACED}]|[{_WITHIN}])*")
# Controls, formats such as the zero-width space, and separators of lines and words.
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_SHOWN_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
# Other characters without a shape: fillers of Hangul, a blank of Braille, selectors of variants.
_SHAPELESS = frozenset("\u034f\u115f\u1160\u180b\u180c\u180d\u180f\u2065\u2800\u3164\uffa0") | {
    chr(code) for code in range(0xFE00, 0xFE10)
}


def words(text: str) -> list[str]:
    """
    The words without case; a character of a script without blanks is one by itself.

    Composed and decomposed letters are the same, and a soft hyphen is none.
    """
    folded = unicodedata.normalize("NFC", text.casefold().replace("\xad", ""))
    return _WHOLE_WORD.findall(folded)


def words_of(text: str) -> set[str]:
    """The distinct words of a text."""
    return set(words(text))


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text; editors leave zero-width characters behind."""
    for character in text:  # mostly the first is seen, which is asked of every line of a log
        unseen = unicodedata.category(character) in _UNSEEN and character not in _SHOWN_FORMATS
        if not unseen and character not in _SHAPELESS:
            return False
    return True


def count_words(text: str) -> int:
    """
    The words and punctuation marks of a text.

    A word of more than 16 characters counts once per 16 begun, and each character of a script
    without blanks counts, so that a long line without a blank is not one.
    """
    return len(_WORD.findall(text))


_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

# Left out where it begins other queries more often: Italian "come", French "si".
ASKING = frozenset(
    _WORDS.findall(
        "how what why when where who whom whose which "
        "wie was wer wem wen wo wann warum wieso weshalb welche welcher welches welchen wohin "
        "woher "
        "hoe wat waarom wanneer waar welke "
        "hva hvem hvor hvordan hvorfor når hvilken hvilket hvilke hvad hvornår "
        "vad vem var hur varför när vilken vilket vilka "
        "comment pourquoi quand combien qui quel quelle quels quelles que quoi où "
        "cómo qué quién quiénes cuándo cuánto cuántos dónde cuál cuáles "
        "perché quando quanto quanti dove chi quale quali "
        "quem onde quanto quantos"
    )
)
HELPING = frozenset(
    _WORDS.findall(
        "is are am was were do does did can could should would will may must has have had "
        "kann darf muss soll ist sind hat kan er har skal må kan"
    )
)
WHOM = frozenset(
    _WORDS.findall(
        "i we you he she it they there this that these those my our your the a an any "
        "ich wir man der die das ein eine mein es jeg vi man det den en et min jag"
    )
)
LINKING = frozenset(
    _WORDS.findall(
        "of in on at to for from by with without and or but not if than then as into out about "
        "after before between over under per via be been its their his her us them me "
        "von vom im am an auf zu zur zum für aus bei mit ohne und oder nicht kein keine wenn als "
        "dass nach vor zwischen über unter aber dem des einer einem eines sich "
        "van op te voor uit bij met zonder niet geen dat tussen onder maar de het een "
        "av i på til till för från fra uten utan og och eller ikke inte om som at att mellom "
        "mellan af med uden "
        "de du des la le les un une à au aux dans sur pour avec sans et ou ne pas mais "
        "del el los las una al con sin y o para por pero entre sobre "
        "di da su senza non se tra il lo gli della dei delle alla ma "
        "do dos das ao em nos nas com sem não mas um uma os"
    )
)
FUNCTION_WORDS = ASKING | HELPING | WHOM | LINKING
