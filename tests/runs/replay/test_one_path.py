"""A replay, the live guard and a replay of the guard's log make the same decisions on a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.live_guarding import live_guard
from tests.recordings import AIRLINE, needs_airline
from tests.runs.replay.playing import played
from tests.runs.world.airline_agent import WRITTEN, airline_desk
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import DecisionLog, Guard, LookUps, Mode, ToolCall
from workbench.guard.calls import look_up_first
from workbench.model import (
    Decision,
    Json,
    LookedUp,
    RecordedCall,
    Verdict,
    Violation,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay.asked_look_ups import look_ups_of
from workbench.runs.replay.decide import replay
from workbench.runs.replay.origins import origin_of
from workbench.runs.replay.remedy import message_for_agent
from workbench.runs.replay.turning_values import Turning
from workbench.runs.world.database import FolderDatabase
from workbench.session import Session

TERMS, SPEC = airline_desk()
DESK = compile_policy(TERMS)
EXTRACTOR = Extractor(SPEC.arguments, SPEC)
RESERVATION = "cancel_reservation_reservation"


@needs_airline
def test_every_run_of_the_airline_is_decided_alike_in_replay_and_live(tmp_path: Path) -> None:
    path = AIRLINE / "runs.json"
    replayed = list(replay(DESK, EXTRACTOR, load_runs([path]).runs))
    log = tmp_path / "log.jsonl"
    guard = live_guard(DESK, EXTRACTOR, mode=Mode.SHADOW, log=DecisionLog(log))
    live: list[Decision] = []
    for number, record in enumerate(json.loads(path.read_text())):
        live += played(record["traj"], guard.run(f"run {number}"))
    assert len(live) == len(replayed) == 577
    assert [
        decision for decision, other in zip(live, replayed, strict=True) if decision != other.decision
    ] == []
    imported = load_runs([log])
    assert not imported.problems
    again = replay(DESK, EXTRACTOR, imported.runs)
    assert [decided.decision for decided in again] == live


# --- look-ups ---------------------------------------------------------------------


def asked_of(database: Path) -> LookUps:
    """The desk's read-only tools over the database, one of them async."""
    users = json.loads((database / "users.json").read_text())
    reservations = json.loads((database / "reservations.json").read_text())

    async def get_user_details(user_id: str) -> object:
        return users.get(user_id, "Error: user not found")

    def get_reservation_details(reservation_id: str) -> object:
        return reservations.get(reservation_id, "Error: reservation not found")

    return LookUps({"get_user_details": get_user_details, "get_reservation_details": get_reservation_details})


