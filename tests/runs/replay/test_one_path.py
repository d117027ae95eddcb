"""A replay, the live guard and a replay of the guard's log make the same decisions on a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from tests.recordings import AIRLINE, needs_airline
from tests.runs.replay.playing import played
from tests.runs.world.airline_agent import POLICY, airline_spec
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import DecisionLog, EnforcedPolicy, Guard, LookUps, Mode, ToolCall
from workbench.guard.calls import look_up_first
from workbench.model import (
    Argument,
    Arguments,
    ArgumentType,
    Decision,
    Extraction,
    Json,
    Kind,
    LookedUp,
    RecordedCall,
    Verdict,
    Violation,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.replay import replay
from workbench.runs.replay.asked_look_ups import look_ups_of
from workbench.runs.replay.explanation import message_for_agent
from workbench.runs.replay.live_guard import live_guard
from workbench.runs.replay.origins import origin_of
from workbench.runs.replay.turning_values import Turning
from workbench.runs.world.database import FolderDatabase

SPEC = airline_spec()
CHARGES = ("book_reservation", "update_reservation_flights", "update_reservation_baggages")
DAY = timedelta(hours=24)


class Desk(EnforcedPolicy):
    """Rules of the airline in Python, over the arguments of the spec."""

    def decide(self, arguments: Arguments) -> Decision:
        """Deny a call that one of the rules forbids."""
        broken = [rule for rule in (payments, counts, flights, cancellation) if rule(arguments)]
        violations = tuple(Violation(rule.__name__, f"{rule.__name__}.") for rule in broken)
        return Decision(Verdict.DENY if violations else Verdict.ALLOW, violations, arguments)


def payments(arguments: Arguments) -> bool:
    """A payment method that is not in the profile, or a profile that was not looked up."""
    user = cast("Any", arguments["user"])
    ids = [payment.payment_id for payment in cast("Any", arguments["payments"])]
    ids += [arguments["payment_id"]] if arguments["payment_id"] is not None else []
    return arguments["action"] in CHARGES and (
        user is None or any(payment_id not in user.payment_ids for payment_id in ids)
    )


def counts(arguments: Arguments) -> bool:
    """Too many payment methods of a kind for a booking."""
    user = cast("Any", arguments["user"])
    ids = [payment.payment_id for payment in cast("Any", arguments["payments"])]
    return arguments["action"] == "book_reservation" and (
        user is None
        or sum(payment_id in user.certificates for payment_id in ids) > 1
        or sum(payment_id in user.cards for payment_id in ids) > 1
        or sum(payment_id in user.gift_cards for payment_id in ids) > 3
    )


def flights(arguments: Arguments) -> bool:
    """Other flights for a reservation in basic economy."""
    reservation = cast("Any", arguments["reservation"])
    new_flights = cast("Any", arguments["flights"])
    return arguments["action"] == "update_reservation_flights" and (
        reservation is None
        or (
            reservation.cabin == "basic_economy"
            and {(flight.flight_number, flight.date) for flight in new_flights}
            != {(flight.flight_number, flight.date) for flight in reservation.flights}
        )
    )


def cancellation(arguments: Arguments) -> bool:
    """Too late, and neither business nor insured; or already flown."""
    reservation = cast("Any", arguments["reservation"])
    return arguments["action"] == "cancel_reservation" and (
        reservation is None
        or (
            cast("datetime", arguments["now"]) - reservation.created_at > DAY
            and reservation.cabin != "business"
            and reservation.insurance != "yes"
        )
        or any(flight.date < "2024-05-15" for flight in reservation.flights)
    )


def text_argument(name: str) -> Argument:
    """An argument that is a text of the run."""
    type_ = ArgumentType(Kind.STR, optional=True)
    return Argument(
        f"said_{name}", type_, "", Extraction("regex", {"text": [name], "pattern": r"(?s)\A(.*)\Z"})
    )


SAID = tuple(text_argument(name) for name in ("user", "first_user", "all_user", "first_system"))
ARGUMENTS = (*SPEC.arguments, *SAID)
EXTRACTOR = Extractor(ARGUMENTS, SPEC)


@needs_airline
def test_every_run_of_the_airline_is_decided_alike_in_replay_and_live(tmp_path: Path) -> None:
    path = AIRLINE / "runs.json"
    replayed = list(replay(Desk(), EXTRACTOR, load_runs([path]).runs))
    log = tmp_path / "log.jsonl"
    guard = live_guard(Desk(), EXTRACTOR, mode=Mode.SHADOW, log=DecisionLog(log))
    live: list[Decision] = []
    for number, record in enumerate(json.loads(path.read_text())):
        live += played(record["traj"], guard.run(f"run {number}"))
    assert len(live) == len(replayed) == 577
    assert [
        decision for decision, other in zip(live, replayed, strict=True) if decision != other.decision
    ] == []
    imported = load_runs([log])
    assert not imported.problems
    again = replay(Desk(), EXTRACTOR, imported.runs)
    assert [decided.decision for decided in again] == live


RULES = {
    "payment-in-profile": "payments",
    "payment-method-counts": "counts",
    "basic-economy-not-modified": "flights",
    "cancellation-conditions": "cancellation",
}


@needs_airline
def test_the_rules_miss_nothing_and_deny_beyond_the_labels_only_what_was_not_looked_up() -> None:
    labels = [json.loads(line) for line in (AIRLINE / "labels.jsonl").read_text().splitlines()]
    decided = list(replay(Desk(), EXTRACTOR, load_runs([AIRLINE / "runs.json"]).runs))
    beyond = 0
    for label, call_decision in zip(labels, decided, strict=True):
        fired = {violation.rule for violation in call_decision.decision.violations}
        truth = {RULES[broken_rule] for broken_rule in label["breaks"] if broken_rule in RULES}
        assert call_decision.decision.verdict is not Verdict.CANNOT_EVALUATE
        assert truth <= fired
        if fired > truth:
            beyond += 1
            unknown = [
                name for name in ("user", "reservation") if call_decision.extracted[name].value is None
            ]
            assert unknown, "the rule saw all that it asks for"
            assert any(call_decision.extracted[name].remedy for name in unknown), (
                "the denial names the look-up"
            )
    assert beyond == 19


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
def test_with_look_ups_the_rules_are_the_labels_and_the_log_replays_without_them(tmp_path: Path) -> None:
    labels = [json.loads(line) for line in (AIRLINE / "labels.jsonl").read_text().splitlines()]
    log = tmp_path / "log.jsonl"
    tools = asked_of(AIRLINE / "database")
    guard = live_guard(Desk(), EXTRACTOR, mode=Mode.SHADOW, log=DecisionLog(log), look_ups=tools)
    live: list[Decision] = []
    for number, record in enumerate(json.loads((AIRLINE / "runs.json").read_text())):
        live += played(record["traj"], guard.run(f"run {number}"))
    again = list(replay(Desk(), EXTRACTOR, load_runs([log]).runs))
    assert [decided.decision for decided in again] == live
    database = FolderDatabase(AIRLINE / "database", SPEC.records)
    extractor = Extractor(ARGUMENTS, SPEC, database=database)
    marked = list(replay(Desk(), extractor, load_runs([AIRLINE / "runs.json"]).runs))
    for decided, decision in zip(marked, live, strict=True):
        if decided.decision.verdict is not decision.verdict:
            assert decided.decision.verdict is Verdict.DENY
            assert decided.extracted["user"].value is None, "a booking of the run changed it"
    for label, decision in zip(labels, live, strict=True):
        assert {violation.rule for violation in decision.violations} == {
            RULES[broken_rule] for broken_rule in label["breaks"] if broken_rule in RULES
        }


def call(reservation: str = "R1") -> ToolCall:
    return ToolCall("cancel_reservation", {"reservation_id": reservation})


def reservation(**fields: object) -> dict[str, object]:
    """The desk's record of a reservation that may be cancelled."""
    known = {"reservation_id": "R1", "user_id": "ann", "cabin": "business", "insurance": "no"}
    return {**known, "created_at": "2024-05-15T14:00:00", "flights": [], **fields}


