"""Replies in the dialect that are hardly meant: the model is informed, then a question asks about them."""

from __future__ import annotations

import pytest

from tests.author.model.scripted_model import (
    Script,
    analysis,
    cases,
    clauses,
    direct_author,
    expression,
    rules,
)
from workbench.author.model.author import Drafting
from workbench.engines.smt.preview import preview
from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, ProofStatus, Verdict
from workbench.policy.check import check

SHELVES = ("war", "love", "law")
SPEC = AgentSpec(
    "desk",
    "Opens shelves.",
    arguments=(
        Argument("reader", ArgumentType(Kind.ENUM, ("child", "adult"))),
        Argument("shelves", ArgumentType(Kind.SET, SHELVES)),
    ),
)
CHILDREN = "A child may open:"
REQUEST = (
    f"# Shelves\n\nEverybody is a reader.\n\n{CHILDREN}\n\n- love\n- law\n\nAnything else may be done.\n"
)
READ = analysis((CHILDREN, "A child may open love and law."))


def of_child(is_: str, of: Json = "LIST_1") -> list[Json]:
    child: Json = {"argument": "reader", "is": "one of", "values": ["child"]}
    return [child, {"argument": "shelves", "is": is_, "values": of}]


def only_if(name: str, is_: str) -> Json:
    child, shelves = of_child(is_)
    rule: Json = {"name": name, "effect": "allowed only if", "needs": [shelves], "when": [child]}
    return {"rules": [rule]}


def clause(is_: str, decision: str) -> Json:
    return {"when": of_child(is_), "decision": decision}


RULES = only_if("shelves_for_children", "all in")
ALLOW, DENY, LEAVES = clause("all in", "allow"), clause("any not in", "deny"), clause("any in", "allow")
RIGHT: Json = {"clauses": [DENY, ALLOW]}


def drafted(
    found_rules: list[Json], found_clauses: list[Json], found_cases: Json = None, **choices: str
) -> tuple[Drafting, Script]:
    """The draft of scripted rules, clauses and cases of the one requirement."""
    script = Script(
        {
            "analysis": [READ],
            "sentence": [{"kind": "context", "statement": "It is so."}],
            "arguments": [{"rules": []}],
            "rules R1": found_rules,
            "contract R1": found_clauses,
            "rules": [rules()],
            "contract": [clauses()],
            "cases": [found_cases or cases()],
        }
    )
    return direct_author(script, rounds=1).drafting(REQUEST, SPEC, choices), script


def proved(drafting: Drafting) -> bool:
    return preview(check(drafting.draft.policy)).status is ProofStatus.PROVED


@pytest.mark.parametrize(
    ("weak", "reason"),
    [
        ({"clauses": [LEAVES]}, "also allows shelves with one in LIST_1 and another outside it"),
        ({"clauses": [ALLOW]}, "No clause denies anything"),
        (
            {"clauses": [{"when": [expression("reader in {'child', 'adult'}")], "decision": "deny"}]},
            "about every action there is",
        ),
    ],
)
def test_a_contract_that_says_too_little_or_everything_goes_back_with_the_reason(
    weak: Json, reason: str
) -> None:
    drafting, script = drafted([RULES], [weak, RIGHT])
    assert reason in script.prompts("contract R1")[1]
    assert len(script.prompts("contract R1")) == 2
    assert [kept_clause.id for kept_clause in check(drafting.draft.policy).clauses] == ["C1", "C2"]
    assert proved(drafting)
    assert drafting.rounds[drafting.best].critique == ()


@pytest.mark.parametrize(
    ("dead", "reason"),
    [
        (rules(("never", "reader == 'child' and reader == 'adult'")), "never denies anything"),
        (rules(("all", "reader in {'child', 'adult'}")), "denies every action there is"),
    ],
)
def test_a_rule_that_can_never_deny_or_always_does_goes_back_with_the_reason(dead: Json, reason: str) -> None:
    drafting, script = drafted([dead, RULES], [RIGHT])
    assert reason in script.prompts("rules R1")[1]
    assert "never" not in drafting.draft.policy
    assert proved(drafting)


def test_a_weak_contract_that_is_repeated_is_left_to_the_loop_and_then_to_a_person() -> None:
    drafting, script = drafted([RULES], [{"clauses": [LEAVES]}])
    assert len(script.prompts("contract R1")) > 3, "three tries, and the loop's critique"
    (question,) = [
        asked_question
        for asked_question in drafting.draft.questions
        if asked_question.kind == "contradiction"
    ]
    assert proved(drafting), "while it is open, what either denies is denied"
    decided, _ = drafted([RULES], [{"clauses": [LEAVES]}], None, **{question.id: "rules"})
    assert proved(decided)


def test_a_case_that_stands_against_rules_and_contract_is_a_question_by_its_example() -> None:
    wrong = cases(({"reader": "child", "shelves": ["love"]}, "deny"))
    drafting, _ = drafted([RULES], [RIGHT], wrong)
    (question,) = [
        asked_question for asked_question in drafting.draft.questions if asked_question.id.startswith("case:")
    ]
    assert question.example == {"reader": "child", "shelves": frozenset({"love"})}
    assert [option.value for option in question.options] == ["allow", "deny"]
    assert question.default == ""
    (model_case,) = drafting.draft.cases
    assert model_case.expected is Verdict.DENY
    assert proved(drafting)
    for answer in (Verdict.ALLOW, Verdict.DENY):
        decided, _ = drafted([RULES], [RIGHT], wrong, **{question.id: answer})
        (case,) = decided.draft.cases
        assert case.expected is answer
        assert question.id in {open_question.id for open_question in decided.draft.questions}
        assert decided.draft.policy == drafting.draft.policy, (
            "an answer about a case changes no rule by itself"
        )


def test_where_neither_a_rule_nor_a_clause_came_of_a_sentence_no_case_is_asked_for() -> None:
    drafting, script = drafted([rules()], [clauses()], cases(({"reader": "child", "shelves": []}, "deny")))
    assert not [purpose for purpose, _ in script.sent_prompts if purpose.startswith("cases R1")]
    assert drafting.draft.cases == ()
    assert [
        question.id.partition(":")[0]
        for question in drafting.draft.questions
        if "R1" in question.requirements
    ] == ["empty"]
