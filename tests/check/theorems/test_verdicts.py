"""Theorems of a small desk: proved by their steps, refuted by runs that the guard plays, or unknown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from tests.dialect.desk import HEAD, spec
from workbench.check.realise.run_words import run_words
from workbench.check.theorems.verdicts import NEVER, NO_CALLS, TheoremVerdicts
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import ClauseProof, Engine, Proof, ProofStatus, Run, TheoremVerdict
from workbench.policy.terms import PolicyTerms

LIMIT = '''
def paid(call: PayInvoice, run: Run) -> Decimal:
    """what is paid in this run"""
    return call.total + sum(c.total for c in run.earlier(PayInvoice) if {counted})


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R1: No more than 100 EUR is paid."""
    return paid(call, run) > Decimal("100")
'''
PAID = 'sum(c.total for c in run.calls(PayInvoice) if c.succeeded) <= Decimal("100")'


def deciding(rules: str, *theorems: str) -> TheoremVerdicts:
    source = HEAD + rules
    for number, text in enumerate(theorems, 1):
        source += f'\n\ndef theorem_{number}(run: Run) -> bool:\n    """It holds."""\n    return {text}\n'
    return TheoremVerdicts(lowered_policy(source, spec()).terms, spec())


def verdicts(rules: str, *theorems: str) -> tuple[TheoremVerdict, ...]:
    return deciding(rules, *theorems).all()


def verdict(rules: str, theorem: str) -> TheoremVerdict:
    (found,) = verdicts(rules, theorem)
    return found


def tools(run: Run | None) -> list[str | None]:
    assert run is not None
    assert all(call.ran for call in run.calls)
    return [call.tool for call in run.calls]


@pytest.mark.parametrize("counted", ["not c.failed", "c.succeeded"])
def test_a_sum_is_proved_that_the_policy_limits(counted: str) -> None:
    found = verdict(LIMIT.format(counted=counted), PAID)
    assert (found.status, found.why, found.engine) == (ProofStatus.PROVED, "", Engine.CVC5)
    assert (
        "a call that is running, or whose result never comes, may have succeeded or failed" in found.assumed
    )


def test_a_sum_that_is_not_limited_is_refuted_by_the_shortest_run() -> None:
    found = verdict(LIMIT.format(counted="c.failed"), PAID)
    assert found.status is ProofStatus.REFUTED
    assert tools(found.breaking) == ["pay_invoice", "pay_invoice"]
    assert found.rules == ("forbid_over_limit",)


def test_a_negative_amount_that_failed_lowers_what_a_careless_policy_counts() -> None:
    found = verdict(LIMIT.format(counted="True"), PAID)
    assert found.breaking is not None
    first, second = found.breaking.calls
    assert first.failed and not second.failed
    assert first.arguments is not None and second.arguments is not None
    assert first.arguments["total"] < 0 < 100 < second.arguments["total"]  # type: ignore[operator] # both are numbers


def test_a_call_that_must_fail_to_break_a_theorem_fails_in_the_run() -> None:
    theorem = "sum(1 for c in run.calls(PayInvoice) if c.failed) <= 1"
    found = verdict(LIMIT.format(counted="c.succeeded"), theorem)
    assert found.breaking is not None
    assert [call.failed for call in found.breaking.calls] == [True, True]


def test_what_a_theorem_reads_of_a_record_is_what_was_known_when_the_call_was_decided() -> None:
    rules = (
        "def forbid_it(call: BookRoom, run: Run) -> bool:\n"
        '    """R1: The trip is looked up first."""\n    return not looked_up(run.trip(call.trip_id))\n'
    )
    held = verdict(rules, "all(looked_up(run.before(c).trip(c.trip_id)) for c in run.calls(BookRoom))")
    assert (held.status, held.why) == (ProofStatus.PROVED, "")
    broken = verdict(rules, "all(run.before(c).trip(c.trip_id) is not None for c in run.calls(BookRoom))")
    assert broken.status is not ProofStatus.PROVED


def test_a_run_in_which_everything_has_to_be_looked_up_before_the_first_payment_is_found() -> None:
    rules = (
        "def forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        '    """R1: The trip is looked up first."""\n    return run.trip(call.trip_id) is None\n\n\n'
        "def forbid_late(call: GetTrip, run: Run) -> bool:\n"
        '    """R2: Nothing is looked up after a payment."""\n'
        "    return any(True for c in run.earlier(PayInvoice))\n"
    )
    other = "any(e.trip_id != c.trip_id for e in run.before(c).earlier(PayInvoice))"
    found = verdict(rules, f"all(not {other} for c in run.calls(PayInvoice))")
    assert tools(found.breaking) == ["get_trip", "get_trip", "pay_invoice", "pay_invoice"]


def test_a_field_that_only_a_search_of_earlier_calls_reads_is_the_one_of_the_record() -> None:
    rules = (
        "def forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        '    """R1: A room of the cost centre."""\n'
        "    trip = run.trip(call.trip_id)\n"
        "    return trip is None or not any(c.trip_id == trip.cost_centre for c in run.earlier(BookRoom))\n"
    )
    found = verdict(rules, "sum(1 for c in run.calls(PayInvoice)) <= 1")
    assert tools(found.breaking) == ["book_room", "get_trip", "pay_invoice", "pay_invoice"]


def test_a_window_is_of_its_last_call() -> None:
    fact = (
        "def lately(call: BookRoom, run: Run) -> int:\n"
        '    """the rooms of an hour"""\n'
        "    hour = timedelta(hours=1)\n"
        "    return 1 + sum(1 for c in run.earlier(BookRoom) if call.time - c.time < hour)\n\n\n"
        "def forbid_many(call: BookRoom, run: Run) -> bool:\n"
        '    """R1: At most two in an hour."""\n    return lately(call, run) > 2\n'
    )
    held, broken = verdicts(
        fact,
        "all(lately(c, run.before(c)) <= 2 for c in run.calls(BookRoom))",
        "all(lately(c, run.before(c)) <= 1 for c in run.calls(BookRoom))",
    )
    assert held.status is ProofStatus.PROVED
    assert "time does not go back" in held.assumed
    assert tools(broken.breaking) == ["book_room", "book_room"]


def test_at_most_once_for_a_record() -> None:
    rules = (
        "def forbid_again(call: BookRoom, run: Run) -> bool:\n"
        '    """R1: Once for a trip."""\n'
        "    return any(c.trip_id == call.trip_id for c in run.earlier(BookRoom))\n"
    )
    theorem = (
        "all(not any(e.trip_id == c.trip_id for e in run.before(c).earlier(BookRoom)) "
        "for c in run.calls(BookRoom))"
    )
    assert verdict(rules, theorem).status is ProofStatus.PROVED
    found = verdict(rules.replace("==", "!="), theorem)
    assert tools(found.breaking) == ["book_room", "book_room"]


def test_an_extreme_and_what_follows_it() -> None:
    rules = 'def forbid_large(call: PayInvoice) -> bool:\n    """R1: No."""\n    return call.total > 50\n'
    held, broken = verdicts(
        rules,
        'max((c.total for c in run.calls(PayInvoice)), default=Decimal("0")) <= Decimal("50")',
        'min((c.total for c in run.calls(PayInvoice)), default=Decimal("0")) >= Decimal("0")',
    )
    assert held.status is ProofStatus.PROVED
    assert tools(broken.breaking) == ["pay_invoice"]


def test_a_theorem_of_which_no_call_is_allowed_is_vacuous() -> None:
    rules = 'def forbid_it(call: PayInvoice) -> bool:\n    """R1: No."""\n    return True\n'
    found = verdict(rules, "all(c.total > 0 for c in run.calls(PayInvoice))")
    assert (found.status, found.why) == (ProofStatus.VACUOUS, NEVER)


def test_a_theorem_has_to_hold_of_a_run_without_calls() -> None:
    found = verdict(LIMIT.format(counted="c.succeeded"), "any(c.total > 0 for c in run.calls(PayInvoice))")
    assert (found.status, found.why) == (ProofStatus.REFUTED, NO_CALLS)


def test_contradictory_theorems_do_not_prove_each_other() -> None:
    found = verdicts(
        LIMIT.format(counted="c.succeeded"),
        "sum(1 for c in run.calls(PayInvoice)) <= 0",
        "not any(True for c in run.calls(PayInvoice))",
        "any(True for c in run.calls(PayInvoice))",
    )
    assert [one.status for one in found] == [ProofStatus.REFUTED] * 3


def test_a_lemma_that_a_person_states_proves_another_theorem() -> None:
    rules = (
        "def forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        '    """R1: No second payment."""\n'
        "    return any(True for c in run.earlier(PayInvoice)) or call.total > 100\n"
    )
    most = 'max((c.total for c in run.calls(PayInvoice)), default=Decimal("0")) <= Decimal("100")'
    sum_ = 'sum(c.total for c in run.calls(PayInvoice) if not c.failed) <= Decimal("100")'
    some = "any(True for c in run.calls(PayInvoice) if not c.failed)"
    all_three = deciding(rules, sum_, f"{some} or {sum_.partition(' <=')[0]} == 0", most)
    told = list[list[ProofStatus]]()
    found = all_three.all(on_theorem=lambda verdicts: told.append([one.status for one in verdicts]))
    assert [one.status for one in found] == [ProofStatus.PROVED] * 3
    assert not found[2].lemmas
    # The first rests on the second, which is decided after it.
    assert told == [[ProofStatus.UNKNOWN], *([ProofStatus.PROVED] * count for count in (2, 3))]
    (cut_off,) = all_three.all(cancelled=iter([False, True]).__next__)
    assert cut_off.status is ProofStatus.UNKNOWN


def test_a_lemma_is_found_that_nobody_states() -> None:
    rules = (
        "def forbid_it(call: PayInvoice, run: Run) -> bool:\n"
        '    """R1: No second payment."""\n'
        "    return any(True for c in run.earlier(PayInvoice)) or call.total > 100\n"
    )
    sum_ = "sum((c.total for c in run.calls(PayInvoice)))"
    (found,) = verdicts(rules, f'{sum_} <= Decimal("100")')
    assert (found.status, found.why) == (ProofStatus.PROVED, "")
    assert found.found == (f'any(True for c in run.calls(PayInvoice)) or {sum_} == Decimal("0")',)


@pytest.mark.parametrize(
    "largest",
    [
        'max((c.total for c in run.calls(PayInvoice)), default=Decimal("0")) <= Decimal("100")',
        "not any(c.total > 100 for c in run.calls(PayInvoice))",
    ],
)
def test_no_single_amount_is_above_the_limit_of_a_sum_where_none_is_negative(largest: str) -> None:
    positive = '\n\ndef forbid_it(call: PayInvoice) -> bool:\n    """R2: No."""\n    return call.total < 0\n'
    held = verdict(LIMIT.format(counted="not c.failed") + positive, largest)
    assert held.status is ProofStatus.PROVED
    assert held.found == ("sum((c.total for c in run.calls(PayInvoice) if not c.failed)) >= 0",)
    assert verdict(LIMIT.format(counted="not c.failed"), largest).status is ProofStatus.REFUTED


def test_a_part_of_what_a_rule_limits_is_limited_where_no_amount_is_negative() -> None:
    rules = LIMIT.format(counted="not c.failed")
    positive = '\n\ndef forbid_it(call: PayInvoice) -> bool:\n    """R2: No."""\n    return call.total < 0\n'
    part = 'sum(c.total for c in run.calls(PayInvoice) if not c.failed and c.iban == "DE1") <= Decimal("100")'
    held = verdict(rules + positive, part)
    assert (held.status, held.why) == (ProofStatus.PROVED, "")
    assert held.found
    broken = verdict(rules, part)
    assert broken.status is ProofStatus.REFUTED
    assert broken.found == ()


def test_a_number_of_calls_that_is_neither_proved_nor_refuted_is_unknown() -> None:
    rules = 'def forbid_it(call: PayInvoice, run: Run) -> bool:\n    """R1: No."""\n    return '
    rules += "len({c.iban for c in run.earlier(PayInvoice)}) > 6\n"
    found = deciding(rules, "len(run.calls(PayInvoice)) <= 9").all(most=1)
    assert [one.status for one in found] == [ProofStatus.UNKNOWN]


def test_a_theorem_is_decided_however_its_head_is_written() -> None:
    source = HEAD + LIMIT.format(counted="c.failed")
    source += f'\n\ndef   theorem_1(run: Run) -> bool:\n    """It holds."""\n    return {PAID}\n'
    (found,) = TheoremVerdicts(lowered_policy(source, spec()).terms, spec()).all()
    assert found.status is ProofStatus.REFUTED


def test_the_verifier_has_the_last_word() -> None:
    source = HEAD + LIMIT.format(counted="c.succeeded")
    source += f'\n\ndef theorem_1(run: Run) -> bool:\n    """It holds."""\n    return {PAID}\n'
    deciding = TheoremVerdicts(lowered_policy(source, spec()).terms, spec())

    def silent(terms: PolicyTerms, clauses: Collection[str]) -> Proof:
        assert {clause.id for clause in terms.clauses} >= set(clauses)
        return Proof(
            tuple(ClauseProof(one, (), ProofStatus.UNKNOWN, Engine.NAGINI, why="silent") for one in clauses)
        )

    (found,) = deciding.all(silent, most=2)
    assert (found.status, found.engine) == (ProofStatus.UNKNOWN, Engine.NAGINI)
    assert found.searched == 2

    def proves(terms: PolicyTerms, clauses: Collection[str]) -> Proof:
        proof = silent(terms, clauses)
        return replace(
            proof, clauses=tuple(replace(one, status=ProofStatus.PROVED, why="") for one in proof.clauses)
        )

    assert deciding.all(proves)[0].status is ProofStatus.PROVED


def test_a_call_that_a_person_approves_counts() -> None:
    rules = (
        "def ask_large(call: PayInvoice) -> bool:\n"
        '    """R1: A person is asked."""\n    return call.total > 50\n'
    )
    found = verdict(rules, "all(c.total <= 50 for c in run.calls(PayInvoice))")
    assert found.status is ProofStatus.REFUTED
    assert any("approves" in assumption for assumption in found.assumed)


# --- approvals -------------------------------------------------------------------------

ASKED = '''
def {kind}_large(call: PayInvoice, run: Run) -> bool:
    """R1: More than 100 EUR is paid only with a person's approval."""
    return call.total > {limit}
