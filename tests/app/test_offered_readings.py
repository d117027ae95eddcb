"""The readings offered for an unread sentence keep words that reverse or restrict it, or are not offered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.author.rules.sentence_corpus import AUTHOR, WRONG, judge
from tests.author.rules.test_round_trip import CONDITIONS, DATA, DISTRACTORS, Meant, sentences
from tests.clarify.parcel_desk import TEXT, made_tool
from workbench.app.assumed_rules import StatedRule
from workbench.app.shortened_sentence import reading_without
from workbench.app.workbench import Workbench
from workbench.author.rules.author import lexicon_of
from workbench.author.rules.author_doubts import unreadable_id
from workbench.author.rules.chosen_rules import rule_line
from workbench.author.rules.norms import Effect
from workbench.clarify.known_facts import fact_book
from workbench.clarify.listed_rules import listed_rules
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.stricter_rules import stricter_rules
from workbench.clarify.word_meanings import opened_words
from workbench.engines.smt.diff import semantic_diff
from workbench.engines.smt.preview import equivalent
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Draft,
    Extraction,
    Json,
    Kind,
    SentenceRole,
    Tool,
)
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.session import Session

FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ELSE = "\n\nEverything else is allowed.\n"
LOOK_UP = made_tool("get_guest", ("guest_id",), guest_id=TEXT)
HOURS: Json = {"type": "integer", "description": "how many hours it is hired for"}
KINDS: Json = {"type": "string", "enum": ["canoe", "sailboat"], "description": "the kind of boat"}
EUROS: Json = {"type": "number", "description": "the amount in EUR"}
TOOLS = (
    Tool("get_guest", "Look up a guest of the boat hire", LOOK_UP.parameters),
    made_tool("hire_boat", ("guest_id", "kind", "hours"), guest_id=TEXT, kind=KINDS, hours=HOURS),
    made_tool("open_locker", ("locker_id", "guest_id"), locker_id=TEXT, guest_id=TEXT),
    made_tool("return_deposit", ("guest_id", "amount"), guest_id=TEXT, amount=EUROS),
)


def _argument(name: str, type_: ArgumentType, description: str, path: str) -> Argument:
    return Argument(name, type_, description, Extraction("jsonpath", {"path": path}))


BOATS = AgentSpec(
    "boat hire",
    tools=TOOLS,
    arguments=(
        _argument(
            "tool",
            ArgumentType(Kind.ENUM, tuple(tool.name for tool in TOOLS)),
            "the tool that is called",
            "$.tool",
        ),
        _argument(
            "kind",
            ArgumentType(Kind.ENUM, ("canoe", "sailboat"), optional=True),
            "the kind of boat",
            "$.arguments.kind",
        ),
        _argument(
            "hours",
            ArgumentType(Kind.INT, optional=True),
            "how many hours it is hired for",
            "$.arguments.hours",
        ),
        _argument(
            "amount", ArgumentType(Kind.DECIMAL, optional=True), "the amount in EUR", "$.arguments.amount"
        ),
    ),
)


def offered(text: str, spec: AgentSpec) -> tuple[PersonRule, ...]:
    """The rules that a session would offer for a sentence."""
    request = text + ELSE
    draft = AUTHOR.draft(request, spec, {})
    sentence = draft.sentences[0]
    if sentence.role is not SentenceRole.OPEN:
        return ()
    lexicon, book = lexicon_of(spec), fact_book(spec, ())
    words = opened_words(sentence.text, lexicon, book)
    read = reading_without(sentence, words, (), lambda choices: AUTHOR.draft(request, spec, choices))
    return (*((read,) if read is not None else ()), *listed_rules(sentence.text, words, lexicon, book))


def offered_stricter(text: str, spec: AgentSpec) -> tuple[PersonRule, ...]:
    """The rules that a session offers and that deny at least what the sentence denies."""
    if AUTHOR.draft(text + ELSE, spec, {}).sentences[0].role is not SentenceRole.OPEN:
        return ()
    book, question_id = fact_book(spec, ()), unreadable_id(text)
    return stricter_rules(
        text, lexicon_of(spec), book, lambda sentence: AUTHOR.draft(sentence, spec, {}), question_id
    )


def denies_as_much(stricter: PolicyTerms, rule: PolicyTerms) -> bool:
    """Whether a policy denies everything that the other denies, unless the solver finds otherwise."""
    difference = semantic_diff(rule, stricter)
    return not difference.unknown and not difference.newly_allowed


def draft_with_rule(text: str, rule: PersonRule, spec: AgentSpec) -> Draft:
    """The draft of a sentence with one of its offered rules."""
    choices: Mapping[str, str] = {answer.question: answer.value for answer in rule.answers}
    if not choices:
        norm, facts = fact_book(spec, ()).rule(rule)
        assert all(fact.value in spec.arguments for fact in facts)
        choices = {unreadable_id(text): rule_line(norm)}
    return AUTHOR.draft(text + ELSE, spec, choices)


@FEW
@given(sentences(), st.sampled_from([*DISTRACTORS, "zorky", "unmasked", "flurbs"]), st.integers(0, 40))
def test_no_offer_decides_otherwise_than_the_sentence_without_the_unknown_word(
    meant: Meant, word: str, place: int
) -> None:
    if not meant.denies:
        return
    spaces = [at for at, sign in enumerate(meant.text) if sign == " "]
    at = spaces[place % len(spaces)]
    text = f"{meant.text[:at]} {word.replace('_', ' ')}{meant.text[at:]}"
    intended = check(AUTHOR.draft(meant.text + ELSE, DATA, {}).policy)
    for rule in offered(text, DATA):
        assert equivalent(check(draft_with_rule(text, rule, DATA).policy), intended), (text, rule.offered)
        assert word in rule.left_out
        judged = judge(Meant(f"{rule.sentence[0].upper()}{rule.sentence[1:]}.", meant.denies).sentence())
        assert judged.outcome != WRONG, f"{rule.sentence}\n{judged.policy}"


@FEW
@given(sentences(), st.sampled_from(["the flurb is zorky", "the member is new", "the car broke down"]))
def test_a_condition_that_is_not_understood_keeps_every_reading_from_being_offered(
    meant: Meant, unknown: str
) -> None:
    condition = next((condition for condition in CONDITIONS if meant.text.endswith(f" {condition}.")), "")
    if condition:
        assert offered(meant.text.replace(condition, unknown), DATA) == ()
        assert offered(f"{meant.text.rstrip('.')}, except when {unknown}.", DATA) == ()


@FEW
@given(
    sentences(),
    st.sampled_from(
        [
            "unless the flurb is zorky",
            "except when a zork broke down",
            "without a flurb",
            "to a zork",
            "before the zork is done",
            "if a flurb is zorky",
        ]
    ),
)
def test_a_stricter_offer_denies_whatever_the_sentence_without_its_end_denies(
    meant: Meant, unknown: str
) -> None:
    if not meant.denies:
        return
    text = f"{meant.text.rstrip('.')} {unknown}."
    intended = check(AUTHOR.draft(meant.text + ELSE, DATA, {}).policy)
    for rule in offered_stricter(text, DATA):
        assert rule.stricter
        assert denies_as_much(check(draft_with_rule(text, rule, DATA).policy), intended), (text, rule.offered)


@FEW
@given(
    st.sampled_from(["auditors", "analysts"]),
    st.sampled_from(["and only", "but", "or", "nor", "and never"]),
    st.sampled_from(["export invoices", "read salaries"]),
)
def test_what_joins_another_statement_is_left_out_of_no_offer(who: str, joint: str, deed: str) -> None:
    """Cut behind the first part, the sentence would lose what the second denies."""
    text = f"Never share customers with {who} {joint} {deed} to zorks."
    for rule in offered_stricter(text, DATA):
        assert "salaries" not in rule.stricter
        assert "invoices" not in rule.stricter


STRICTER = {
    "Deposits returned above 50 EUR are not allowed, except when the boat sank.": (
        "never return_deposit if amount is more than 50 EUR",
        "except when the boat sank",
    ),
    "Never open_locker lockers without a witness.": ("never open_locker", "without a witness"),
    "Hiring a boat needs a calm lake.": ("never hire_boat", "needs a calm lake"),
    "Lockers are for members of the club.": ("never open_locker", "Lockers are for members of the club"),
    "Deposits of 1,000 EUR or more need a calm lake.": (
        "Never return deposit if the amount is not known or the amount is at least 1000",
        "need a calm lake",
    ),
    "Opening a locker is only possible between 9:00 and 17:00.": (
        "never open_locker",
        "between 9:00 and 17:00",
    ),
    "Lockers do not need a calm lake.": None,
    "Don't stop opening lockers in the evening sun.": None,
    "Lockers should not only be opened by guests.": None,
    "Refused guests may be told so.": None,
    "The desk may hire out boats on calm days.": None,
    "Deposits are always returned within a week.": None,
    "Our guests are not to be woken.": None,
    "The remaining rent of a locker is not refundable.": None,
    "Boats must be returned before sunset, and lockers emptied.": None,
    "Hiring a boat needs a calm lake, and lockers are never opened.": None,
}


@pytest.mark.parametrize("text", STRICTER)
def test_what_narrows_or_frees_is_left_out_of_a_stricter_offer_and_told(text: str) -> None:
    wanted = STRICTER[text]
    offers = [(rule.sentence, rule.stricter) for rule in offered_stricter(text, BOATS)]
    assert offers == ([] if wanted is None else [wanted])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Analysts must never export blue invoices.",
            "Never export if the dataset is invoices and the role is analyst",
        ),
        ("Blue auditors may not read more than 100 rows.", ""),
    ],
)
def test_a_sentence_with_an_unknown_word_is_offered_without_it(text: str, first: str) -> None:
    rules = offered(text, DATA)
    assert rules
    assert all("blue" in word.lower() for rule in rules for word in rule.left_out)
    if first:
        assert rules[0].sentence == first


KEPT = {
    "A boat may be hired for at most 6 hours at a time.": (Effect.REQUIRE, "hire_boat", "hours is at most 6"),
    "Wooden hire_boat hires over 6 hours, sadly, are not allowed.": (
        Effect.FORBID,
        "hire_boat",
        "hours is more than 6",
    ),
    "Deposits must stay under 80 EUR.": None,
    "Deposits returned above 50 EUR are not allowed, except when the boat sank.": None,
    "Hires over 6 hours are forbidden, if the guest is new.": None,
    "Sailboats are only for guests who are 25 or older.": None,
    "The desk helps guests of the lake on the phone.": None,
    "Otherwise never open_locker lockers.": None,
    "Unless it rains, return_deposit is allowed.": None,
    "Returned deposits over 50 EUR have to be handed to a person.": None,
    "Never forget to return_deposit sums over 50 EUR.": None,
    "Return a parcel only if hours is at most 6.": None,
}


@pytest.mark.parametrize("text", KEPT)
def test_negation_comparison_and_exception_are_kept_or_nothing_is_offered(text: str) -> None:
    rules, wanted = offered(text, BOATS), KEPT[text]
    if wanted is None:
        assert rules == ()
    else:
        assert [(rule.effect, *rule.tools, *rule.conditions) for rule in rules] == [wanted]


@pytest.mark.parametrize(
    "statement",
    [
        "hire_boat only if hours is at most 6",
        "never return_deposit if amount is more than 50 EUR",
    ],
)
def test_a_rule_of_a_listed_form_reads_back_as_itself(statement: str) -> None:
    sentence = f"{statement[0].upper()}{statement[1:]}."
    draft = AUTHOR.draft(sentence + ELSE, BOATS, {})
    if draft.sentences[0].role is SentenceRole.OPEN:
        (rule,) = offered(sentence, BOATS)
        assert (rule.sentence, rule.left_out) == (statement, ())
    else:
        limit = "hours > 6" if "hours" in statement else "amount > Decimal"
        assert limit in draft.policy


def test_a_word_of_a_tool_s_description_offers_the_tool() -> None:
    words = opened_words("looked", lexicon_of(BOATS), fact_book(BOATS, ()), (), _described())
    assert words[0].candidates[0].value == "get_guest"
    assert all(candidate.value != "hire_boat" for candidate in words[0].candidates)


def _described() -> Mapping[str, frozenset[str]]:
    from workbench.clarify.word_meanings import tool_words

    return tool_words(BOATS.tools)


def test_a_condition_takes_the_argument_that_the_agent_spec_has_of_the_same_path(tmp_path: Path) -> None:
    bench = Workbench(Session.create(tmp_path / "s", "Boats are hired briefly, and must be back.\n", BOATS))
    bench.request.redraft()
    rule = bench.words.person_rule("1", StatedRule("only if", ("hire_boat",), ("hours is at most 6",)))
    bench.words.rules("1", [rule])
    places = [str(argument.extraction) for argument in bench.session.spec.arguments]
    assert sorted(places) == sorted(set(places))
    assert [argument.name for argument in bench.session.spec.arguments] == [
        argument.name for argument in BOATS.arguments
    ]
    bench.close()


def test_a_reading_without_a_word_is_tried_stored_and_taken_back(tmp_path: Path) -> None:
    bench = Workbench(Session.create(tmp_path / "s", "Wooden hire_boat must never be used.\n", BOATS))
    bench.request.redraft()
    (rule,) = bench.words.open("1").rules[:1]
    assert rule.left_out == ("Wooden",)
    tried = bench.words.tried("1", [rule], bench.runs.current())
    assert tried.readings == (rule.offered,)
    bench.words.rules("1", [bench.words.person_rule("1", StatedRule("1", (), ()))])
    assert bench.words.sentences.named("1").role is SentenceRole.REQUIREMENT
    assert 'tool == "hire_boat"' in bench.session.policy
    assert bench.editing.undo()
    assert bench.words.sentences.named("1").role is SentenceRole.OPEN
    bench.close()