def desk(answer: Callable[..., object], log: Path, seconds: float = 5.0) -> Guard:
    look_ups = LookUps({"get_reservation_details": answer}, seconds)
    return live_guard(Desk(), Extractor(SPEC.arguments, SPEC), log=DecisionLog(log), look_ups=look_ups)


def replayed(log: Path) -> list[Decision]:
    runs = load_runs([log]).runs
    return [decided.decision for decided in replay(Desk(), Extractor(SPEC.arguments, SPEC), runs)]


def test_a_look_up_is_asked_once_in_a_run_and_stands_in_the_log(tmp_path: Path) -> None:
    look_ups: list[str] = []

    def answer(reservation_id: str) -> object:
        look_ups.append(reservation_id)
        return reservation(reservation_id=reservation_id)

    guard = desk(answer, tmp_path / "log.jsonl")
    outcomes = [guard.check(call()), guard.check(ToolCall("think", {"reservation_id": "R1"}))]
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


def test_without_look_ups_the_denial_names_the_call_that_would_tell(tmp_path: Path) -> None:
    guard = live_guard(Desk(), Extractor(SPEC.arguments, SPEC), log=DecisionLog(tmp_path / "log.jsonl"))
    outcome = guard.check(call())
    assert outcome.decision.verdict is Verdict.DENY
    assert outcome.feedback.endswith('Look it up first: get_reservation_details(reservation_id="R1").')
    assert outcome.look_up_first == (LookedUp("get_reservation_details", {"reservation_id": "R1"}),)
    looked = guard.check(ToolCall("get_reservation_details", {"reservation_id": "R1"}))
    guard.finish(looked, reservation())
    assert guard.check(call()).runs


