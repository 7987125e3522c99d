"""The pages' Python, run without a browser; what the browser sends is written by hand."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from evaluator import InputError
from evaluator.labelset.format import Judgement, Query, read_label_set, text_sha256
from labeler.app.desk.agenda import agenda, next_task, own_progress, whole_progress
from labeler.app.desk.desk import Desk, lay_out, receive
from labeler.app.frame.frame import PLACES
from labeler.app.frame.people import Person
from labeler.workspace.judgements import Judgements
from labeler.workspace.records import Event, Practice, QueryProgress, Role
from labeler.workspace.workspace import Workspace
from tests.browser.materials import NOW, add_log, judge, make_workspace, plain_texts, some_queries
from tests.labeler.app_pages import opened, sent_all

ANA = {"email": "ana@example.org"}
SECRETS = ("payroll-secret", "A title nobody", "A heading nobody", "system-x")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "w", queries=some_queries(), texts=plain_texts(4))


@pytest.fixture
def desk(workspace: Workspace) -> Desk:
    return lay_out(workspace, assessor="Ana", query_id="q1", where="Query 1 of 3")


@pytest.fixture
def app(workspace: Workspace, open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens a page as somebody whose name is known."""
    return partial(open_page, workspace)


def sent(at: AppTest, name: str) -> Any:
    """The data that a component was given on the page."""
    (found,) = sent_all(at, name)
    return found


def press_3(at: AppTest) -> None:
    """What the browser sends when the first chunk of the open desk is graded by key."""
    desk = sent(at, "desk")
    happened = {"id": "e1", "k": desk["chunks"][0][0], "v": "3", "p": 0, "s": 2.0, "m": "key"}
    wire = {"outbox": {"attempt": 1, "events": [happened]}, "next": None}
    at.session_state[f"wire-{desk['desk']}"] = wire


def message(*events: dict[str, Any]) -> dict[str, Any]:
    return {"attempt": 7, "events": list(events)}


def event(desk: Desk, at: int, value: str | None, **more: Any) -> dict[str, Any]:
    """An event as the browser writes it, on the chunk shown at a position."""
    key = desk.data["chunks"][at][0]
    return {"id": f"e{at}{value}", "k": key, "v": value, "p": at, "s": 1.5, "m": "key", **more}


# The desk


def test_only_query_need_texts_and_own_grades_reach_the_browser(
    workspace: Workspace, desk: Desk
) -> None:
    """No chunk id, document, title, heading or system, and nobody else's grades."""
    workspace.judgements.record(
        "Bo", "q1", [Event("b1", "payroll-secret.md#0", 3, "grade")], now=NOW
    )
    again = lay_out(workspace, assessor="Ana", query_id="q1", where="Query 1 of 3")
    expected = {"desk", "who", "where", "query", "need", "scale", "least", "chunks", "marks"}
    assert expected | {"notes", "spent", "ended", "fold", "frozen", "guidelines"} == set(again.data)
    assert [secret for secret in SECRETS if secret in json.dumps(again.data)] == []
    assert again.data["marks"] == {}
    assert again.data == desk.data


def test_each_assessor_has_an_order_and_keys_of_their_own(workspace: Workspace) -> None:
    """Positions and keys differ between assessors and stay the same for one of them."""
    ana, ana_again, bo = (
        lay_out(workspace, assessor=name, query_id="q1", where="") for name in ("Ana", "Ana", "Bo")
    )
    assert ana == ana_again
    assert not set(ana.chunk_id_by_key) & set(bo.chunk_id_by_key)
    assert set(ana.chunk_id_by_key.values()) == set(bo.chunk_id_by_key.values())


def test_a_changed_text_is_not_shown(workspace: Workspace) -> None:
    """A pool that was made from another text is refused, with how many chunks it concerns."""
    workspace.queries.add([Query("q9", "changed")])
    entries = list(workspace.pool.entries("q1"))
    other = entries[0]._replace(query_id="q9", text_sha256=text_sha256("something else"))
    workspace.pool.add([other], source={"source": "system-y"})
    with pytest.raises(ValueError, match="0 are not in the snapshot and 1 have another text"):
        lay_out(workspace, assessor="Ana", query_id="q9", where="")


