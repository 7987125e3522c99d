"""
Words that say nothing of what a text is about, in the languages that search boxes here hear.

English, German, Dutch, Norwegian, Danish, Swedish, French, Spanish, Italian, Portuguese. It is
the one list for everything that compares vocabularies; words that say more in one of these
languages than they bind in another, as "men" and "son", are left out.
"""

import re

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
