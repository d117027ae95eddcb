"""Rules and clauses of the program agree: whoever adds a rule, the program's clauses except it.

An act that breaks another clause is refused, with the clause and an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.test_sessions import Shell
from tests.examples import examples
from workbench.app.contradictions import Contradicts
from workbench.app.rules import RulePlan
from workbench.app.workbench import Workbench
from workbench.check.undemanded import undemanded
from workbench.engines.smt.preview import equivalent, preview, satisfiable
from workbench.engines.smt.rule_by_rule import with_result
from workbench.model import ProofStatus
from workbench.policy.check import check
from workbench.policy.connectives import FALSE, TRUE, conjunction
from workbench.policy.terms import Not, Parameter, PolicyTerms
from workbench.session import Session
from workbench.session.agent_file import read_agent

SPEC = read_agent("""
name = "archive"
[arguments.tool]
type = "enum"
values = ["open_box", "copy_page", "lend_map", "burn"]
description = "the tool that is called"
extract = {method = "jsonpath", path = "$.tool"}
[arguments.pages]
type = "int"
description = "how many pages are copied"
extract = {method = "jsonpath", path = "$.arguments.pages"}
[arguments.guest]
type = "bool"
description = "whether the reader is a guest"
extract = {method = "jsonpath", path = "$.context.guest"}
[arguments.age]
type = "int"
description = "the age of the reader"
extract = {method = "jsonpath", path = "$.context.age"}
""")
OPEN = "# Archive\n\nNever use lend_map if age is less than 16. Everything else is allowed.\n"
CLOSED = "# Archive\n\nCopy_page is allowed if pages is at most 40. Everything else is forbidden.\n"

# A rule by the builder, and a sentence that says the same.
FORBIDDEN = (
    (RulePlan(("copy_page",), ("pages > 20",)), "Never use copy_page if pages is more than 20."),
    (RulePlan(("lend_map",), ("guest",)), "Never use lend_map if guest is true."),
    (RulePlan(("open_box",), ("age < 18",)), "Never use open_box if age is less than 18."),
    (RulePlan((), ("tool == 'copy_page'", "age < 12")), "Never use copy_page if age is less than 12."),
)


def archive(folder: Path, request: str = OPEN) -> Workbench:
    """A drafted session without an open question."""
    bench = Workbench(Session.create(folder, request, SPEC))
    bench.request.redraft()
    understanding = bench.questions.understand(accept_defaults=True)
    bench.questions.accept_defaults(understanding.defaults)
    return bench


def refuted(bench: Workbench) -> list[str]:
    """The clauses that the preview does not prove."""
    terms = bench.policy.terms()
    statuses = {verdict.clause: verdict.status for verdict in preview(terms).clauses}
    return [clause.source for clause in terms.clauses if statuses[clause.id] is not ProofStatus.PROVED]


def test_a_rule_after_an_answer_narrows_what_the_answer_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer writes an "allowed otherwise" clause; a rule that is built later is an exception to it."""
    folder, shell = tmp_path / "archive", Shell(capsys)
    request = "# Archive\n\nMinors keep off.\n\nReaders may not use burn. Everything else is allowed.\n"
    with closing(archive(folder, request)):
        pass
    sentence = "Readers under 16 may not use lend_map."
    assert shell.run("answer", folder, "Minors keep off", sentence) == 0
    assert shell.run("rule", folder, "--tool", "lend_map", "--when", "guest") == 0
    assert shell.run("rule", folder, "--tool", "copy_page", "--when", "pages > 20") == 0
    with closing(Workbench.open(folder)) as bench:
        assert refuted(bench) == []
        narrowed = [clause.source for clause in bench.policy.terms().clauses if "not guest" in clause.source]
        assert narrowed, "the clause of the answered sentence excepts guests"


def same_contract(one: PolicyTerms, other: PolicyTerms) -> bool:
    """Whether two contracts allow the same policies: on each input the same decisions are right."""
    for result in (TRUE, FALSE):
        demands = [
            conjunction(with_result(clause.term, result) for clause in terms.clauses)
            for terms in (one, other)
        ]
        for this, that in permutations(demands):
            if satisfiable(one, conjunction((this, Not(that)))) is not False:
                return False
    return True


def with_every_argument(terms: PolicyTerms) -> PolicyTerms:
    """A policy over all arguments of the agent, so that clauses of two policies can be compared."""
    declared = [Parameter(argument.name, argument.type) for argument in SPEC.arguments]
    return replace(terms, arguments=tuple(declared), source="")


def put(bench: Workbench, rule: tuple[RulePlan, str], *, by_builder: bool) -> None:
    plan, sentence = rule
    if by_builder:
        bench.rules.add(plan)
        return
    first, last = bench.session.request.rsplit("\n\n", 1)
    bench.request.set(f"{first}\n\n{sentence} {last}")
    defaults = bench.questions.understand(accept_defaults=True).defaults
    bench.questions.accept_defaults(defaults)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> PolicyTerms:
    """The policy that is drafted where every rule is a sentence of the request."""
    with closing(archive(tmp_path_factory.mktemp("said") / "archive")) as bench:
        for rule in FORBIDDEN:
            put(bench, rule, by_builder=False)
        return bench.policy.terms()


