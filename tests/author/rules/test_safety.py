"""No part of a request is lost or guessed, whatever its content."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.author.specs_for_author import BANKING, EMAIL, HOSPITAL, SHELL, SHOPPING
from tests.examples import examples
from tests.question_ids import bound
from workbench.author.argument_terms import all_of, among, opposite, variable
from workbench.author.request_text import read_blocks, sentences
from workbench.author.rules import RulesAuthor
from workbench.author.rules.agreement import differ, satisfiable
from workbench.author.rules.norms import Effect, Norm
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.preview import equivalent, preview, witness
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    ProofStatus,
    SentenceRole,
    Tool,
    Value,
    Verdict,
)
from workbench.policy.check import check
from workbench.policy.terms import ImpliesTerm

AUTHOR = RulesAuthor()
SPECS = (BANKING, EMAIL, HOSPITAL, SHELL, SHOPPING)
WHO = st.sampled_from(
    ["users", "members", "unvaccinated users", "users who live abroad", "users younger than 18",
     "users aged at least 65", "users who are not members", "users without a driver's licence"]
)  # fmt: skip
DOES = st.sampled_from(
    ["book a hotel", "book a flight", "purchase anything", "apply for a job", "search for media",
     "book a hotel or a flight", "rent a car"]
)  # fmt: skip
IF = st.sampled_from(
    ["", " if they are members", " unless they are vaccinated", " when they are older than 30"]
)


def _forbids(who: str, does: str, when: str) -> str:
    return f"{who.capitalize()} may not {does}{when}."


def _only(who: str, does: str) -> str:
    return f"Only {who} may {does}."


def _may(who: str, does: str) -> str:
    return f"{who.capitalize()} may {does}."


def _nobody(does: str) -> str:
    return f"No user may {does}."


def _joined(lines: list[str], last: list[str]) -> str:
    return "\n".join([*lines, *last])


SENTENCES = st.one_of(
    st.builds(_forbids, WHO, DOES, IF),
    st.builds(_only, WHO.filter(lambda who: who != "users"), DOES),
    st.builds(_may, WHO, DOES),
    st.builds(_nobody, DOES),
    st.just("Users must be at least 21 years old to book a hotel."),
)
LAST: list[list[str]] = [[], ["Everything else is allowed."], ["Everything else is forbidden."]]
REQUESTS = st.builds(_joined, st.lists(SENTENCES, min_size=1, max_size=4), st.sampled_from(LAST))


@settings(max_examples=examples(60), deadline=None)
@given(REQUESTS)
def test_any_set_of_readable_sentences_gives_a_contract_that_holds(request_text: str) -> None:
    """A permission of which other sentences leave nothing has a clause whose left side never happens."""
    drafted = AUTHOR.draft(request_text, SHOPPING, {})
    terms = check(drafted.policy)
    proof = preview(terms)
    assert proof.status in {ProofStatus.PROVED, ProofStatus.VACUOUS}, (drafted.policy, proof)
    for clause, verdict in zip(terms.clauses, proof.clauses, strict=True):
        if verdict.status is ProofStatus.VACUOUS:
            assert isinstance(clause.term, ImpliesTerm)
            assert witness(terms, clause.term.condition) is None
    assert {sentence.role for sentence in drafted.sentences} == {SentenceRole.REQUIREMENT}


@settings(max_examples=examples(40), deadline=None)
@given(REQUESTS, st.data())
def test_the_policy_denies_what_a_prohibition_says_on_every_sample(
    request_text: str, data: st.DataObject
) -> None:
    drafted = AUTHOR.draft(request_text, SHOPPING, {})
    policy = compile_policy(check(drafted.policy))
    alone = data.draw(
        st.sampled_from([line for line in request_text.splitlines() if " not " in line] or [""])
    )
    if not alone:
        return
    single = compile_policy(check(AUTHOR.draft(f"{alone}\nEverything else is allowed.", SHOPPING, {}).policy))
    choices: dict[str, st.SearchStrategy[Value]] = {
        "action": st.sampled_from(SHOPPING.arguments[0].type.values),
        "age": st.integers(10, 70),
        "domestic": st.booleans(),
        "dr_license": st.booleans(),
        "vaccine": st.booleans(),
        "membership": st.booleans(),
    }
    arguments = data.draw(st.fixed_dictionaries(choices))
    if not single.allows({key: arguments[key] for key in _names(single)}):
        assert not policy.allows({key: arguments[key] for key in _names(policy)})


def _names(policy: CompiledPolicy) -> list[str]:
    return [parameter.name for parameter in policy.terms.arguments]


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=300), st.sampled_from(SPECS))
def test_any_text_at_all_gives_a_draft_in_the_dialect(request_text: str, spec: AgentSpec) -> None:
    drafted = AUTHOR.draft(request_text, spec, {})
    check(drafted.policy)
    for sentence in drafted.sentences:
        assert 0 <= sentence.span.start < sentence.span.end <= len(request_text)


# Phrases of a shop's request in any order: most combinations make no sense, and some were not foreseen.
PHRASES = (
    "users", "members", "users who are vaccinated", "users under 18", "anyone", "anything", "everything else",
    "book a hotel", "a flight", "purchase anything", "rent a car", "be members", "be at least 21 years old",
    "be vaccinated", "the age", "may", "may not", "may only", "must", "never", "only", "no", "not", "without",
    "to", "for", "if", "unless", "except", "are", "is allowed", "both", "either", "between 5 and 9", "a",
)  # fmt: skip
JOINTS = st.sampled_from(["", "", "", ",", " and", " or", ", or", ", and"])
SALAD = st.lists(st.tuples(st.sampled_from(PHRASES), JOINTS), min_size=2, max_size=9).map(
    lambda parts: f"{' '.join(''.join(part) for part in parts)}."
)
LISTED = st.lists(st.sampled_from(PHRASES[:11]), min_size=2, max_size=4)


def _list_said(start: str, listed: list[str], joint: str, end: str) -> str:
    return f"{start} {', '.join(listed[:-1])}{joint} {listed[-1]} {end}.".capitalize()


LISTS = st.builds(
    _list_said,
    st.sampled_from(["users may not", "only members may", "never", "users may", "to", "", "users must"]),
    LISTED,
    st.sampled_from([" or", " and", ",", ", or"]),
    st.sampled_from(
        ["", "if they are members", "unless they are vaccinated", "must be members or vaccinated"]
    ),
)


@settings(max_examples=examples(300), deadline=None)
@given(SALAD | LISTS)
def test_any_order_of_known_phrases_gives_a_draft_in_the_dialect(sentence: str) -> None:
    """It fails by the error of ``check``."""
    drafted = AUTHOR.draft(f"{sentence}\nEverything else is allowed.", SHOPPING, {})
    check(drafted.policy)


CONDITIONS = st.lists(
    st.sampled_from(["members", "vaccinated", "at least 21 years old"]), min_size=1, max_size=2, unique=True
)


@settings(max_examples=examples(40), deadline=None)
@given(DOES, CONDITIONS, st.sampled_from([" and ", " or "]))
def test_what_is_done_may_stand_before_or_behind_what_it_needs(
    does: str, conditions: list[str], joint: str
) -> None:
    needed = f"users must be {joint.join(conditions)}"
    sentences_ = (f"To {does}, {needed}.", f"{needed.capitalize()} to {does}.")
    before, behind = (
        check(AUTHOR.draft(f"{text}\nEverything else is allowed.", SHOPPING, {}).policy)
        for text in sentences_
    )
    assert equivalent(before, behind)
    assert before.rules


MARKDOWN_TEXT = """# Title
## Allowed tools
- read_file
* delete everything
1. Never do that.
Action: book a hotel
Condition: age >= 18
Message: Users under 18 may not book a hotel.
| role | columns |
|---|---|
| nursing | lab.labname |
physicians:
- lab: labname, labresult
- lab: everything
```
The agent must not:
- delete files
Users may not fly; users may not drive.
e.g. this. And that!
Say \"\"\"quotes\"\"\" and \\backslashes\\.
Rule: {x} or (y
Role: nursing
- patient: *
Only the following columns may be read.
"""
MARKDOWN = st.lists(st.sampled_from(MARKDOWN_TEXT.splitlines()), max_size=12).map("\n".join)


@settings(max_examples=examples(150), deadline=None)
@given(MARKDOWN, st.sampled_from(SPECS))
def test_no_word_of_a_document_is_outside_of_its_sentences(request_text: str, spec: AgentSpec) -> None:
    drafted = AUTHOR.draft(request_text, spec, {})
    terms = check(drafted.policy)
    assert preview(terms).status is ProofStatus.PROVED
    covered: set[int] = set()
    for sentence in drafted.sentences:
        covered.update(range(sentence.span.start, sentence.span.end))
    for match in re.finditer(r"[A-Za-z]\w+", request_text):
        assert match.start() in covered, match.group()


@settings(max_examples=examples(100), deadline=None)
@given(MARKDOWN)
def test_blocks_and_sentences_are_in_order_and_do_not_overlap(request_text: str) -> None:
    end = 0
    for block in read_blocks(request_text):
        assert block.span.start >= end
        end = block.span.end
        assert block.span.line == request_text.count("\n", 0, block.span.start) + 1
        inner = block.span.start
        for span in sentences(request_text, block.span):
            assert inner <= span.start < span.end <= block.span.end
            inner = span.end


@pytest.mark.parametrize("spec", SPECS, ids=[spec.name for spec in SPECS])
def test_the_same_input_gives_the_same_draft(spec: AgentSpec) -> None:
    request = (
        "Users under 18 may not book a hotel.\nNever delete files.\nGeneral admission may read lab.labname."
    )
    assert AUTHOR.draft(request, spec, {}) == RulesAuthor().draft(request, spec, {})


def test_a_choice_that_is_no_option_counts_as_the_default() -> None:
    request = "Users under 18 may not book a hotel.\nEverything else is allowed."
    drafted = AUTHOR.draft(
        request, SHOPPING, {bound("Users under 18 may not book a hotel.", "age"): "perhaps"}
    )
    assert drafted.policy == AUTHOR.draft(request, SHOPPING, {}).policy


def test_forbidden_list_items_that_are_no_tools_are_asked_about() -> None:
    drafted = AUTHOR.draft("Forbidden tools:\n- run_command\n- launch_missiles\n", SHELL, {})
    assert [question.quote for question in drafted.doubts if question.blocking] == ["launch_missiles"]


def test_items_complete_their_lead_in() -> None:
    request = (
        "The agent must not:\n- delete files\n- read files under /etc\n- hum\n\nEverything else is allowed.\n"
    )
    drafted = AUTHOR.draft(request, SHELL, {})
    policy = compile_policy(check(drafted.policy))
    assert not policy.allows({"tool": "delete_file", "path": "/x"})
    assert not policy.allows({"tool": "read_file", "path": "/etc/x"})
    assert policy.allows({"tool": "read_file", "path": "/home/x"})
    assert [question.quote for question in drafted.doubts] == ["hum"]


def test_an_unreadable_sentence_is_quoted_and_takes_a_person_s_own_words() -> None:
    request = "Never reveal anything odd.\nEverything else is allowed.\n"
    (question,) = AUTHOR.draft(request, SHELL, {}).doubts
    assert question.quote == "Never reveal anything odd."
    assert (question.default, question.blocking, question.free_text) == ("", True, True)
    context = AUTHOR.draft(request, SHELL, {question.id: "context"})
    assert context.sentences[0].role is SentenceRole.CONTEXT
    by_hand = AUTHOR.draft(request, SHELL, {question.id: "by-hand"})
    assert by_hand.sentences[0].requirements == (by_hand.requirements[0].id,)
    assert by_hand.requirements[0].assumptions == (question.id,)
    assert [rule.name for rule in check(by_hand.policy).rules] == []
    reworded = AUTHOR.draft(request, SHELL, {question.id: "Never delete files."})
    assert reworded.sentences[0].role is SentenceRole.REQUIREMENT
    assert reworded.requirements[0].assumptions == (question.id,)
    assert not compile_policy(check(reworded.policy)).allows({"tool": "delete_file"})
    worse = AUTHOR.draft(request, SHELL, {question.id: "Never be odd."})
    assert worse.sentences[0].role is SentenceRole.OPEN
    assert [doubt.quote for doubt in worse.doubts] == [request.splitlines()[0], "Never be odd."]


@pytest.mark.parametrize("names", [("tag", "tags"), ("colour", "dates"), ("one_set", "sets")])
def test_an_argument_may_be_called_like_an_element_of_another(names: tuple[str, str]) -> None:
    single, many = names
    arguments = (
        Argument("action", ArgumentType(Kind.ENUM, ("lend", "sell", "other"))),
        Argument(single, ArgumentType(Kind.ENUM, ("red", "blue"))),
        Argument(many, ArgumentType(Kind.SET, ("war", "love"))),
    )
    request = "Never lend war.\nUsers may sell only love.\nEverything else is allowed."
    drafted = AUTHOR.draft(request, AgentSpec("desk", arguments=arguments), {})
    policy = compile_policy(check(drafted.policy))
    assert not policy.allows({"action": "lend", many: frozenset({"war"})})
    assert policy.allows({"action": "lend", many: frozenset({"love"})})


def test_a_norm_within_its_scope_is_either_satisfied_or_denying() -> None:
    known = {argument.name: argument for argument in SHOPPING.arguments}
    for effect in (Effect.FORBID, Effect.REQUIRE):
        norm = Norm("R1", effect, among(known["action"], "purchase"), variable(known["membership"]), "")
        satisfied, allowed = all_of(norm.scope, norm.satisfied), all_of(norm.scope, opposite(norm.denies))
        assert satisfiable(norm.denies, SHOPPING.arguments)
        assert satisfiable(satisfied, SHOPPING.arguments)
        assert not differ(satisfied, allowed, SHOPPING.arguments)


def _kitchen_tool(name: str, required: str, **properties: Json) -> Tool:
    return Tool(name, "", {"type": "object", "properties": properties, "required": [required]})


def _of_the_call(name: str, type_: ArgumentType, path: str) -> Argument:
    return Argument(name, type_, "", Extraction("jsonpath", {"path": path}))


TEXT: Json = {"type": "string"}
TRUTH: Json = {"type": "boolean"}
TOOLS = (
    _kitchen_tool("place_order", "item", item=TEXT, organic=TRUTH),
    _kitchen_tool("assign_staff", "event", event=TEXT),
)
KITCHEN = AgentSpec(
    "kitchen",
    tools=TOOLS,
    arguments=(
        _of_the_call("tool", ArgumentType(Kind.ENUM, tuple(tool.name for tool in TOOLS)), "$.tool"),
        _of_the_call("item", ArgumentType(Kind.ENUM, ("meat", "fish"), optional=True), "$.arguments.item"),
        _of_the_call("organic", ArgumentType(Kind.BOOL, optional=True), "$.arguments.organic"),
    ),
)


def test_a_rule_that_names_no_tool_denies_no_call_of_a_tool_that_takes_nothing_of_it() -> None:
    draft = AUTHOR.draft("Meat must be organic.\n\nEverything else is allowed.\n", KITCHEN, {})
    policy = compile_policy(check(draft.policy))
    calls: tuple[tuple[dict[str, Value], bool], ...] = (
        ({"tool": "assign_staff", "item": None, "organic": None}, True),
        ({"tool": "place_order", "item": "meat", "organic": None}, False),
        ({"tool": "place_order", "item": None, "organic": None}, False),
        ({"tool": "place_order", "item": "fish", "organic": False}, True),
    )
    for arguments, allowed in calls:
        decision = policy.decide({name: arguments[name] for name in _names(policy)})
        assert (decision.verdict is Verdict.ALLOW) is allowed, arguments
    assert [doubt.id for doubt in draft.doubts if doubt.kind == "missing"] == [
        next(doubt.id for doubt in draft.doubts if "organic" in doubt.id)
    ]
