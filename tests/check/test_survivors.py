"""Ends of a wrong version that passes the contract: a case, a question, a stored reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.check.test_strength import EXACT, HEAD, LOOSE
from tests.plain_policies import check
from workbench.app.workbench import Workbench
from workbench.check.disputed_input import judge
from workbench.check.mutate import mutants
from workbench.check.strength import Fate
from workbench.engines.smt.confirm import Runner
from workbench.files.file_error import FileError
from workbench.model import (
    AgentSpec,
    Case,
    Tool,
    Verdict,
    WorkbenchError,
)
from workbench.session import Session
from workbench.session.excerpts import case_text

WEAK = HEAD.strip() + LOOSE


WEAK_OF_CALLS = '''"""What may be done."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Act

DEFAULT = "allow"
MAY = {"admin": {"read", "write"}, "user": {"read"}}


def forbid_action(call: Act) -> bool:
    """R1: Only listed actions."""
    return call.action not in MAY[call.role]


def forbid_young(call: Act) -> bool:
    """R2: Users under 18 may not."""
    return call.age is None or call.age < 18


def contract_young(call: Act) -> None:
    # R2: Users under 18 may not.
    Ensures(Implies(call.age is not None and call.age < 18, not Result()))
'''
ACT = Tool(
    "act",
    "",
    {
        "properties": {
            "role": {"type": "string", "enum": ["admin", "user"]},
            "action": {"type": "string"},
            "age": {"type": "integer"},
        },
        "required": ["role", "action"],
    },
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    session = Session.create(tmp_path / "weak", "Only listed actions.", AgentSpec("agent", tools=(ACT,)))
    session.set_policy(WEAK_OF_CALLS)
    workbench = Workbench(session)
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
    whole = bench.strength.measure(terms).open[0].example
    assert whole is not None
    age = next(name for name in whole if name.endswith("age"))
    without = {name: value for name, value in whole.items() if name != age}
    with pytest.raises(WorkbenchError, match="is missing"):
        bench.cases.keep(terms, without, Verdict.DENY)
    kept = bench.cases.keep(terms, without, Verdict.CANNOT_EVALUATE)
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


def test_a_case_that_is_written_may_not_contradict_another(bench: Workbench) -> None:
    terms = bench.policy.terms()
    arguments = bench.strength.measure(terms).open[0].example
    assert arguments is not None
    first = Case("own", dict(arguments), Verdict.DENY, "said", (), "human")
    words = bench.session.words
    assert bench.cases.add_text(case_text(first, words)).judgement == judge(terms, arguments, Verdict.DENY)
    assert bench.session.cases == (first,)
    for other, refused in ((replace(first, id="other", expected=Verdict.ALLOW), "remove it first"),
                           (first, "choose another id")):  # fmt: skip
        with pytest.raises(WorkbenchError, match=refused):
            bench.cases.add_text(case_text(other, words))
    assert bench.session.cases == (first,)


def test_a_reason_is_stored_on_one_line_and_an_empty_one_is_none(bench: Workbench) -> None:
    found = bench.strength.measure(bench.policy.terms()).open[0]
    with pytest.raises(WorkbenchError, match="the reason is empty"):
        bench.strength.accept(found, " ")
    bench.strength.accept(found, "Nobody  minds.")
    (stored,) = bench.session.accepted
    assert (stored.mutant, stored.reason) == (found.mutant.id, "Nobody minds.")
    assert stored.what == f"{found.mutant.where}: {found.mutant.description}"