@given(st.permutations(range(len(FORBIDDEN))), st.lists(st.booleans(), min_size=4, max_size=4))
@settings(max_examples=examples(8))
def test_in_any_order_clauses_prove_and_say_what_the_sentences_say(
    tmp_path_factory: pytest.TempPathFactory,
    said: PolicyTerms,
    order: Sequence[int],
    by_builder: Sequence[bool],
) -> None:
    with closing(archive(tmp_path_factory.mktemp("built") / "archive")) as bench:
        for place in order:
            put(bench, FORBIDDEN[place], by_builder=by_builder[place])
            assert refuted(bench) == []
        built = bench.policy.terms()
    assert equivalent(built, said)
    assert same_contract(with_every_argument(built), with_every_argument(said))


PERMITTED = (
    (RulePlan(("open_box",), ("age >= 18",), "permit"), "Readers may use open_box if they are 18 or older."),
    (RulePlan(("lend_map",), ("not guest",), "permit"), "Readers may use lend_map if they are not guests."),
    (RulePlan(("copy_page",), ("guest",)), "Guests may not use copy_page."),
    (RulePlan(("open_box",), ("guest",)), "Guests may not use open_box."),
)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_rules_that_permit_are_exceptions_too_and_are_demanded(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    with closing(archive(tmp_path / "archive", CLOSED)) as bench:
        for place in order:
            bench.rules.add(PERMITTED[place][0])
            assert refuted(bench) == []
        bench.rules.add(PERMITTED[3][0])
        assert refuted(bench) == [], "a prohibition is an exception to a permission that was built"
        terms = bench.policy.terms()
        assert not undemanded(terms), "what is permitted is demanded"


def test_a_clause_that_a_person_edited_is_not_touched_and_the_rule_is_refused(tmp_path: Path) -> None:
    with closing(archive(tmp_path / "archive")) as bench:
        edited = bench.session.policy.replace("Result() == (age >= 16)", "Result() == (age > 15)")
        assert edited != bench.session.policy
        bench.editing.store(edited)
        with pytest.raises(Contradicts, match=r"C1 .*tool = .?lend_map.* is denied by forbid_lend_map"):
            bench.rules.add(FORBIDDEN[1][0])
        assert bench.session.policy == edited, "nothing is stored"
        with bench.request.anyway():
            bench.rules.add(FORBIDDEN[1][0])
        assert "Result() == (age > 15)" in bench.session.policy
        assert len(refuted(bench)) == 1, "it stands in the result"


def test_a_rule_that_leaves_nothing_of_a_clause_contradicts_it(tmp_path: Path) -> None:
    with closing(archive(tmp_path / "archive")) as bench:
        before = bench.session.policy
        with pytest.raises(Contradicts, match="Everything else is allowed"):
            bench.rules.add(RulePlan((), ("tool != 'lend_map'",)))
        assert bench.session.policy == before


def test_a_rule_written_by_hand_narrows_until_it_is_taken_out_again(tmp_path: Path) -> None:
    rule = '''def forbid_late(tool: Tool, age: int) -> bool:
    """Nobody over 90 opens a box."""
    return tool == "open_box" and age > 90


def allow('''
    with closing(archive(tmp_path / "archive")) as bench:
        before = bench.session.policy
        added = before.replace("def allow(", rule).replace(
            "return not ", "return not (forbid_late(tool, age) or "
        )
        bench.editing.store(added.rstrip() + ")\n")
        assert refuted(bench) == []
        assert 'not (tool == "open_box" and age > 90)' in bench.session.policy
        bench.editing.store(bench.session.policy.replace("age > 90\n", "age > 80\n"))
        assert refuted(bench) == [], "the exception follows the rule"
        assert 'not (tool == "open_box" and age > 80)' in bench.session.policy
        (written,) = [rule for rule in bench.policy.terms().rules if rule.name == "forbid_late"]
        lines = bench.session.policy.splitlines(keepends=True)
        without = "".join(lines[: written.line - 1] + lines[written.end_line :])
        bench.editing.store(without.replace("forbid_late(tool, age) or ", ""))
        assert {clause.source for clause in bench.policy.terms().clauses} == {
            clause.source for clause in check(before).clauses
        }, "without the rule there is no exception"


ANSWERED = "# Archive\n\nMinors keep off.\n\nNever use burn. Everything else is allowed.\n"


def test_an_answer_that_breaks_a_persons_clause_is_refused_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, shell = tmp_path / "archive", Shell(capsys)
    with closing(archive(folder, ANSWERED)) as bench:
        clause = '    # Maps are lent to everybody.\n    Ensures(Implies(tool == "lend_map", Result()))\n'
        bench.editing.store(bench.session.policy.replace("    return not", f"{clause}    return not"))
        before = bench.session.policy
        assert refuted(bench) == []
    sentence = "Never use lend_map if age is less than 16."
    file = tmp_path / "answers.toml"
    file.write_text(f'"Minors keep off" = "{sentence}"\n', encoding="utf-8")
    for command in (("answer", folder, "Minors keep off", sentence), ("answer", folder, "--file", file)):
        assert shell.run(*command) == 1
        assert "Maps are lent to everybody" in shell.err
        assert "lend_map" in shell.err
        assert (folder / "policy.py").read_text(encoding="utf-8") == before
    assert shell.run("answer", folder, "Minors keep off", sentence, "--preview") == 0
    assert "Contradicts  " in shell.out
    assert shell.run("answer", folder, "Minors keep off", sentence, "--anyway") == 0
    assert shell.run("check", folder) == 1
    assert "refuted" in shell.out