'''
APPROVED = "all(c.approved or c.total <= 100 for c in run.calls(PayInvoice))"


@pytest.mark.parametrize("kind", ["ask", "forbid"])
def test_what_a_person_is_asked_about_happens_only_if_a_person_approved(kind: str) -> None:
    found = verdict(ASKED.format(kind=kind, limit=100), APPROVED)
    assert (found.status, found.why) == (ProofStatus.PROVED, "")
    assert any(one.startswith("approved is what a person approved") for one in found.assumed)


def test_what_nobody_is_asked_about_happens_without_an_approval() -> None:
    found = verdict(ASKED.format(kind="ask", limit=200), APPROVED)
    assert found.status is ProofStatus.REFUTED
    assert found.breaking is not None
    (call,) = found.breaking.calls
    assert call.approved is False
    assert call.arguments is not None
    assert 100 < call.arguments["total"] <= 200  # type: ignore[operator] # it is a number


def test_a_person_may_approve_whatever_is_asked_about() -> None:
    found = verdict(ASKED.format(kind="ask", limit=100), "all(c.total <= 100 for c in run.calls(PayInvoice))")
    assert found.status is ProofStatus.REFUTED
    assert found.breaking is not None
    (call,) = found.breaking.calls
    assert call.approved is True
    assert ", which a person approved → " in run_words(found.breaking)[-1]


def test_that_nobody_approves_what_the_policy_does_not_ask_about_is_not_proved() -> None:
    """Another policy beside this one may ask about any call."""
    small = "all(not c.approved or c.total > 100 for c in run.calls(PayInvoice))"
    assert verdict(ASKED.format(kind="ask", limit=100), small).status is ProofStatus.UNKNOWN
    assert verdict(ASKED.format(kind="ask", limit=50), small).status is ProofStatus.REFUTED


def test_a_rule_may_want_an_earlier_approval_and_a_call_in_flight_is_not_approved() -> None:
    rules = ASKED.format(kind="ask", limit=100) + (
        '\n\ndef forbid_booking(call: BookRoom, run: Run) -> bool:\n    """R2: No."""\n'
        "    return not any(c.approved and c.succeeded for c in run.earlier(PayInvoice))\n"
    )
    theorem = "all(any(e.approved for e in run.before(c).earlier(PayInvoice)) for c in run.calls(BookRoom))"
    found = verdict(rules, theorem)
    assert (found.status, found.why) == (ProofStatus.PROVED, "")
    more = theorem.replace("e.approved", "e.approved and e.total > 200")
    found = verdict(rules, more)
    assert tools(found.breaking) == ["pay_invoice", "book_room"]
    assert found.breaking is not None and found.breaking.calls[0].approved is True


DIFFERENT = "any(e.iban == {of}.iban for e in {run}.earlier(PayInvoice))"
NUMBER = "len({{e.iban for e in {run}.earlier(PayInvoice)}}) < {most}"


@pytest.mark.parametrize(("most", "status"), [(2, ProofStatus.PROVED), (3, ProofStatus.REFUTED)])
def test_at_most_two_different_accounts(most: int, status: ProofStatus) -> None:
    known, few = DIFFERENT.format(of="call", run="run"), NUMBER.format(run="run", most=most)
    rules = (
        f'def forbid_third(call: PayInvoice, run: Run) -> bool:\n    """R1: At most {most} accounts."""\n'
        f"    return not ({known} or {few})\n"
    )
    before = "run.before(c)"
    theorem = f"{DIFFERENT.format(of='c', run=before)} or {NUMBER.format(run=before, most=2)}"
    found = verdict(rules, f"all({theorem} for c in run.calls(PayInvoice))")
    assert found.status is status
    if found.breaking is not None:
        assert len({str((call.arguments or {})["iban"]) for call in found.breaking.calls}) == 3


def test_between_two_payments_a_room_is_booked() -> None:
    since = "run{before}.since(e for e in run{before}.earlier(PayInvoice)).earlier(BookRoom)"
    rules = (
        'def forbid_second(call: PayInvoice, run: Run) -> bool:\n    """R1: A room between."""\n'
        "    return any(True for c in run.earlier(PayInvoice)) and "
        f"not any(not c.failed for c in {since.format(before='')})\n"
    )
    theorem = (
        "all(not any(True for e in run.before(c).earlier(PayInvoice)) or "
        f"any({{}} for e in {since.format(before='.before(c)')}) for c in run.calls(PayInvoice))"
    )
    assert verdict(rules, theorem.format("not e.failed")).status is ProofStatus.PROVED
    broken = verdict(rules, theorem.format("not e.failed and e.nights > 1"))
    assert tools(broken.breaking) == ["pay_invoice", "book_room", "pay_invoice"]
