"""Attacks by a model: it must not run text, forge rules, loop for ever, or leave nothing behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.author.model.scripted_model import Script, analysis, cases, clauses, direct_author, doubt, rules
from tests.examples import examples
from workbench.app.questions import assumption_of
from workbench.author.model.assemble import assemble
from workbench.author.model.author import Drafting
from workbench.author.model.errors import ModelError
from workbench.author.model.expression_check import NotAnExpression, read_expression, rewritten
from workbench.author.model.requirement_parts import (
    CasesPart,
    ClausePart,
    ClausesPart,
    RulePart,
    RulesPart,
    Target,
    Unit,
)
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Json,
    Kind,
    MadeBy,
    ProofStatus,
    Requirement,
    Span,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.problems import PolicyError

ARGUMENTS = (
    Argument("action", ArgumentType(Kind.ENUM, ("lend_book", "lend_film", "other"))),
    Argument("years", ArgumentType(Kind.INT)),
    Argument("tags", ArgumentType(Kind.SET, ("war", "love"))),
)
SPEC = AgentSpec("desk", "Lends books and films.", arguments=ARGUMENTS)
FILMS = "Films may only be lent to readers from 16."
REST = "Everything else is allowed."
REQUEST = f"# Lending\n\n{FILMS} {REST}\n"
READ = analysis((FILMS, FILMS), (REST, REST))
GOOD = rules(("young", 'action == "lend_film" and years < 16'))
CONTRACT = clauses(
    ('action == "lend_film" and years < 16', "deny"), ('action == "lend_film" and years >= 16', "allow")
)


def replies(**changed: Sequence[object]) -> Mapping[str, Sequence[object]]:
    reply_lists: dict[str, Sequence[object]] = {
        "analysis": [READ],
        "arguments": [{"rules": []}],
        "rules_R1": [GOOD],
        "contract_R1": [CONTRACT],
        "rules": [rules()],
        "contract": [clauses(('action == "other"', "allow"))],
        "cases": [cases()],
        **changed,
    }
    return {name.replace("_", " "): reply_list for name, reply_list in reply_lists.items()}


def draft(
    reply_lists: Mapping[str, Sequence[object]],
    request: str = REQUEST,
    choices: Mapping[str, str] | None = None,
    *,
    rounds: int = 3,
    samples: int = 1,
) -> Drafting:
    script = Script(reply_lists)  # pyright: ignore[reportArgumentType]  replies of each test
    return direct_author(script, rounds=rounds, samples=samples).drafting(request, SPEC, choices or {})


def decide(drafting: Drafting, action: str, years: int) -> Verdict:
    arguments = {"action": action, "years": years, "tags": frozenset[str]()}
    terms = check(drafting.draft.policy)
    names = {parameter.name for parameter in terms.arguments}
    return compile_policy(terms).decide({name: arguments[name] for name in names}).verdict


# --- text that wants to be run ----------------------------------------------------

MALICIOUS = [
    "__import__('os').system('touch {path}')",
    "open('{path}', 'w').write('x') == 1",
    "(lambda: open('{path}', 'w'))() is None",
    "[open('{path}', 'w') for _ in 'a'] == []",
    "years < 16)\n    import os\n    return (True",
    'True\n\n\nopen("{path}", "w")',
    "eval(\"open('{path}', 'w')\")",
    "().__class__.__bases__[0].__subclasses__() == []",
    "f'{{open(\"{path}\", \"w\")}}' == ''",
    "(years := 3) == 3",
    "exec('x')",
    "years < 16 # ) or True",
    "await years",
    "years < 10 ** 10 ** 10",
    "(" * 900 + "True" + ")" * 900,
    "not " * 300 + "True",
    "\x00",
    "",
    "    ",
    "years.__class__ == int",
    "years < 1_6.0",
]


@pytest.mark.parametrize("text", MALICIOUS)
def test_an_expression_outside_the_dialect_is_refused_and_asked_about(text: str, tmp_path: Path) -> None:
    path = tmp_path / "written"
    expression = text.replace("{path}", str(path)).replace("{{", "{").replace("}}", "}")
    drafting = draft(replies(rules_R1=[rules(("young", expression))]), rounds=1)
    assert not path.exists()
    terms = check(drafting.draft.policy)
    if "#" in text:  # a comment is no part of an expression
        assert [rule.name for rule in terms.rules] == ["forbid_young"]
        return
    assert terms.rules == ()
    (question,) = drafting.draft.questions
    assert (question.kind, question.blocking, question.default) == ("unreadable", True, "")
    assert question.quote == FILMS
    assert any(line.startswith("R1: ") for line in drafting.refused)


@given(
    message=st.text(max_size=80),
    comment=st.text(max_size=80),
    title=st.text(max_size=80),
    values=st.lists(st.text(max_size=30), min_size=1, max_size=4, unique=True),
)
@settings(max_examples=examples(150), deadline=None)
def test_no_text_of_a_model_can_add_to_the_file(
    message: str, comment: str, title: str, values: list[str]
) -> None:
    target = Target(Requirement("R1", "", "", Span(0, 0)), "x")
    listed = read_expression("any(t in WORDS for t in tags)", ARGUMENTS, {"WORDS": values})
    young = read_expression("years < 3", ARGUMENTS, {})
    unit = Unit(
        target,
        RulesPart((RulePart("young", True, listed, message),)),
        ClausesPart((ClausePart(young, False, comment),)),
        CasesPart(),
    )
    try:
        terms = check(assemble(title, [unit], ARGUMENTS, "allow"))
    except PolicyError:
        return
    assert [(rule.name, rule.requirements) for rule in terms.rules] == [("forbid_young", ("R1",))]
    assert [clause.requirements for clause in terms.clauses] == [("R1",)]
    assert set(terms.sets["WORDS"].values) == set(values)
    assert (dict(terms.helpers), dict(terms.tables), terms.preconditions) == ({}, {}, ())


@given(st.text(max_size=200))
@settings(max_examples=examples(200), deadline=None)
def test_cleaning_gives_one_expression_or_a_reason(text: str) -> None:
    try:
        expression = rewritten(text)
    except NotAnExpression as error:
        assert str(error)
    else:
        assert rewritten(expression) == expression


# --- replies that are no use ------------------------------------------------------


@pytest.mark.parametrize(
    "reply", ["", "I would rather not.", "{", '{"title": 3}', "{" * 10_000, "x" * 300_000]
)
def test_a_useless_analysis_ends_in_one_sentence(reply: str) -> None:
    with pytest.raises(ModelError, match="did not analyse the request in 3 tries"):
        draft(replies(analysis=[reply]))


@pytest.mark.parametrize("reply", ["", "nonsense", "[]", '{"lists": []}', "x" * 300_000])
def test_useless_parts_leave_a_question_and_a_draft_without_the_rule(reply: str) -> None:
    drafting = draft(replies(rules_R1=[reply], contract_R1=[reply], cases=[reply]))
    assert check(drafting.draft.policy).rules == ()
    assert [question.blocking for question in drafting.draft.questions] == [True]


def test_a_reply_that_becomes_usable_after_the_reason_is_taken() -> None:
    drafting = draft(replies(rules_R1=["nonsense", rules(("young", "age < 16")), GOOD]))
    assert decide(drafting, "lend_film", 15) is Verdict.DENY
    assert decide(drafting, "lend_film", 16) is Verdict.ALLOW


def test_a_quote_that_is_not_in_the_request_is_refused_and_its_sentence_stays_open() -> None:
    drafting = draft(replies(analysis=[analysis(("Films are for adults.", "x"), (REST, REST))]))
    assert [requirement.quote for requirement in drafting.draft.requirements] == [REST]
    assert any("Films are for adults." in line for line in drafting.refused)
    (question,) = drafting.draft.questions
    assert (question.quote, question.blocking, question.default) == (FILMS, True, "")


def test_an_open_sentence_can_be_said_in_other_words_or_set_aside() -> None:
    analysis_, rest = [analysis((REST, REST))], [clauses(('action == "other"', "allow"))]
    (question,) = draft(replies(analysis=analysis_, rules_R1=[rules()], contract_R1=rest)).draft.questions
    reply_lists = replies(
        analysis=analysis_, rules_R1=[rules()], contract_R1=rest, rules_R2=[GOOD], contract_R2=[CONTRACT]
    )
    drafting = draft(reply_lists, choices={question.id: "Readers under 16 get no films."})
    assert decide(drafting, "lend_film", 15) is Verdict.DENY
    assert drafting.draft.requirements[-1].text == "Readers under 16 get no films."
    aside = draft(
        replies(analysis=analysis_, rules_R1=[rules()], contract_R1=rest),
        choices={question.id: "context"},
    )
    assert [open_question.id for open_question in aside.draft.questions] == [question.id]
    assert decide(aside, "lend_film", 15) is Verdict.ALLOW


def test_a_requirement_without_a_rule_in_the_dialect_can_be_restated_or_left_out() -> None:
    def by_statement(prompt: str) -> Json | str:
        return GOOD if "No films under 16." in prompt else "nonsense"

    bad = replies(rules_R1=[by_statement])
    (question,) = draft(bad).draft.questions
    restated = draft(bad, choices={question.id: "No films under 16."})
    assert decide(restated, "lend_film", 15) is Verdict.DENY
    assert restated.draft.requirements[0].text == "No films under 16."
    assert assumption_of(question, "left-out", MadeBy.HUMAN).statement.endswith("is left out of the policy.")
    left = draft(bad, choices={question.id: "left-out"})
    assert check(left.draft.policy).rules == ()
    assert left.refused == ()


def test_a_spec_without_arguments_is_refused_before_anything_is_asked() -> None:
    script = Script({})
    with pytest.raises(WorkbenchError, match="has no arguments"):
        direct_author(script).draft(REQUEST, AgentSpec("nothing"), {})
    assert script.sent_prompts == []


def test_the_model_cannot_add_an_argument_but_a_fact_that_a_rule_lacks_is_asked_about() -> None:
    use: Json = {"rule": "R1", "arguments": ["years", "rating"], "lacking": "the film's rating"}
    drafting = draft(replies(arguments=[{"rules": [use]}]))
    assert [argument.name for argument in drafting.draft.arguments] == ["action", "years", "tags"]
    (question,) = drafting.draft.questions
    assert (question.kind, question.requirements) == ("argument", ("R1",))
    assert "the film's rating" in question.text
    assert any("'rating'" in line for line in drafting.refused)


# --- the default ------------------------------------------------------------------


def permits(when: str) -> Json:
    return {"rules": [{"name": "old", "effect": "allowed", "when": [{"expression": when}]}]}


def test_where_the_request_says_nothing_of_the_rest_it_is_denied_until_somebody_decides() -> None:
    permit = permits('action == "lend_film" and years >= 16')
    unsaid = replies(
        analysis=[analysis((FILMS, FILMS), otherwise="unsaid")], rules_R1=[permit], contract_R1=[clauses()]
    )
    closed = draft(unsaid, FILMS)
    assert [(question.id, question.default) for question in closed.draft.questions] == [
        ("default:otherwise", "deny")
    ]
    assert decide(closed, "lend_film", 16) is Verdict.ALLOW
    assert decide(closed, "lend_book", 16) is Verdict.DENY
    opened = draft({**unsaid, "rules R1": [permit, GOOD]}, FILMS, {"default:otherwise": "allow"})
    assert decide(opened, "lend_book", 16) is Verdict.ALLOW
    assert decide(opened, "lend_film", 15) is Verdict.DENY


def test_a_permit_rule_is_no_use_where_everything_is_allowed() -> None:
    drafting = draft(replies(rules_R1=[permits("years > 3")]))
    assert check(drafting.draft.policy).rules == ()
    assert "does not have the asked form" in " ".join(drafting.refused)


# --- the loop ---------------------------------------------------------------------


def under(age: int) -> Json:
    return rules(("young", f'action == "lend_film" and years < {age}'))


def test_the_loop_stops_when_the_model_comes_back_to_an_earlier_version() -> None:
    drafting = draft(replies(rules_R1=[under(14), under(18), under(14)]), rounds=9)
    assert "came back" in drafting.stopped
    assert len(drafting.rounds) == 2


def test_the_loop_stops_when_two_rounds_bring_nothing() -> None:
    drafting = draft(replies(rules_R1=[under(age) for age in (10, 11, 12, 13, 14, 15)]), rounds=9)
    assert "no better" in drafting.stopped
    assert (len(drafting.rounds), drafting.best) == (3, 0)


def test_the_loop_stops_after_its_rounds_and_keeps_the_best_version() -> None:
    both = cases(({"action": "lend_film", "years": 15, "tags": []}, "deny"))
    drafting = draft(replies(rules_R1=[under(12), under(18), under(11)], cases_R1=[both]), rounds=2)
    assert "used up" in drafting.stopped
    assert drafting.best == 1
    assert decide(drafting, "lend_film", 15) is Verdict.DENY
    assert "Too permissive" in " ".join(drafting.rounds[0].critique)
    assert "Too strict" in " ".join(drafting.rounds[1].critique)
    (question,) = drafting.draft.questions  # the kept rules are stricter than the contract
    assert (question.kind, question.default, question.requirements) == ("contradiction", "", ("R1",))


def test_rules_that_stand_send_the_finding_to_the_contract() -> None:
    wrong = clauses(('action == "lend_film" and years < 18', "deny"))
    drafting = draft(replies(contract_R1=[wrong, CONTRACT]))
    assert (drafting.best, drafting.rounds[1].critique) == (1, ())
    assert "years >= 16" in drafting.draft.policy


def test_a_version_that_is_worse_is_not_kept() -> None:
    wrong = clauses(
        ('action == "lend_film" and years < 18', "deny"), ('action == "lend_film" and years > 20', "allow")
    )
    worse = replies(contract_R1=[wrong], rules_R1=[GOOD, rules(("all", "years < 99"))])
    drafting = draft(worse, rounds=1)
    assert drafting.best == 0
    (question,) = drafting.draft.questions
    chosen = draft(worse, rounds=1, choices={question.id: "rules"})
    assert decide(chosen, "lend_film", 17) is Verdict.ALLOW


def test_while_rules_and_contract_differ_what_either_denies_is_denied_and_that_is_proved() -> None:
    wrong = clauses(
        ('action == "lend_film" and years < 18', "deny"), ('action == "lend_film" and years >= 18', "allow")
    )
    apart = replies(contract_R1=[wrong], rules_R1=[GOOD])
    opened = draft(apart, rounds=1)
    (question,) = opened.draft.questions
    assert question.example is not None
    assert question.example["years"] in (16, 17)
    assert decide(opened, "lend_film", 17) is Verdict.DENY
    assert preview(check(opened.draft.policy)).status is ProofStatus.PROVED
    decided = {value: draft(apart, rounds=1, choices={question.id: value}) for value in ("rules", "contract")}
    assert decide(decided["rules"], "lend_film", 17) is Verdict.ALLOW
    assert decide(decided["contract"], "lend_film", 17) is Verdict.DENY
    assert decide(decided["contract"], "lend_film", 18) is Verdict.ALLOW
    for drafting in decided.values():
        assert preview(check(drafting.draft.policy)).status is ProofStatus.PROVED
        assert [open_question.id for open_question in drafting.draft.questions] == [question.id]


# --- several drafts ---------------------------------------------------------------


def test_where_two_drafts_differ_on_an_input_that_is_a_question_and_denial_is_the_default() -> None:
    silent = replies(rules_R1=[GOOD, under(18)], contract_R1=[clauses()])
    drafting = draft(silent, samples=2)
    (question,) = drafting.draft.questions
    assert (question.kind, question.default, question.requirements) == ("samples", "deny", ("R1",))
    assert question.example is not None
    years = question.example["years"]
    assert years in (16, 17)
    assert "deny" in question.options[0].effect
    assert decide(drafting, "lend_film", int(str(years))) is Verdict.DENY
    allowed = draft(silent, samples=2, choices={question.id: "allow"})
    assert decide(allowed, "lend_film", int(str(years))) is Verdict.ALLOW
    assert [open_question.id for open_question in allowed.draft.questions] == [question.id]


def test_drafts_that_agree_raise_no_question() -> None:
    same = rules(("young", 'years <= 15 and action == "lend_film"'))
    assert draft(replies(rules_R1=[GOOD, same]), samples=2).draft.questions == ()


def test_two_readings_that_are_one_are_sent_back_and_dropped() -> None:
    twice = doubt("16", "Is 16 included?", "From 16 on.", "From 16 on.")
    drafting = draft(replies(analysis=[analysis((FILMS, FILMS), (REST, REST), doubts=[twice])]))
    assert drafting.draft.questions == ()
    assert "the same" in " ".join(drafting.refused)