@needs_airline
@pytest.mark.slow
def test_with_look_ups_the_log_replays_without_them(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    tools = asked_of(AIRLINE / "database")
    guard = live_guard(DESK, EXTRACTOR, mode=Mode.SHADOW, log=DecisionLog(log), look_ups=tools)
    live: list[Decision] = []
    for number, record in enumerate(json.loads((AIRLINE / "runs.json").read_text())):
        live += played(record["traj"], guard.run(f"run {number}"))
    again = list(replay(DESK, EXTRACTOR, load_runs([log]).runs))
    assert [decided.decision for decided in again] == live
    database = FolderDatabase(AIRLINE / "database", SPEC.records)
    extractor = Extractor(SPEC.arguments, SPEC, database=database)
    marked = list(replay(DESK, extractor, load_runs([AIRLINE / "runs.json"]).runs))
    for decided, decision in zip(marked, live, strict=True):
        if decided.decision.verdict is not decision.verdict:
            assert decided.decision.verdict is Verdict.CANNOT_EVALUATE
            assert decided.extracted["book_reservation_user"].missing, "a booking of the run changed it"


def call(reservation: str = "R1") -> ToolCall:
    return ToolCall("cancel_reservation", {"reservation_id": reservation})


def reservation(**fields: object) -> dict[str, object]:
    """The desk's record of a reservation that may be cancelled."""
    known = {"reservation_id": "R1", "user_id": "ann", "cabin": "business", "insurance": "no"}
    return {**known, "created_at": "2024-05-15T14:00:00", "flights": [], **fields}


def desk(answer: Callable[..., object], log: Path, seconds: float = 5.0) -> Guard:
    look_ups = LookUps({"get_reservation_details": answer}, seconds)
    return live_guard(DESK, Extractor(SPEC.arguments, SPEC), log=DecisionLog(log), look_ups=look_ups)


def replayed(log: Path) -> list[Decision]:
    runs = load_runs([log]).runs
    return [decided.decision for decided in replay(DESK, Extractor(SPEC.arguments, SPEC), runs)]


def test_a_look_up_is_asked_once_in_a_run_and_stands_in_the_log(tmp_path: Path) -> None:
    look_ups: list[str] = []

    def answer(reservation_id: str) -> object:
        look_ups.append(reservation_id)
        return reservation(reservation_id=reservation_id)

    guard = desk(answer, tmp_path / "log.jsonl")
    outcomes = [guard.check(call()), guard.check(ToolCall("cancel_reservation", {"reservation_id": "R1"}))]
    assert [outcome.decision.verdict for outcome in outcomes] == [Verdict.ALLOW, Verdict.CANNOT_EVALUATE]
    assert "is not known yet" in outcomes[1].decision.reasons[0], "the cancellation may change it"
    assert look_ups == ["R1"]
    line = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[0])
    (entry,) = line["look_ups"]
    assert (entry["tool"], entry["arguments"]) == ("get_reservation_details", {"reservation_id": "R1"})
    assert json.loads(entry["result"]) == reservation()
    assert replayed(tmp_path / "log.jsonl") == [outcome.decision for outcome in outcomes]


def test_what_a_refused_call_looked_up_is_known_afterwards(tmp_path: Path) -> None:
    look_ups: list[str] = []

    def answer(reservation_id: str) -> object:
        look_ups.append(reservation_id)
        return reservation(cabin="economy", created_at="2024-05-01T00:00:00")

    guard = desk(answer, tmp_path / "log.jsonl")
    outcomes = [guard.check(call()), guard.check(call())]
    assert [outcome.decision.verdict for outcome in outcomes] == [Verdict.DENY] * 2
    assert look_ups == ["R1"]
    assert replayed(tmp_path / "log.jsonl") == [outcome.decision for outcome in outcomes]


RELEASED = threading.Event()


def slow(reservation_id: str) -> object:
    RELEASED.wait(10)
    return reservation(reservation_id=reservation_id)


def broken(reservation_id: str) -> object:
    raise OSError(reservation_id)


async def later(reservation_id: str) -> object:
    raise TimeoutError(reservation_id)


def without_key() -> object:
    return reservation()


def returns(value: object) -> Callable[..., object]:
    def answer(**_: object) -> object:
        return value

    return answer


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (slow, "it took longer than 0.1 seconds"),
        (broken, "the tool failed (OSError)"),
        (later, "the tool failed (TimeoutError)"),
        (returns(reservation(reservation_id="R2")), "gave another reservation: R2"),
        (returns(None), "the tool returned nothing"),
        (returns("<html>"), "no JSON"),
        (returns(float("nan")), "no object"),
        (returns(reservation(cabin="first")), "is none of basic_economy"),
        (without_key, "the tool failed (TypeError)"),
        (returns("x" * 2_000_000), "longer than 1000000"),
    ],
)  # fmt: skip
def test_a_look_up_that_is_no_answer_is_never_a_reason_to_allow(
    answer: Callable[..., object], why: str, tmp_path: Path
) -> None:
    guard = desk(answer, tmp_path / "log.jsonl", 0.1)
    outcome = guard.check(call())
    RELEASED.set()
    assert outcome.decision.verdict is Verdict.CANNOT_EVALUATE
    assert not outcome.runs
    assert why in " ".join(outcome.decision.reasons)
    assert "\n" not in outcome.feedback
    assert replayed(tmp_path / "log.jsonl") == [outcome.decision]