def test_only_records_that_the_denying_rule_asks_for_are_to_be_looked_up() -> None:
    guard = live_guard(compile_policy(check(POLICY)), Extractor(SPEC.arguments, SPEC))
    looked = guard.check(ToolCall("get_reservation_details", {"reservation_id": "R1"}))
    guard.finish(looked, reservation(cabin="economy", created_at="2024-05-01T00:00:00"))
    late = guard.check(call())
    assert (late.decision.violations[0].rule, late.look_up_first) == ("forbid_late_cancellation", ())
    booked = guard.check(ToolCall("book_reservation", {"user_id": "ann", "payment_methods": []}))
    assert booked.look_up_first == (LookedUp("get_user_details", {"user_id": "ann"}),)
    assert booked.feedback.endswith('Look it up first: get_user_details(user_id="ann").')


def test_a_call_that_failed_spoils_nothing_live_and_replayed(tmp_path: Path) -> None:
    guard = live_guard(Desk(), Extractor(SPEC.arguments, SPEC), log=DecisionLog(tmp_path / "log.jsonl"))
    looked = guard.check(ToolCall("get_reservation_details", {"reservation_id": "R1"}))
    guard.finish(looked, reservation())
    guard.finish(guard.check(call()), "no connection", failed=True)
    outcome = guard.check(call())
    assert outcome.decision.verdict is Verdict.ALLOW
    assert replayed(tmp_path / "log.jsonl")[-1] == outcome.decision


def test_the_origin_of_a_record_quotes_the_earlier_result_and_the_message_names_the_look_up() -> None:
    about: dict[str, Json] = {"reservation_id": "R1"}
    text = json.dumps(reservation(cabin="economy", created_at="2024-05-01T00:00:00"))
    looked = RecordedCall("r", 1, "get_reservation_details", about, {"result": text}, result=text)
    recorded_call = RecordedCall("r", 2, "cancel_reservation", about)
    extractor = Extractor(SPEC.arguments, SPEC)
    declared = next(argument for argument in SPEC.arguments if argument.name == "reservation")
    extracted = extractor.extract(recorded_call, [looked])["reservation"]
    (quote,) = origin_of(
        recorded_call, "reservation", extracted, declared, {1: looked, 2: recorded_call}
    ).quotes
    assert (quote.call, quote.text, quote.start, quote.end) == (1, "result", 0, len(text))
    assert text.startswith(quote.quote[:20])
    assert quote.place.startswith("result of call 1, line 1: ")
    assert origin_of(recorded_call, "reservation", extracted, declared).quotes == (), (
        "without the run nothing is quoted"
    )
    before = extractor.extract(recorded_call)
    refused = Decision(Verdict.DENY, (), {"reservation": None})
    sentence = look_up_first(look_ups_of(None, refused, before))
    assert sentence == 'Look it up first: get_reservation_details(reservation_id="R1").'
    denied = Decision(Verdict.DENY, (Violation("cancellation", "Not without a look."),))
    message = message_for_agent(denied, Turning(None), (), (), sentence)
    assert message.endswith(sentence)


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
    extracted = extractor.extract(first)["reservation"]
    assert [place.method for place in extracted.provenance] == ["database (reservations.json)"]
    after = extractor.extract(RecordedCall("r", 1, "cancel_reservation", about), [first])["reservation"]
    assert cast("Any", after.value).cabin == "economy"
    unsaid = RecordedCall("r", 0, "cancel_reservation", about)
    assert extractor.extract(RecordedCall("r", 1, "x", about), [unsaid])["reservation"].missing
    assert "none of basic_economy" in str(
        extractor.extract(RecordedCall("r", 0, "x", {"reservation_id": "R2"}))["reservation"].missing
    )
    other = extractor.extract(RecordedCall("r", 0, "x", {"reservation_id": "R4"}))["reservation"]
    assert "another reservation_id in the record of R4: 'R5'" in str(other.missing)
    absent = extractor.extract(RecordedCall("r", 0, "x", {"reservation_id": "R3"}))
    assert absent["reservation"].state == "absent"


def test_a_folder_that_is_no_database_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"has no file of a record that the agent declares \(users.json"):
        FolderDatabase(tmp_path, SPEC.records)
    (tmp_path / "user.json").write_text("[{}]")
    with pytest.raises(WorkbenchError, match="has a record without a user_id of its own"):
        FolderDatabase(tmp_path, SPEC.records)
