"""Ends of a wrong version that passes the contract: a case, a clause, a question, a stored reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.check.test_strength import EXACT, HEAD, LOOSE
from tests.policy.policy_strategies import arguments_for, policies
from tests.runs.world.airline_agent import POLICY
from workbench.app.workbench import Workbench
from workbench.check.disputed_input import judge
from workbench.check.mutate import mutants
from workbench.check.pinned_clause import pin
from workbench.check.strength import Fate, strength
from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.preview import preview
from workbench.files.file_error import FileError
from workbench.model import (
    AgentSpec,
    Case,
    Draft,
    ProofStatus,
    RecordValue,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.evaluate import evaluate
from workbench.policy.problems import PolicyError
from workbench.session import Session

WEAK = HEAD.strip() + LOOSE


class NoAuthor:
    """An author of an empty draft: these sessions have a policy of their own."""

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        del request, spec, choices
        return Draft((), (), (), "")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    session = Session.create(tmp_path / "weak", "Only listed actions.", AgentSpec("agent"))
    session.set_policy(WEAK)
    workbench = Workbench(session, NoAuthor())
    yield workbench
    workbench.close()


def test_ids_of_wrong_versions_are_unique_and_survive_edits_elsewhere() -> None:
    before = [one.id for one in mutants(check(WEAK))]
    assert len(set(before)) == len(before)
    edited = check(WEAK.replace("age < 18\n", "age < 21\n"))
    kept = {one.id for one in mutants(edited)}
    elsewhere = {one.id for one in mutants(check(WEAK)) if one.where in ("forbid_action", "MAY", "allow")}
    assert elsewhere <= kept


def test_the_same_change_at_two_places_of_a_rule_has_two_ids() -> None:
    terms = check(
        'def forbid_it(a: int, b: int) -> bool:\n    """R1: No."""\n'
        "    return (a < 18 and b > 2) or (a < 18 and b < -2)\n\n\n"
        "def allow(a: int, b: int) -> bool:\n    return not (forbid_it(a, b))\n"
    )
    every = list(mutants(terms))
    assert len({one.id for one in every}) == len(every)
    assert len({(one.operator, one.where, one.description) for one in every}) < len(every)


def test_an_accepted_survivor_is_shown_with_its_reason_and_stays_uncounted(bench: Workbench) -> None:
    terms = bench.policy.terms()
    first = bench.strength.measure(terms)
    found = first.open[0]
    bench.strength.accept(bench.strength.survivor(terms, found.mutant.id), "Nobody\nminds.")
    report = bench.strength.measure(terms)
    assert report.accepted == {found.mutant.id: "Nobody minds."}
    assert found.mutant.id not in {one.mutant.id for one in report.open}
    assert len(report.open) == len(first.open) - 1
    assert report.killed == first.killed, "a reason kills nothing"
    bench.session.undo()
    assert bench.strength.measure(terms).accepted == {}
    bench.session.redo()
    bench.strength.refuse(found.mutant.id)
    assert bench.session.accepted == ()


def test_reasons_are_read_again_from_the_folder(bench: Workbench) -> None:
    terms = bench.policy.terms()
    one = bench.strength.accept(bench.strength.measure(terms).open[0], 'Because of "this".')
    bench.close()
    with Session.open(bench.session.path) as session:
        assert session.accepted == (one,)


def test_a_clause_made_from_a_survivor_holds_and_refuses_it(bench: Workbench) -> None:
    terms = bench.policy.terms()
    refused, before = 0, bench.session.policy
    while report_open := bench.strength.measure(terms).open:
        before = bench.session.policy
        found = report_open[0]
        bench.strength.pin(terms, found)
        terms = bench.policy.terms()
        assert preview(terms).status is ProofStatus.PROVED
        assert [rule.body for rule in terms.rules] == [rule.body for rule in check(before).rules]
        assert [one.fate for one in strength(terms, only=found.mutant.id).results] == [Fate.KILLED]
        refused += 1
    assert 0 < refused < 19, "a clause speaks of more than one input"
    assert terms.clauses[-1].requirements in (("R1",), ("R2",), ())
    bench.session.undo()
    assert bench.session.policy == before


def test_a_case_of_a_survivor_passes_on_the_policy_and_fails_on_the_wrong_version(bench: Workbench) -> None:
    terms = bench.policy.terms()
    found = bench.strength.measure(terms).open[0]
    assert found.policy_decision is not None
    kept = bench.strength.case(terms, found, found.policy_decision)
    assert kept.case.origin == "mutant"
    assert not kept.judgement.rule_wrong
    assert Runner(found.mutant.terms).decision(kept.case.arguments) is not kept.case.expected
    assert bench.session.cases == (kept.case,)


def test_a_survivor_becomes_a_question_whose_answer_is_a_persons_case(bench: Workbench) -> None:
    terms = bench.policy.terms()
    found = bench.strength.measure(terms).open[0]
    question = bench.strength.question(terms, found)
    assert question.example == found.example
    assert question.default == ""
    kept = bench.cases.keep(terms, question.example or {}, Verdict.DENY)
    assert (kept.case.origin, kept.case.expected) == ("human", Verdict.DENY)
    with pytest.raises(WorkbenchError, match="expects deny on the same arguments"):
        bench.cases.keep(terms, question.example or {}, Verdict.ALLOW)
    assert bench.cases.keep(terms, question.example or {}, Verdict.DENY).case == kept.case
    assert len(bench.session.cases) == 1
    bench.cases.remove(kept.case.id)
    assert bench.session.cases == ()


def test_a_refused_or_unknown_wrong_version_is_no_survivor(bench: Workbench) -> None:
    terms = bench.policy.terms()
    killed = bench.strength.measure(terms).having(Fate.KILLED)[0].mutant.id
    with pytest.raises(WorkbenchError, match="does not pass the contract: killed"):
        bench.strength.survivor(terms, killed)
    with pytest.raises(WorkbenchError, match="no wrong version"):
        bench.strength.survivor(terms, "000000000000")
    with pytest.raises(WorkbenchError, match="reason is empty"):
        bench.strength.accept(bench.strength.measure(terms).open[0], " ")


WRONG = HEAD.strip() + EXACT.replace("age < 18, not Result()", "age < 21, not Result()")


def test_a_counterexample_says_which_of_rule_and_clause_is_wrong(bench: Workbench) -> None:
    terms = check(WRONG)
    found = bench.proof.counterexample(terms, "C3")
    assert found.confirmed
    assert found.decision is Verdict.ALLOW
    assert {step.rule for step in found.path} == {"forbid_action", "forbid_young"}
    assert ("age < 18", False) in dict((step.rule, step.conditions) for step in found.path)["forbid_young"]
    clause_wrong = judge(terms, found.arguments, Verdict.ALLOW)
    assert (clause_wrong.rule_wrong, clause_wrong.clauses) == (False, ("C3",))
    rule_wrong = judge(terms, found.arguments, Verdict.DENY)
    assert rule_wrong.rule_wrong
    assert "C3" not in rule_wrong.clauses
    with pytest.raises(WorkbenchError, match="has no counterexample"):
        bench.proof.counterexample(terms, "C1")
    with pytest.raises(WorkbenchError, match="has no clause"):
        bench.proof.counterexample(terms, "C9")


def test_an_input_that_cannot_be_evaluated_is_kept_only_where_that_is_expected(bench: Workbench) -> None:
    terms = bench.policy.terms()
    with pytest.raises(WorkbenchError, match="The argument `age` is missing"):
        bench.cases.keep(terms, {"role": "admin", "action": "read"}, Verdict.DENY)
    kept = bench.cases.keep(terms, {"role": "admin", "action": "read"}, Verdict.CANNOT_EVALUATE)
    assert bench.session.cases == (kept.case,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[[accepted]]\nmutant = "0a1b2c3d4e5f"\nreason = "x"\nwhy = "y"\n', "why"),
        ('[[accepted]]\nmutant = "0a1b2c3d4e5f"\n', "reason"),
        ('[[accepted]]\nmutant = "0a1b2c3d4e5f"\nreason = " "\n', "a reason is needed"),
        ('[[accepted]]\nmutant = "xyz"\nreason = "x"\n', "not the id"),
        ('[[accepted]]\nmutant = "0a1b2c3d4e5f"\nreason = "x"\n' * 2, "accepted twice"),
        ("accepted = 3\n", "accepted"),
    ],
)
def test_a_malformed_file_of_reasons_is_refused_with_its_name(
    bench: Workbench, text: str, problem: str
) -> None:
    with pytest.raises(FileError, match=problem) as error:
        bench.session.set_text("strength.toml", text)
    assert str(error.value).startswith("strength.toml")


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.data())
def test_a_pinned_clause_of_a_random_policy_holds_and_says_what_the_policy_decides(
    data: st.DataObject,
) -> None:
    terms = check(data.draw(policies()))
    arguments = data.draw(arguments_for(terms))
    assume(Runner(terms).evaluable(arguments))
    try:
        pinned = pin(terms, arguments, requirements=("R1",), comment="Pinned.")
    except PolicyError:
        raise
    except WorkbenchError:
        return  # The preview could not decide it.
    new = check(pinned.policy)
    clause = new.clauses[-1]
    assert len(new.clauses) == len(terms.clauses) + 1
    assert (clause.requirements, clause.comment) == (("R1",), "Pinned.")
    allowed = Runner(terms).allows(arguments)
    bare = replace(new, source="", clauses=(clause,))
    assert preview(bare).status is ProofStatus.PROVED
    assert evaluate(new, clause.term, arguments, allowed) is True
    assert evaluate(new, clause.term, arguments, not allowed) is False


def test_a_case_that_is_put_again_replaces_the_one_of_its_id_and_may_not_contradict_another(
    bench: Workbench,
) -> None:
    terms = bench.policy.terms()
    arguments = bench.strength.measure(terms).open[0].example
    assert arguments is not None
    first = Case("own", dict(arguments), Verdict.DENY, "said", (), "human")
    judged = bench.cases.put(first, "Keep it").judgement
    assert judged == judge(terms, arguments, Verdict.DENY)
    allowed = replace(first, expected=Verdict.ALLOW)
    bench.cases.put(allowed, "Change it")
    assert bench.session.cases == (allowed,)
    with pytest.raises(WorkbenchError, match="remove it first"):
        bench.cases.put(replace(first, id="other"), "Contradict it")
    assert bench.session.cases == (allowed,)


def test_a_reason_is_stored_on_one_line_and_an_empty_one_is_none(bench: Workbench) -> None:
    found = bench.strength.measure(bench.policy.terms()).open[0]
    with pytest.raises(WorkbenchError, match="the reason is empty"):
        bench.strength.accept(found, " ")
    bench.strength.accept(found, "Nobody  minds.")
    (stored,) = bench.session.accepted
    assert (stored.mutant, stored.reason) == (found.mutant.id, "Nobody minds.")
    assert stored.what == f"{found.mutant.where}: {found.mutant.description}"


def test_a_pinned_input_with_records_is_a_clause_over_their_fields() -> None:
    terms = check(POLICY)
    flight = RecordValue("Flight", (("flight_number", "HAT1"), ("date", "2024-05-20")))
    fields: dict[str, Value] = {
        "cabin": "economy",
        "created_at": datetime(2024, 5, 1, tzinfo=UTC),
        "insurance": "no",
        "flights": (flight,),
    }
    call: dict[str, Value] = {
        "action": "cancel_reservation",
        "payments": (),
        "user": None,
        "flights": (),
        "now": datetime(2024, 5, 15, tzinfo=UTC),
        "reservation": RecordValue("Reservation", tuple(fields.items())),
    }
    made = pin(terms, call)
    assert preview(check(made.policy)).clauses[-1].status is ProofStatus.PROVED
    assert 'reservation is not None and reservation.cabin == "economy"' in made.condition
    assert made.condition.count("reservation is not None") == 1
    assert "Reservation(" not in made.policy.split("def allow")[1]


ORDERS = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    name: str
    tags: frozenset[str]
    gift: bool | None


@dataclass(frozen=True)
class Order:
    items: tuple[Item, ...]
    labels: frozenset[str]


def forbid_items(order: Order | None) -> bool:
    """R1: No pens."""
    return order is not None and (
        len(order.items) == 2
        and all(
            it.name == "pen" and it.tags == {"new"} or it.name == "ink" and it.gift is None
            for it in order.items
        )
    )


def allow(order: Order | None, item: str) -> bool:
    return not (forbid_items(order))
'''.strip()


def test_a_clause_about_elements_names_them_after_the_list_and_says_once_that_its_record_is_there() -> None:
    terms = check(ORDERS)
    pen = RecordValue("Item", (("name", "pen"), ("tags", frozenset({"new"})), ("gift", True)))
    ink = RecordValue("Item", (("name", "ink"), ("tags", frozenset[str]()), ("gift", None)))
    order = RecordValue("Order", (("items", (pen, ink)), ("labels", frozenset({"b", "a"}))))
    pinned = pin(terms, {"order": order, "item": "x"})
    assert pinned.condition == (
        "Implies(order is not None and len(order.items) == 2 and all("
        '(one_item.name == "pen" and one_item.tags == {"new"} and one_item.gift == True) or '
        '(one_item.name == "ink" and one_item.tags == frozenset() and one_item.gift is None) '
        "for one_item in order.items), not Result())"
    )
    assert preview(check(pinned.policy)).status is ProofStatus.PROVED


def test_a_clause_bounds_a_set_by_one_that_has_or_is_within_its_elements() -> None:
    decision = "def allow(files: frozenset[str]) -> bool:\n    return not (forbid_files(files))\n"
    head = 'def forbid_files(files: frozenset[str]) -> bool:\n    """R1: No."""\n    return '
    within = check(f'{head}not files <= {{"a", "b"}}\n\n\n{decision}')
    assert pin(within, {"files": frozenset({"b", "a"})}).condition == 'Implies(files <= {"a", "b"}, Result())'
    having = check(f'{head}"a" in files\n\n\n{decision}')
    assert pin(having, {"files": frozenset("ab")}).condition == (
        'Implies("a" in files and "b" in files, not Result())'
    )
    empty = check(f"{head}files == frozenset()\n\n\n{decision}")
    assert pin(empty, {"files": frozenset[str]()}).condition == "Implies(files == frozenset(), not Result())"