def test_without_look_ups_the_message_names_the_call_that_would_tell(tmp_path: Path) -> None:
    guard = live_guard(DESK, Extractor(SPEC.arguments, SPEC), log=DecisionLog(tmp_path / "log.jsonl"))
    outcome = guard.check(call())
    assert outcome.decision.verdict is Verdict.CANNOT_EVALUATE
    assert outcome.feedback.endswith('Look it up first: get_reservation_details(reservation_id="R1").')
    assert outcome.look_up_first == (LookedUp("get_reservation_details", {"reservation_id": "R1"}),)
    looked = guard.check(ToolCall("get_reservation_details", {"reservation_id": "R1"}))
    guard.finish(looked, reservation())
    assert guard.check(call()).runs


def test_only_records_that_the_denying_rule_asks_for_are_to_be_looked_up() -> None:
    guard = live_guard(compile_policy(TERMS), Extractor(SPEC.arguments, SPEC))
    looked = guard.check(ToolCall("get_reservation_details", {"reservation_id": "R1"}))
    guard.finish(looked, reservation(cabin="economy", created_at="2024-05-01T00:00:00"))
    late = guard.check(call())
    assert (late.decision.violations[0].rule, late.look_up_first) == ("forbid_late_cancellation", ())
    booked = guard.check(ToolCall("book_reservation", {"user_id": "ann", "payment_methods": []}))
    assert booked.look_up_first == (LookedUp("get_user_details", {"user_id": "ann"}),)
    assert booked.feedback.endswith('Look it up first: get_user_details(user_id="ann").')


def test_a_call_that_failed_spoils_nothing_live_and_replayed(tmp_path: Path) -> None:
    guard = live_guard(DESK, Extractor(SPEC.arguments, SPEC), log=DecisionLog(tmp_path / "log.jsonl"))
    looked = guard.check(ToolCall("get_reservation_details", {"reservation_id": "R1"}))
    guard.finish(looked, reservation())
    guard.finish(guard.check(call()), "no connection", failed=True)
    outcome = guard.check(call())
    assert outcome.decision.verdict is Verdict.ALLOW
    assert replayed(tmp_path / "log.jsonl")[-1] == outcome.decision


# --- on the command line ----------------------------------------------------------


def session_of(folder: Path, *calls: dict[str, object]) -> Path:
    """A session of the desk with a log of these calls."""
    session = Session.create(folder / "desk", "Guard the desk.", SPEC, author="written")
    session.set_policy(WRITTEN)
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps({"run": "r", **logged_call}) + "\n" for logged_call in calls))
    return log


def test_the_origin_of_a_record_quotes_the_earlier_result_and_the_message_names_the_look_up() -> None:
    about: dict[str, Json] = {"reservation_id": "R1"}
    text = json.dumps(reservation(cabin="economy", created_at="2024-05-01T00:00:00"))
    looked = RecordedCall("r", 1, "get_reservation_details", about, {"result": text}, result=text)
    recorded_call = RecordedCall("r", 2, "cancel_reservation", about)
    extractor = Extractor(SPEC.arguments, SPEC)
    declared = next(argument for argument in SPEC.arguments if argument.name == RESERVATION)
    extracted = extractor.extract(recorded_call, [looked])[RESERVATION]
    (quote,) = origin_of(
        recorded_call, RESERVATION, extracted, declared, {1: looked, 2: recorded_call}
    ).quotes
    assert (quote.call, quote.text, quote.start, quote.end) == (1, "result", 0, len(text))
    assert text.startswith(quote.quote[:20])
    assert quote.place.startswith("result of call 1, line 1: ")
    assert origin_of(recorded_call, RESERVATION, extracted, declared).quotes == (), (
        "without the run nothing is quoted"
    )
    before = extractor.extract(recorded_call)
    sentence = look_up_first(look_ups_of({"r": [RESERVATION]}, Decision(Verdict.CANNOT_EVALUATE), before))
    assert sentence == 'Look it up first: get_reservation_details(reservation_id="R1").'
    denied = Decision(Verdict.DENY, (Violation("cancellation", "Not without a look."),))
    message = message_for_agent(denied, Turning(None), (), (), sentence)
    assert message.endswith(sentence)


