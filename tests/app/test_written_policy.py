"""A session whose policy of calls a person wrote: what is known of its file, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.app.written_desk import BROKEN, POLICY, UNKNOWN_FIELD, line_of, written_desk
from tests.examples import examples
from workbench.app.clause_findings import NO_CLAUSE
from workbench.app.new_session import new_session
from workbench.app.policy_sections import SectionKind, sections
from workbench.app.workbench import Workbench
from workbench.clarify.written.asked import KINDS
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.same_expressions import named_alike
from workbench.engines.smt.widening import widenings
from workbench.model import Argument, ArgumentType, Kind, Verdict, WorkbenchError
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import PolicyTerms
from workbench.policy.written import ArgumentWords
from workbench.session.agent_file import read_agent

HOURS = (1, 24, 48)
HOUR = POLICY.replace("timedelta(hours=24)", "timedelta(hours=1)")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    bench = Workbench.open(written_desk(tmp_path))
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """A session that no test changes."""
    bench = Workbench.open(written_desk(tmp_path_factory.mktemp("shared")), read_only=True)
    yield bench
    bench.close()


# --- places


def test_rules_and_clauses_have_their_lines_in_the_written_file(shared: Workbench) -> None:
    terms = shared.policy.terms()
    lines = POLICY.splitlines()
    assert terms.file.text == POLICY
    for rule in terms.rules:
        part = terms.file.part(rule)
        assert lines[part.line - 1].startswith(f"def {rule.name}("), rule.name
    sources = {clause.id: terms.file.part(clause) for clause in terms.clauses}
    assert sources["C1"].source == 'Implies(paid(call, run) > Decimal("5000"), not Result())'
    assert lines[sources["C1"].line - 1].strip() == f"Ensures({sources['C1'].source})"


def test_a_clause_for_two_tools_is_two_clauses_at_one_place(shared: Workbench) -> None:
    terms = shared.policy.terms()
    again = [terms.file.part(clause) for clause in terms.clauses if "R12" in clause.requirements]
    assert [part.tool for part in again] == ["pay_invoice", "book_room"]
    assert len({(part.line, part.source) for part in again}) == 1


def test_the_state_shows_the_written_text_in_sections(shared: Workbench) -> None:
    state = shared.first_state()
    assert state.policy == POLICY
    by_name = {section.name: section for section in sections(state)}
    rule = by_name["forbid_over_limit"]
    assert rule.kind is SectionKind.RULE
    assert rule.first == line_of("def forbid_over_limit")
    clause = by_name["C2"]
    assert clause.kind is SectionKind.CLAUSE
    assert clause.first <= line_of('Decimal("10")') <= clause.last


@pytest.mark.parametrize(
    ("policy", "words"), [(BROKEN, "paid(call, run > LIMIT"), (UNKNOWN_FIELD, "call.totl")]
)
def test_problems_are_at_lines_of_the_written_file(tmp_path: Path, policy: str, words: str) -> None:
    bench = Workbench.open(written_desk(tmp_path, policy), read_only=True)
    try:
        state = bench.state()
        assert [problem.line for problem in state.problems] == [line_of(words, policy)]
        assert state.terms is None
        assert bench.check().exit_code == 1
        assert not bench.enforced.version
    finally:
        bench.close()


# --- editing


def test_an_edit_is_stored_as_it_is_written_and_undone(bench: Workbench) -> None:
    assert bench.editing.keep_or_store(HOUR)
    assert (bench.session.path / "policy.py").read_text(encoding="utf-8") == HOUR
    assert bench.session.evaluated().calls.source == HOUR
    assert bench.editing.undo()
    assert bench.session.written == POLICY


def test_a_broken_edit_is_kept_beside_the_file(bench: Workbench) -> None:
    assert not bench.editing.keep_or_store(BROKEN)
    assert bench.session.written == POLICY
    state = bench.first_state()
    assert (state.policy, state.edited) == (BROKEN, True)
    assert state.terms is not None, "the terms of the last good text stay"
    assert bench.editing.keep_or_store(POLICY) is False, "it is the stored text again"
    assert bench.editing.kept_edit is None


def test_a_text_that_does_not_import_the_agent_is_a_broken_edit(bench: Workbench) -> None:
    plain = "\n".join(line for line in POLICY.splitlines() if not line.startswith("from agent import"))
    assert plain != POLICY
    assert not bench.editing.keep_or_store(plain)
    assert bench.session.written == POLICY


def test_an_edit_from_outside_is_taken_over(bench: Workbench) -> None:
    (bench.session.path / "policy.py").write_text(HOUR, encoding="utf-8")
    bench.editing.take_outside(POLICY)
    assert bench.session.written == HOUR
    assert bench.first_state().policy == HOUR


def test_two_edits_at_once_are_both_kept(bench: Workbench) -> None:
    ours = POLICY.replace('LIMIT = Decimal("5000")', 'LIMIT = Decimal("4000")')
    (bench.session.path / "policy.py").write_text(HOUR, encoding="utf-8")
    edit = bench.editing.take_outside(ours)
    assert edit is not None
    assert "your text stays, as an edit that is not stored" in edit.sentence
    assert bench.session.written == HOUR
    assert bench.editing.kept_edit == ours


def test_a_version_is_restored_as_it_was_written(bench: Workbench) -> None:
    bench.editing.store(HOUR)
    assert bench.policy.restore(0)
    assert bench.session.written == POLICY
    assert not bench.policy.restore(0)


# --- versions over other expressions


def test_a_changed_expression_is_no_equal_version(shared: Workbench) -> None:
    """Both versions have an argument of one name, for two expressions."""
    change = shared.policy.diff(HOUR, POLICY)
    assert change.semantic.equivalent is False
    assert change.regions(Verdict.ASK), "within a day a person is asked again"


def test_equal_expressions_have_one_name_in_two_versions(shared: Workbench) -> None:
    moved = POLICY.replace("def forbid_over_limit", "def forbid_zz").replace("LIMIT = ", "LIMIT  = ")
    change = shared.policy.diff(POLICY, moved)
    assert change.semantic.equivalent is True


def test_calls_are_decided_by_the_expressions_of_the_decided_version(shared: Workbench) -> None:
    logs = shared.runs.load()
    now = shared.runs.decide(shared.policy.terms(), logs)
    then = shared.runs.decide(shared.policy.terms(HOUR), logs)
    fresh = shared.runs.load(terms=shared.policy.terms(HOUR))
    assert [one.decision for one in then] == [
        one.decision for one in shared.runs.decide(shared.policy.terms(HOUR), fresh)
    ]
    assert [one.decision for one in now] == [
        one.decision for one in shared.runs.decide(shared.policy.terms(), logs)
    ]


@pytest.fixture(scope="module")
def versions(shared: Workbench) -> dict[int, PolicyTerms]:
    """The policy with windows of different hours."""
    return {hours: shared.policy.terms(POLICY.replace("hours=24", f"hours={hours}")) for hours in HOURS}


@settings(max_examples=examples(27), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=st.sampled_from(HOURS), new=st.sampled_from(HOURS))
def test_names_are_equal_exactly_where_expressions_are(
    versions: dict[int, PolicyTerms], old: int, new: int
) -> None:
    before, after = versions[old], named_alike(versions[new], versions[old])
    assert before.written is not None
    assert after.written is not None
    known = {argument.name: argument.expression for argument in before.written.arguments}
    by_expression = {str(expression): name for name, expression in known.items()}
    for argument in after.written.arguments:
        name = by_expression.get(str(argument.expression), argument.name)
        assert argument.name == name
        assert known.get(argument.name, argument.expression) == argument.expression
    assert [one.name for one in after.arguments] == [one.name for one in after.written.arguments]
    assert (old == new) == (after.rules == before.rules)
    for rule in after.rules:
        assert free_names(rule.body) == {one.name for one in rule.parameters}


_GROWN = """
[tools.send_gift.parameters]
type = "object"
properties = {text = {type = "string"}}
required = ["text"]
"""
_FEW = 'name = "desk"\n' + _GROWN.replace("send_gift", "send_note") + _GROWN.replace("send_gift", "pay")
_RULES = '''"""A desk."""

from agent import Pay, SendNote

DEFAULT = "deny"


def permit_send_note(call: SendNote) -> bool:
    """R1: Notes go out."""
    return True


def permit_pay(call: Pay) -> bool:
    """R2: Dues are paid."""
    return True


def forbid_pay(call: Pay) -> bool:
    """R3: But no fines."""
    return call.text == "fine"
'''


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        (_RULES, []),
        (_RULES.replace('"deny"', '"allow"'), ["tool=send_gift"]),
        (_RULES.replace('"fine"', '"fines"'), ["forbid_pay"]),
    ],
)
def test_a_tool_that_the_agent_gains_widens_only_what_is_allowed_then(rules: str, found: list[str]) -> None:
    old = lowered_policy(
        _RULES.replace('"deny"', '"allow"') if '"allow"' in rules else _RULES, read_agent(_FEW)
    )
    new = lowered_policy(rules, read_agent(_FEW + _GROWN))
    assert [one.name for one in widenings(old.terms, named_alike(new.terms, old.terms))] == found


# --- words


def test_texts_have_expressions_in_place_of_made_up_names(shared: Workbench) -> None:
    words = shared.policy.words
    assert words.said("pay_invoice_total > 3") == "call.total > 3"
    assert words.said('total = "pay_invoice_total"') == 'total = "pay_invoice_total"', (
        "a value in quotes stays"
    )
    assert words.said("pay_invoice_trip.cost_centre") == "run.trip(call.trip_id).cost_centre"
    assert words.said("now it is paid") == "now it is paid"
    assert words.of("pay_invoice_trip.cost_centre") == "run.trip(call.trip_id).cost_centre"


def test_only_values_about_the_calls_tool_are_shown(shared: Workbench) -> None:
    words = shared.policy.words
    shown = words.shown({"tool": "cancel_booking", "pay_invoice_total": Decimal(3), "now": None})
    assert shown == {"tool": "cancel_booking", "call.time": None}


def test_declared_arguments_are_called_by_their_names() -> None:
    words = ArgumentWords((Argument("pay_total", ArgumentType(Kind.INT), "the total"),))
    assert not words
    assert words.said("pay_total > 1") == "pay_total > 1"
    assert words.of("pay_total") == "pay_total"


# --- facts


def test_a_fact_has_its_value_and_places_at_a_call(shared: Workbench) -> None:
    logs = shared.runs.load()
    (explanation,) = shared.runs.explain(shared.policy.terms(), logs, "conferences-0320", 30)
    facts = {fact.name: fact for fact in explanation.facts}
    assert set(facts) == {"paid", "paid_today"}, "facts of rules about other tools are left out"
    paid = facts["paid"]
    assert (paid.noun, paid.rules) == (
        "what was paid in this run, this payment included",
        ("forbid_over_limit",),
    )
    assert paid.origin.value == Decimal(5112)
    assert [quote.quote for quote in paid.origin.quotes] == ["120.0"]
    assert paid.calls == ("calls 11, 13, 25, 28",)


def test_a_fact_that_is_not_determined_names_reason_and_remedy(shared: Workbench) -> None:
    logs = shared.runs.load()
    (explanation,) = shared.runs.explain(shared.policy.terms(), logs, "hanover-0318", 0)
    (fact,) = explanation.facts
    assert fact.name == "too_late"
    assert "no earlier result says what it is" in str(fact.origin.missing)
    assert fact.remedy == 'Look it up first: get_booking(booking_id="B-26-0872").'
    assert explanation.message.endswith(fact.remedy)


def test_facts_are_evaluated_where_the_decision_did_not_need_them(shared: Workbench) -> None:
    logs = shared.runs.load()
    (explanation,) = shared.runs.explain(shared.policy.terms(), logs, "invoices-0313", 6)
    assert explanation.decision.verdict is Verdict.ALLOW
    assert {fact.name: fact.origin.missing for fact in explanation.facts} == {
        "paid": None,
        "paid_today": None,
    }


# --- the dialogue


DIALOGUE: dict[str, Callable[[Workbench], object]] = {
    "draft": lambda bench: bench.request.redraft(),
    "draft with answers": lambda bench: bench.request.redraft_with_answers(),
}


@pytest.mark.parametrize("act", DIALOGUE.values(), ids=DIALOGUE)
def test_nothing_is_drafted_asked_or_built(bench: Workbench, act: Callable[[Workbench], object]) -> None:
    with pytest.raises(
        WorkbenchError, match=r"is written, and nothing is drafted .* edit policy\.py"
    ) as refused:
        act(bench)
    assert refused.value.exit_code == 2
    assert bench.session.written == POLICY


def test_only_findings_are_asked_and_accepted(bench: Workbench) -> None:
    understanding = bench.questions.understand()
    assert understanding.questions
    assert {question.kind for question in understanding.questions} <= {NO_CLAUSE, *KINDS}
    question = understanding.questions[0]
    changed = bench.questions.answer(question, question.options[0].value)
    assert not changed.policy
    assert bench.session.written == POLICY
    assert question.id not in {open_one.id for open_one in bench.questions.understand().open}


def test_another_answer_is_refused(bench: Workbench) -> None:
    question = bench.questions.understand().questions[0]
    foreign = replace(question, id="boundary:1:total")
    with pytest.raises(WorkbenchError, match="nothing is drafted"):
        bench.questions.answer(foreign, question.options[0].value)
    assert not bench.session.assumptions


def test_the_request_is_edited_and_the_policy_stays(bench: Workbench) -> None:
    edited = f"{bench.session.request}\nNobody may send mail.\n"
    bench.editing.set_request(edited)
    assert bench.session.written == POLICY
    assert any(one.text == "Nobody may send mail." for one in bench.request.draft().requirements)


# --- a new one


def test_a_new_session_begins_with_a_policy_to_be_written(tmp_path: Path) -> None:
    desk = written_desk(tmp_path)
    for request, default in (("Everything else is allowed.", "allow"), ("Nobody may pay.", "deny")):
        file = tmp_path / f"{default}.md"
        file.write_text(request, encoding="utf-8")
        created = new_session(
            tmp_path / default, file, agent=desk / "agent.toml", logs=[desk / "logs/invoices-0313.jsonl"],
            author="written",
        )  # fmt: skip
        try:
            created.draft()
            session = created.workbench.session
            assert f'DEFAULT = "{default}"' in session.written
            assert (session.path / "agent.pyi").is_file()
            assert not session.agent.arguments
            assert created.workbench.policy.terms().default_allow is (default == "allow")
        finally:
            created.workbench.close()
