"""Full-text search: BM25 by hand, words of any script, and input of any kind."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.labelset.format import Query
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot, write_snapshot
from labeler.pool.full_text import LexicalIndex, lexical_run, open_index
from labeler.workspace.search_index import SEARCH_FILE

TEXTS = {
    "c1": "leave leave pay",
    "c2": "leave",
    "c3": "pay day",
    "c4": "car",
    "c5": "car park",
}
HOSTILE = [
    "{text} : leave",
    "; DROP TABLE texts; --",
    "ﷺ" * 8_000,
    "a" * 200_000,
    "\U00020000" * 40_000,
    " ".join(f"w{number}" for number in range(50_000)),
    '"w" ' * 5_000,
    "(" * 10_000,
    " " * 9_000 + '"x" leave',
]


def _snapshot(directory: Path, text_by_id: Mapping[str, str], *, title: str = "") -> Snapshot:
    chunks = [
        Chunk(chunk_id, "d", text, title, (title,), "", {}) for chunk_id, text in text_by_id.items()
    ]
    return write_snapshot(
        directory,
        chunks,
        name="small",
        chunker={"name": "given"},
        corpus="made up",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def _index(directory: Path, text_by_id: Mapping[str, str] = TEXTS) -> LexicalIndex:
    snapshot = _snapshot(directory / "snapshot", text_by_id)
    return open_index(directory / SEARCH_FILE, snapshot)


def test_scores_are_bm25_as_worked_by_hand(tmp_path: Path) -> None:
    """
    Two of five chunks hold the word, of 3 and of 1 word; the mean length is 9 / 5.

    ln(3.5 / 2.5) = 0.336472. The long one: 2 x 2.2 / (2 + 1.2 x 1.5) = 1.157895. The short
    one: 2.2 / (1 + 1.2 x 2 / 3) = 1.222222.
    """
    found = _index(tmp_path).search("leave", 10)
    assert [chunk_id for chunk_id, _ in found] == ["c2", "c1"]
    assert [score for _, score in found] == pytest.approx(
        [0.336472 * 1.222222, 0.336472 * 1.157895], rel=1e-5
    )


T = TypeVar("T")


def test_any_word_is_enough(tmp_path: Path) -> None:
    """A full sentence finds what shares one word with it; a word said twice counts once."""
    index = _index(tmp_path)
    found = index.search("Where can I park, please?", 10)
    assert [chunk_id for chunk_id, _ in found] == ["c5"]
    assert index.search("leave pay", 10) == index.search("leave PAY leave, leave", 10)


def test_equal_scores_stand_in_the_order_of_chunk_ids(tmp_path: Path) -> None:
    """Nothing depends on the order in which chunks were written."""
    texts = {"b": "pay", "a#10": "pay", "é": "pay", "a#9": "pay", "z": "car", "y": "car"}
    found = _index(tmp_path, texts).search("pay", 10)
    assert [chunk_id for chunk_id, _ in found] == ["a#10", "a#9", "b", "é"]
    assert [chunk_id for chunk_id, _ in _index(tmp_path / "again", texts).search("pay", 2)] == [
        "a#10",
        "a#9",
    ]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Café Zürich", "cafe"),
        ("Café Zürich", "ZU\u0308RICH"),
        ("tie\u0302\u0301ng Vie\u0323\u0302t", "tiếng"),
        ("हमारी भाषा", "भाषा"),
        ("ΑΘΗΝΑ", "αθήνα"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("한국어", "\u1112\u1161\u11ab국어"),
    ],
)
def test_case_and_diacritics_make_no_difference(tmp_path: Path, text: str, query: str) -> None:
    """Composed or not, upper or lower: one word; but marks are parts of words, as in Hindi."""
    index = _index(tmp_path, {"c": text, "d": "हिन्दी"})
    assert [c for c, _ in index.search(query, 5)] == ["c"]
    assert index.search("हद", 5) == []


def test_only_plain_text_is_searched(tmp_path: Path) -> None:
    """Titles and headings are shown to nobody who judges, so nothing is found by them."""
    snapshot = _snapshot(tmp_path / "snapshot", {"c": "two days"}, title="Parental leave")
    assert open_index(tmp_path / SEARCH_FILE, snapshot).search("parental leave", 5) == []


@pytest.mark.parametrize("word", ["AND", "or", "NOT", "near"])
def test_operators_are_words(tmp_path: Path, word: str) -> None:
    """Who searches for "not" finds "not"."""
    index = _index(tmp_path, {"c": "and or not near", "d": "car", "e": "park"})
    assert [chunk_id for chunk_id, _ in index.search(word, 5)] == ["c"]
    assert index.find(f"{word} {word}", 5) == ["c"]


@pytest.mark.parametrize("text", ["", "   ", "...", "?!", '"*" - ()', "😀", "\0"])
def test_no_word_finds_nothing(tmp_path: Path, text: str) -> None:
    """Punctuation alone is an empty search, not an error and not everything."""
    index = _index(tmp_path)
    assert (index.search(text, 5), index.find(text, 5)) == ([], [])


def test_a_word_beside_punctuation_is_found(tmp_path: Path) -> None:
    """NUL, brackets, colons and emoji part words and mean nothing."""
    index = _index(tmp_path)
    for text in ("leave\0", "(leave", "text:leave", "leave*", "^leave", "😀leave", "-leave"):
        assert {chunk_id for chunk_id, _ in index.search(text, 5)} == {"c1", "c2"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    """One index for all the texts that are thrown at it."""
    return _index(tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:24]))
def test_hostile_text_is_only_text(shared: LexicalIndex, text: str) -> None:
    """Whatever was a syntax error, an injection or a crash elsewhere is a search here."""
    assert {chunk_id for chunk_id, _ in shared.search(text, 9)} <= TEXTS.keys()
    assert set(shared.find(text, 9)) <= TEXTS.keys()


pieces = st.lists(
    st.one_of(
        st.text(st.characters(codec=None), max_size=8),
        st.sampled_from(
            ['"', "“", "*", "(", ")", ":", " AND ", " NEAR(", "^", "\0", " leave", "pay "]
        ),
    ),
    max_size=12,
).map("".join)


@settings(deadline=None, max_examples=400)
@given(pieces)
def test_no_text_raises(shared: LexicalIndex, text: str) -> None:
    """Any string at all can be searched for, and the same one finds the same."""
    assert shared.search(text, 9) == shared.search(text, 9)
    assert set(shared.find(text, 9)) <= TEXTS.keys()


@pytest.mark.parametrize("limit", [-1, 0])
def test_a_limit_below_one_finds_nothing(shared: LexicalIndex, limit: int) -> None:
    """SQLite reads a negative limit as none at all; here it is nothing."""
    assert (shared.search("leave", limit), shared.find("leave", limit)) == ([], [])


# The search box

BOX = {
    "c1": "annual leave can be carried over",
    "c2": "leave the annual report here",
    "c3": "carry a badge",
    "c4": "the car park",
    "c5": "an annual leave of 25 days",
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    """A few chunks in which word order matters."""
    return _index(tmp_path_factory.mktemp("box"), BOX)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("annual leave", {"c1", "c2", "c5"}),
        ('"annual leave"', {"c1", "c5"}),
        ("“annual leave”", {"c1", "c5"}),
        ('"annual leave" "25 days"', {"c5"}),
        ('"leave annual"', set()),
        ("bad", {"c3"}),
        ('"bad"', set()),
        ("annual lea", {"c1", "c2", "c5"}),
        ('"annual lea', {"c1", "c5"}),
        ('badge "annual lea', {"c1", "c5"}),
        ("car", {"c1", "c3", "c4"}),
        ("ca", set()),
        ('"', set()),
        ('badge "', {"c3"}),
    ],
)
def test_the_box_knows_phrases_and_unfinished_words(
    box: LexicalIndex, text: str, expected: set[str]
) -> None:
    """Quotes bind words, the last word may be unfinished, and no quote needs to be closed."""
    assert set(box.find(text, 9)) == expected


def test_words_beside_a_phrase_sort_what_has_the_phrase(box: LexicalIndex) -> None:
    """They let nothing else in, but bring the closer chunk up."""
    assert box.find('"annual leave" days', 9)[0] == "c5"
    assert box.find('"annual leave" carried', 9)[0] == "c1"


# The file


def test_an_index_is_built_once_per_snapshot(tmp_path: Path) -> None:
    """The second opening reads nothing; another snapshot replaces the file."""
    looked: list[int | None] = []

    def progress(items: Iterable[T], /, *, label: str, total: int | None = None) -> Iterable[T]:
        looked.append(total)
        assert label == "Indexing texts"
        return items

    first = _snapshot(tmp_path / "first", TEXTS)
    second = _snapshot(tmp_path / "second", {"x": "leave"})
    open_index(tmp_path / SEARCH_FILE, first, progress=progress)
    open_index(tmp_path / SEARCH_FILE, first, progress=progress)
    assert looked == [5]
    index = open_index(tmp_path / SEARCH_FILE, second, progress=progress)
    assert looked == [5, 1]
    assert [chunk_id for chunk_id, _ in index.search("leave", 9)] == ["x"]
    assert {path.name for path in tmp_path.iterdir()} == {"first", "second", SEARCH_FILE}


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + bytes(4096)])
def test_a_damaged_index_is_built_again(tmp_path: Path, damage: bytes) -> None:
    """It holds nothing that the snapshot does not hold."""
    (tmp_path / SEARCH_FILE).write_bytes(damage)
    assert len(_index(tmp_path).search("leave", 9)) == 2


def test_a_broken_build_leaves_nothing_behind(tmp_path: Path) -> None:
    """Who stops it halfway has the old file or none, and no rest beside it."""

    def stop(items: Iterable[T], /, **_: object) -> Iterable[T]:
        yield next(iter(items))
        raise KeyboardInterrupt

    snapshot = _snapshot(tmp_path / "snapshot", TEXTS)
    with pytest.raises(KeyboardInterrupt):
        open_index(tmp_path / SEARCH_FILE, snapshot, progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["snapshot"]


def test_a_path_may_hold_what_an_address_may_not(tmp_path: Path) -> None:
    """Per cent signs, question marks and blanks in a folder's name are only a name."""
    folder = tmp_path / "a b?mode=rw#%41"
    folder.mkdir()
    assert len(_index(folder).search("leave", 9)) == 2


def test_threads_share_an_index(shared: LexicalIndex) -> None:
    """Many pages may search at once."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: shared.search("leave pay", 9), range(64)))
    assert all(each == found[0] for each in found)


# Runs


def test_a_run_ranks_every_query(shared: LexicalIndex) -> None:
    """Each query to its depth, and one that finds nothing is there with nothing."""
    queries = [Query("q1", "leave or pay"), Query("q2", "?"), Query("q3", "car", need="pay")]
    run = lexical_run(shared, queries, depth=2)
    assert {"q1": 2, "q2": 0, "q3": 2} == {query_id: len(run[query_id]) for query_id in run}
    assert {chunk_id for chunk_id, _ in run["q3"]} == {"c4", "c5"}
    assert [tuple(pair) for pair in lexical_run(shared, queries, depth=1)["q1"]] == [
        tuple(run["q1"][0])
    ]