def test_a_replay_with_a_database_marks_what_it_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = session_of(tmp_path, {"tool": "cancel_reservation", "arguments": {"reservation_id": "R1"}})
    database = tmp_path / "database"
    database.mkdir()
    (database / "reservations.json").write_text(json.dumps({"R1": reservation()}))
    command = ["replay", str(tmp_path / "desk"), "--log", str(log), "--json"]
    assert main(command) == 0
    denied = json.loads(capsys.readouterr().out)
    wanted = {"tool": "get_reservation_details", "arguments": {"reservation_id": "R1"}}
    assert denied["decision"] == "cannot-evaluate"
    sentence = 'Look it up first: get_reservation_details(reservation_id="R1").'
    assert main([*command[:-1], "--decision", "cannot-evaluate"]) == 0
    assert sentence in capsys.readouterr().out
    assert main(["explain", command[1], "r", *command[2:]]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert explained["look_up_first"] == [wanted]
    assert explained["message"].endswith(sentence)
    assert main([*command, "--database", str(database)]) == 0
    shown = capsys.readouterr()
    line = json.loads(shown.out)
    assert line["decision"] == "allow"
    assert line["arguments"][RESERVATION]["source"][0]["method"] == "database (reservations.json)"
    assert "1 call with records that" in shown.err


# --- the database of a replay -----------------------------------------------------


def test_a_database_answers_only_for_what_no_result_set_or_changed(tmp_path: Path) -> None:
    (tmp_path / "reservations.json").write_text(
        json.dumps(
            {
                "R1": reservation(),
                "R2": reservation(reservation_id="R2", cabin="x"),
                "R4": reservation(reservation_id="R5"),
            }
        )
    )
    extractor = Extractor(SPEC.arguments, SPEC, database=FolderDatabase(tmp_path, SPEC.records))
    about = {"reservation_id": "R1"}
    first = RecordedCall("r", 0, "cancel_reservation", about, result=json.dumps(reservation(cabin="economy")))
    extracted = extractor.extract(first)[RESERVATION]
    assert [place.method for place in extracted.provenance] == ["database (reservations.json)"]
    after = extractor.extract(RecordedCall("r", 1, "cancel_reservation", about), [first])[RESERVATION]
    assert cast("Any", after.value).cabin == "economy"
    unsaid = RecordedCall("r", 0, "cancel_reservation", about)
    assert extractor.extract(RecordedCall("r", 1, "cancel_reservation", about), [unsaid])[RESERVATION].missing
    assert "none of basic_economy" in str(
        extractor.extract(RecordedCall("r", 0, "cancel_reservation", {"reservation_id": "R2"}))[
            RESERVATION
        ].missing
    )
    other = extractor.extract(RecordedCall("r", 0, "cancel_reservation", {"reservation_id": "R4"}))[
        RESERVATION
    ]
    assert "another reservation_id in the record of R4: 'R5'" in str(other.missing)
    absent = extractor.extract(RecordedCall("r", 0, "cancel_reservation", {"reservation_id": "R3"}))
    assert absent[RESERVATION].state == "absent"


def test_a_folder_that_is_no_database_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"has no file of a record that the agent declares \(users.json"):
        FolderDatabase(tmp_path, SPEC.records)
    (tmp_path / "user.json").write_text("[{}]")
    with pytest.raises(WorkbenchError, match="has a record without a user_id of its own"):
        FolderDatabase(tmp_path, SPEC.records)