def test_events_are_stored_acknowledged_and_not_stored_twice(
    workspace: Workspace, desk: Desk
) -> None:
    """Every kind of event arrives in the workspace; sent again it is acknowledged again."""
    answered: set[str] = set()
    sending = message(
        *(event(desk, 0, "3", n="why"), event(desk, 1, "?")),
        *(event(desk, 2, "1"), event(desk, 2, None)),
        {"id": "z", "end": "skipped", "why": "It is unclear"},
    )
    for _ in range(2):
        answer = receive(workspace, desk, sending, answered=answered, now=NOW)
        assert sorted(answer["stored"]) == ["e03", "e1?", "e21", "e2None", "z"]
        assert (answer["refused"], answer["attempt"], answer.get("trouble")) == ([], 7, None)
    expected = [("grade", 3, "why"), ("unsure", None, None)]
    expected += [("grade", 1, None), ("undone", None, None)]
    assert [(j.verdict, j.grade, j.note) for j in workspace.judgements.all()] == expected
    first = next(workspace.judgements.all())
    assert (0, 1.5, "key") == (first.position, first.active_seconds, first.method)
    assert desk.chunk_id_by_key[desk.data["chunks"][0][0]] == first.chunk_id
    (end,) = workspace.judgements.query_ends()
    told = tuple(end[name] for name in ("assessor", "query_id", "outcome", "reason"))
    assert ("Ana", "q1", "skipped", "It is unclear") == told


def test_what_cannot_be_stored_is_refused_with_a_reason(workspace: Workspace, desk: Desk) -> None:
    """A strange chunk, grade or way to end is refused; the rest of the message is stored."""
    sending = message(
        {**event(desk, 0, "1"), "id": "a", "k": "unknown"},
        {**event(desk, 0, "9"), "id": "b"},
        {**event(desk, 0, "one"), "id": "c"},
        {"id": "d", "end": "given up"},
        {"id": "e", "end": "skipped", "why": "half a pair \ud83d"},
        {**event(desk, 0, "1"), "id": "f", "s": 10**400},
        {**event(desk, 0, "1"), "id": "g", "p": 10**400},
        {**event(desk, 0, "1"), "id": ""},
        {"no": "id"},
        event(desk, 1, "2"),
    )
    answer = receive(workspace, desk, sending, answered=set(), now=NOW)
    assert answer["stored"] == ["e12"]
    assert dict(answer["refused"]) == {
        "a": "this chunk is not in the query's pool",
        "b": "9 is not on the scale [0, 1, 2, 3]",
        "c": "'one' is no grade",
        "d": "'given up' is no way to end a query",
        "e": "characters that are no text",
        "f": "int too large to convert to float",
        "g": "its position is no place in an order",
        "": "an event without an id",
    }


@pytest.mark.parametrize("nonsense", [None, 3, "x", [], {}, {"events": 4}, {"events": [1, None]}])
def test_a_message_without_events_is_answered_with_nothing(
    workspace: Workspace, desk: Desk, nonsense: object
) -> None:
    """Whatever a browser sends, the page goes on."""
    answer = receive(workspace, desk, nonsense, answered=set(), now=NOW)
    assert (answer["stored"], answer["refused"]) == ([], [])


def test_a_file_that_cannot_be_written_acknowledges_nothing(
    workspace: Workspace, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The desk keeps its events and is told why."""
    monkeypatch.setattr(Judgements, "record", _full_disk)
    answer = receive(workspace, desk, message(event(desk, 0, "1")), answered=set(), now=NOW)
    assert answer["stored"] == []
    assert "No space left" in answer["trouble"]


def _full_disk(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


# The queue


def progress(query_id: str, **judged_by: int) -> QueryProgress:
    return QueryProgress(query_id, query_id, "log", 5, 0, judged_by, {})


def test_the_queue_puts_what_was_begun_first_and_what_others_judged_last() -> None:
    """Begun by me, judged by nobody, judged by others, ended."""
    rows = [
        replace(progress("done", Ana=5), ended_by={"Ana": "finished"}),
        progress("others", Bo=5, Cy=2),
        progress("one other", Bo=5),
        progress("new"),
        progress("mine", Ana=2, Bo=5),
    ]
    tasks = agenda(rows, assessor="Ana")
    assert ["mine", "new", "one other", "others", "done"] == [t.query_id for t in tasks]
    first = next_task(tasks)
    assert first is not None
    assert "mine" == first.query_id
    second = next_task(tasks, after="mine")
    assert second is not None
    assert "new" == second.query_id
    assert next_task(tasks[-1:]) is None


def test_what_is_left_for_an_assessor_is_at_their_own_mean() -> None:
    """What they skipped wants nothing, and what came after they finished a query is left."""

    def judgement(pair: str, seconds: float, assessor: str = "Ana") -> Judgement:
        query_id, chunk_id = pair.split()
        return Judgement("e", query_id, chunk_id, assessor, 1, "grade", NOW, active_seconds=seconds)

    rows = [
        progress("new", Bo=5),
        replace(progress("skipped", Ana=1), ended_by={"Ana": "skipped"}),
        replace(progress("grown", Ana=3), ended_by={"Ana": "finished"}),
    ]
    tasks = agenda(rows, assessor="Ana")
    assert ["grown", "new", "skipped"] == [task.query_id for task in tasks]
    assert ["grown", "open", "skipped"] == [task.state for task in tasks]
    mine = [*(judgement(f"grown c{n}", 2.0) for n in range(3)), judgement("skipped c1", 6.0)]
    own = own_progress([*mine, judgement("new c1", 99.0, "Bo")], tasks, assessor="Ana")
    assert (10, 7) == (own.wanted, own.left)
    assert 3.0 == own.pace.seconds_per_chunk_mean
    assert pytest.approx(21 / 3600) == own.hours_left


def test_what_was_skipped_is_left_for_nobody_it_was_not_assigned_to() -> None:
    """One who skips speaks for all where a query is anybody's, and for themselves elsewhere."""
    skipped = replace(progress("anybody's"), ended_by={"Ana": "skipped"})
    mended = replace(progress("mended"), ended_by={"Ana": "skipped", "Bo": "finished"})
    shared = replace(progress("shared"), ended_by={"Ana": "skipped"})
    assigned = {"shared": ("Ana", "Bo")}
    left = [whole_progress([], [row], assigned=assigned).left for row in (skipped, mended, shared)]
    assert [0, 5, 5] == left


# The pages


def test_a_new_name_is_kept_and_a_bad_one_refused(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Control characters and the reserved name are not taken; other capitals are one person."""
    at = app(assessor=None)
    for press, name in enumerate(["a\x07b", "known answer", "  Ana Lima ", "ana lima"]):
        if name == "ana lima":
            at.session_state["who"] = {"act": {"press": "1"}}  # "Not you?"
            at.run()
        assert "Who is judging?" == sent(at, "chooser")["question"]
        at.session_state["chooser"] = {"act": {"name": name, "press": str(press)}}
        at.run()
    assert ["Ana Lima"] == workspace.people.assessors()
    assert {"doing": "Judging as", "who": "Ana Lima", "change": "Not you?"} == sent(at, "who")


@pytest.mark.parametrize(
    ("page", "question", "kept"),
    [
        ("queue", "Who is judging?", "each of your judgements"),
        ("judge", "Who is judging?", "each of your judgements"),
        ("write", "Who is writing?", "what you had seen of them before is kept"),
        ("decide", "Who is deciding?", "each of your decisions"),
    ],
)
def test_the_question_who_is_there_fits_the_page(
    app: Callable[..., AppTest], workspace: Workspace, page: str, question: str, kept: str
) -> None:
    """What is done there, and what becomes of the name."""
    judge(workspace, "Bo", "q1", [3])
    data = sent(app(page, assessor=None), "chooser")
    assert question == data["question"]
    assert kept in data["kept"]


def test_the_queue_lists_queries_and_where_one_was(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """What was judged last comes first, and the pace appears once there is one."""
    judge(workspace, "Ana", "q2", [1, 1, 1], active_seconds=4.0)
    data = sent(app(), "agenda")
    assert "q2" == data["current"]["id"]
    assert ["q2", "q1", "q3"] == [query["id"] for query in data["open"]]
    assert ["texts you have not judged", "9"] in data["facts"]


def test_the_desk_stores_what_the_browser_sends(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """It answers through the wire; a wish to go on brings the next query into the address."""
    at = app("judge", q="q1")
    press_3(at)
    at.run()
    assert ["e1"] == sent(at, "wire")["stored"]
    assert ["e1"] == [judgement.event_id for judgement in workspace.judgements.all()]
    at.session_state[f"wire-{sent(at, 'desk')['desk']}"] = {"outbox": None, "next": "press-1"}
    at.run()
    assert at.query_params["q"] in ("q2", ["q2"])  # AppTest gives either
    assert "how much warning before leave 2" == sent(at, "desk")["query"]


def test_an_unknown_query_is_answered_in_words(app: Callable[..., AppTest]) -> None:
    """A wrong address shows what to do, not a traceback."""
    at = app("judge", q="q-unknown")
    assert not at.exception
    assert "There is no query 'q-unknown'" in at.text[0].value
    assert ["Go to the queue"] == [button.label for button in at.button]


def test_the_sample_page_draws_and_keeps(app: Callable[..., AppTest], workspace: Workspace) -> None:
    """Size and seed give a preview; one press keeps the sample."""
    add_log(workspace, [f"search {at}" for at in range(9)])
    at = app("sample")
    at.number_input[0].set_value(5).run()
    preview, held_out = sent_all(at, "sheet")[-2:]
    assert ["documents held out", "1 of 4"] == held_out[0]["rows"][0]
    assert ["search 0", "9", "1.000"] == preview[1]["rows"][0]
    at.button[0].click().run()
    assert not at.exception
    assert 5 == len([q for q in workspace.queries.all() if q.inclusion_probability is not None])
    assert 13 == getattr(workspace.queries.sample(), "seed", None)


def test_the_progress_page_counts_pairs_and_classes(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Judged pairs, active time and the held-out slice are on the page."""
    judge(workspace, "Ana", "q1", [3], active_seconds=4.0)
    judged, pace, assessors, held_out, queries = sent_all(app("progress"), "sheet")
    assert ["pairs of query and chunk graded", "1 of 12"] in judged[0]["rows"]
    assert ["a chunk, mean", "4.0 s"] in pace[0]["rows"]
    assert ["of judging left, at the mean", "1 min"] in pace[0]["rows"]
    said = "3.3 minutes for 50 chunks, at the mean of 1 timed chunk (no query was judged whole)"
    assert ["Measured here", said] in pace[1]["rows"]
    row = ["Ana", "0", "0", "1", "0", "4.0 s", "under 1 min", "0", ""]
    assert row == assessors[0]["rows"][0]
    assert 1 == sum(int(row[1]) for row in held_out[2]["rows"][:3])
    assert ["too few"] == [row[3] for row in held_out[2]["rows"] if row[1] == "1"]
    assert ["how much warning before leave 1", "1 of 4", "1"] == queries[0]["rows"][0]


def the_button(at: AppTest) -> Button:
    """The one that freezes."""
    return next(button for button in at.button if button.label == "Freeze")


def test_the_freeze_page_wants_a_declaration_and_freezes(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """
    The button is off while something is in the way or unsaid; then come the commands.

    With nearly nothing judged it does not say that nothing stands in the way, and asks again.
    """
    at = app("freeze")
    assert "stop" in [row["mark"] for row in sent_all(at, "sheet")[0][0]["rows"]]
    assert the_button(at).disabled
    judge(workspace, "Ana", "q1", [3], active_seconds=4.0)
    at = app("freeze")
    assert at.radio[0].value is None
    at.text_input[0].set_value("set-1").run()
    lacking = "Still to say: header work, who declares it, that you mean it."
    assert lacking in [each.value for each in at.caption]
    assert at.warning[0].value.startswith("Too early? So far only 1 of 12 pairs is judged.")
    assert "good" not in [row["mark"] for row in sent_all(at, "sheet")[0][0]["rows"]]
    at.checkbox[0].check().run()
    at.radio[0].set_value("No work on headers has begun").run()
    assert the_button(at).disabled
    at.text_input[1].set_value("Ana").run()
    assert [] == [each.value for each in at.caption if each.value.startswith("Still to say")]
    the_button(at).click().run()
    assert not at.exception
    labels = read_label_set(workspace.path / "labels" / "set-1")
    digest, command, git = shown = [each.value for each in at.code]
    assert labels.sha256 == digest
    assert f"evaluator run {workspace.path}/experiments/set-1.toml" == command
    assert git.endswith(
        f"commit -m 'Freeze label set set-1, SHA-256 {digest}' -- set-1 set-1.ledger.jsonl"
    )
    assert {"begun": False, "at": None, "declared_by": "Ana"} == labels.manifest["header_work"]
    later = app("freeze")
    assert not later.code
    later.selectbox(key="lines").set_value("set-1").run()
    assert shown == [each.value for each in later.code]


def test_a_freeze_leaves_an_empty_form(app: Callable[..., AppTest], workspace: Workspace) -> None:
    """So a second press freezes nothing; headers that were begun are named one to a line."""
    for query_id in ("q1", "q2"):
        judge(workspace, "Ana", query_id, [3, 0, 0, 0], active_seconds=4.0)
    at = app("freeze")
    at.text_input[0].set_value("set-1").run()
    at.radio[0].set_value("Work on headers began on a date").run()
    at.date_input[0].set_value(date(2026, 1, 1)).run()
    at.text_area[0].set_value("title+path\n\ntitel").run()
    at.text_input[1].set_value("Ana").run()
    the_button(at).click().run()
    assert "'titel' is no header" in at.text[0].value
    at.text_area[0].set_value(f"title+path\n{'ab' * 32}").run()
    the_button(at).click().run()
    declared = read_label_set(workspace.path / "labels/set-1").manifest["header_work"]
    assert {sha256(b"title+path").hexdigest(), "ab" * 32} < set(declared["treatments"])
    assert ["", None] == [each.value for each in at.text_input[:2]]
    assert the_button(at).disabled


def test_the_desk_says_what_was_frozen(workspace: Workspace, desk: Desk) -> None:
    """With what becomes of changes; a desk that is open hears of it with its next answer."""
    assert desk.data["frozen"] is None
    made = workspace.path / "labels/set-1"
    made.mkdir(parents=True)
    (made / "manifest.json").write_text('{"frozen_at": "2026-05-06T07:08:09.000Z"}')
    answer = receive(workspace, desk, message(), answered=set(), now=NOW)
    assert answer["frozen"].startswith("The labels were frozen as set-1 on 2026-05-06 at 07:08 UTC")
    assert desk.data["fold"] == 3_000


def test_the_queue_filters_searches_and_finishes_what_was_judged_whole(
    tmp_path: Path, open_page: Callable[..., AppTest]
) -> None:
    """A disagreement is told only once the query is finished, and known answers tell of none."""
    work = make_workspace(tmp_path / "many", queries=some_queries(7), texts=plain_texts(2))
    for query_id in ("q1", "q2", "q3"):
        judge(work, "Ana", query_id, [3, 0])
    judge(work, "Bob", "q2", [3, 1])
    judge(work, "known answer", "q1", [2])
    at = open_page(work, "queue")
    assert "Others differ (0)" in at.radio[0].options
    (finish,) = (each for each in at.button if each.label.startswith("Finish"))
    assert finish.label == "Finish the 3 queries that you judged whole"
    finish.click().run()
    assert [3, 4] == [len(sent(at, "agenda")[part]) for part in ("done", "open")]
    at.radio[0].set_value("Others differ").run()
    assert ["q2"] == [row["id"] for row in sent(at, "agenda")["done"]]
    at.radio[0].set_value("Open").run()
    at.text_input[0].set_value("LEAVE 5").run()
    assert ["q5"] == [row["id"] for row in sent(at, "agenda")["open"]]
    assert sent(at, "agenda")["done"] == []


@pytest.mark.usefixtures("open_page")
def test_without_a_workspace_every_page_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder that is no workspace gives one page in words, and so does none at all."""
    for given, said in (
        (str(tmp_path), f"{tmp_path} is no workspace"),
        ("", "The app was started without a workspace"),
    ):
        monkeypatch.setenv("ONECAUSE_WORK", given)
        at = opened("judge")
        assert not at.exception
        assert said in at.text[0].value


@pytest.mark.parametrize("page", ["queue", "judge", "freeze"])
def test_a_workspace_that_went_away_is_told_on_every_page(
    app: Callable[..., AppTest], workspace: Workspace, page: str
) -> None:
    """SQLite would go on with the deleted file; whoever puts it back goes on where they were."""
    app(page)
    away = workspace.path.rename(workspace.path.with_name("away"))
    at = app(page)
    assert [] == list(at.exception) == list(at.get("bidi_component"))
    assert "is not there any more" in at.text[0].value
    away.rename(workspace.path)
    assert [] == [text.value for text in app("progress").text if "not there" in text.value]


def test_what_is_judged_while_the_workspace_is_away_is_not_acknowledged(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """The desk keeps it and sends it again."""
    at = app("judge", q="q1")
    press_3(at)
    away = workspace.path.rename(workspace.path.with_name("away"))
    at.run()
    away.rename(workspace.path)
    assert [] == list(workspace.judgements.all())
    at.run()
    press_3(at)
    at.run()
    press_3(at)
    at.run()
    assert ["e1"] == [judgement.event_id for judgement in workspace.judgements.all()]


def test_a_file_that_is_missing_is_told_in_words(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """The snapshot is on a disk that is not there."""
    app("judge", q="q1")
    (workspace.snapshot.path / "chunks.parquet").rename(workspace.path / "away")
    at = app("judge", q="q1")
    assert not at.exception
    assert "A file of the workspace cannot be used" in at.text[0].value


# Who may what, where people sign in


def test_who_may_judge_judges_under_the_name_on_the_list(
    app: Callable[..., AppTest],
) -> None:
    """No name is asked for, and there is no way to take another."""
    data = sent(app(user=ANA), "who")
    assert ("Ana", None) == (data["who"], data["change"])


@pytest.mark.parametrize("page", ["sample", "progress", "agreement", "decide", "freeze", "flips"])
def test_who_may_not_freeze_sees_no_page_of_owners(app: Callable[..., AppTest], page: str) -> None:
    """Words instead, and nothing of the page."""
    at = app(page, user=ANA)
    assert ["Not for you"] == [title.value for title in at.title]
    assert "those who may freeze" in at.text[0].value
    assert [] == list(at.get("bidi_component"))


def test_the_menu_has_the_pages_of_study_for_owners_only() -> None:
    """Who writes queries and owns nothing finds the way from the queue."""
    names = {
        right: [
            place.name for place in PLACES if place.is_in_menu_of(Person("a", frozenset([right])))
        ]
        for right in ("judge", "freeze")
    }
    assert ["queue", "judge", "mine"] == names["judge"]
    assert not set(names["judge"]) & set(names["freeze"])
    assert "write" in names["freeze"]


def test_my_work_lists_what_one_judged(app: Callable[..., AppTest], workspace: Workspace) -> None:
    """One's own only: relevant texts, those one could not tell, and the time by query."""
    judge(workspace, "Ana", "q2", [3, 0, 2], active_seconds=40.0)
    judge(workspace, "Bo", "q1", [3])
    numbers, grades, queries = sent_all(app("mine"), "sheet")
    assert ["texts judged", "3"] in numbers[0]["rows"]
    assert ["3: Answers", "1"] in grades[0]["rows"]
    (row,) = queries[0]["rows"]
    assert ["3 of 4", "2", "0", "2 min", "Open"] == row[1:]


def test_guidelines_that_change_after_judging_began_are_told(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """On the queue and on the desk, which knows by the digest what a browser has shown."""
    judge(workspace, "Ana", "q1", [3])
    assert [] == list(app().warning)
    at = app("guidelines")
    at.text_area[0].set_value("Only **whole** answers.")
    at.button[0].click().run()
    assert not at.exception
    assert ["1"] == [each[1] for each in sent_all(at, "sheet")[1][0]["rows"]]
    assert "after judging had begun" in app().warning[0].value
    told = sent(app("judge", q="q1"), "desk")["guidelines"]
    assert "Only **whole** answers.\n" == told["text"]
    assert "after judging had begun" in told["changed"]


def test_a_practice_query_comes_first_and_leaves_no_judgement(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """With the key after each grade; it can be skipped, and who has judged is not asked."""
    ids = [entry.chunk_id for entry in workspace.pool.entries("q1")]
    workspace.set_practice(Practice("try *me*", ((ids[0], 3, "It answers."), (ids[1], 0, ""))))
    at = app("judge", q="q1")
    assert ["Practice"] == [title.value for title in at.title]
    assert ["Skip the practice"] == [button.label for button in at.button]
    at.radio[0].set_value(at.radio[0].options[3]).run()
    at.radio[1].set_value(at.radio[1].options[3]).run()
    said = [text.value for text in at.text]
    assert {"The same grade as the key.", "The key differs:"} <= set(said)
    assert [["The key", "3: Answers"], ["Why", "It answers."]] in [
        sheet[0].get("rows") for sheet in sent_all(at, "sheet")
    ]
    at.button[0].click().run()
    assert "Text" in sent(at, "desk")["chunks"][0][1]
    assert [] == list(workspace.judgements.all())
    judge(workspace, "Ana", "q2", [1])
    assert sent(app("judge", q="q1"), "desk")
    last = (ids[1], 0, "")
    for texts in ((last,), ((ids[0], 9, ""), last), (("no", 0, ""), last), (last, last)):
        with pytest.raises(InputError):
            workspace.set_practice(Practice("try", texts))


def test_the_owner_makes_a_practice_query_from_texts_that_are_found(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """What gets no grade is left out; fewer than two are refused in words."""
    at = app("guidelines")
    at.text_input(key="practice").set_value("tell your manager").run()
    assert not at.exception
    next(each for each in at.button if each.label.startswith("Keep the")).click().run()
    assert "2 to 12 texts" in "".join(text.value for text in at.text)
    assert workspace.practice() is None


def test_agreement_with_known_answers_is_for_owners(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Pairs with a known answer are checks: how many of them each person got right."""
    judge(workspace, "Ana", "q1", [3, 1, 0])
    judge(workspace, "Bo", "q1", [0])
    judge(workspace, "known answer", "q1", [3, 2])
    rows = next(
        block["rows"]
        for sheet in sent_all(app("agreement"), "sheet")
        for block in sheet
        if block.get("label") == "Against known answers"
    )
    assert [["Ana", "2", "1 (50%)", "2"], ["Bo", "1", "0 (0%)", "0"]] == rows


@pytest.mark.parametrize("page", ["queue", "judge"])
def test_who_may_only_freeze_does_not_judge(app: Callable[..., AppTest], page: str) -> None:
    """The owner comes in at the first page of theirs; the desk says that it is not for them."""
    at = app(user={"email": "olga@example.org"})
    assert ["Logs"] == [title.value for title in at.title]
    at.switch_page(f"views/{page}.py").run()
    assert "those who may judge" in at.text[0].value


@pytest.mark.parametrize(
    ("way", "user", "title"),
    [
        ("proxy", {"email": "eve@example.org"}, "You are not on the list"),
        ("proxy", {}, "Nobody said who you are"),
        (
            "provider",  # or anybody could register Ana's address with a careless one
            {"email": "ana@example.org", "email_verified": False, "is_logged_in": True},
            "No verified address",
        ),
    ],
)
def test_strangers_see_a_page_in_words(
    app: Callable[..., AppTest], way: str, user: dict[str, Any], title: str
) -> None:
    """Whatever the page, with no data of the workspace."""
    for page in ("queue", "freeze"):
        at = app(page, way=way, user=user)
        assert [title] == [each.value for each in at.title]
        assert not at.exception
        assert [] == list(at.get("bidi_component"))


def test_without_a_sign_in_the_app_serves_this_machine_only(
    app: Callable[..., AppTest],
) -> None:
    """Started by hand on every address, it shows how to start it."""
    config.set_option("server.address", "0.0.0.0")
    at = app()
    assert "without a sign-in" in at.text[0].value


def test_who_is_taken_off_the_list_stores_nothing_more(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Even from a page that was open before."""
    at = app("judge", user=ANA)
    workspace.people.set_role(Role("Ana", False, False, "ana@example.org"), now=NOW)
    press_3(at)
    at.run()
    assert [] == list(workspace.judgements.all())


# Assignment


def test_the_queue_shows_what_is_assigned_and_folds_the_rest(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Own queries first and counted alone; who has none is told so."""
    workspace.people.save_assignment(
        {"q2": ["Ana"], "q3": ["Bo"], "q1": ["Bo"]}, record={}, now=NOW
    )
    data = sent(app(), "agenda")
    assert (["q2"], ["q1", "q3"]) == (
        [q["id"] for q in data["open"]],
        [q["id"] for q in data["others"]],
    )
    assert "q2" == data["current"]["id"]
    assert ["queries finished", "0 of 1"] in data["facts"]
    assert "Query 1 of 1 assigned to you" == sent(app("judge"), "desk")["where"]
    assert "A query of others" == sent(app("judge", q="q1"), "desk")["where"]
    workspace.people.save_assignment({"q1": ["Bo"], "q2": ["Bo"]}, record={}, now=NOW)
    data = sent(app(), "agenda")
    nothing = (data["nothing"], data["open"], len(data["others"]))
    assert ("No query is assigned to you.", [], 3) == nothing
