"""Requests in other languages in the style ``forms``: no list of English words decides what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.author.model.scripted_model import (
    Reply,
    Script,
    analysis,
    cases,
    clauses,
    rules,
    scripted_author,
)
from workbench.author.model.author import Drafting
from workbench.author.model.quotation_places import may_state_rule
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, SentenceRole, Verdict
from workbench.policy.check import check

SPEC = AgentSpec(
    "desk",
    "Lends books and films.",
    arguments=(
        Argument("action", ArgumentType(Kind.ENUM, ("lend_book", "lend_film", "other"))),
        Argument("years", ArgumentType(Kind.INT)),
    ),
)
# The rule for films, the rule for children, and the rule for everything else.
REQUESTS = {
    "German": (
        "Filme werden nur an Leser ab 16 verliehen.",
        "Kinder unter 6 bekommen gar nichts.",
        "Alles andere ist erlaubt.",
    ),
    "Spanish": (
        "Las películas solo se prestan a lectores desde 16 años.",
        "Los niños menores de 6 no reciben nada.",
        "Todo lo demás está permitido.",
    ),
    "Chinese": ("电影只借给年满16岁的读者。", "6岁以下的儿童什么也不能借。", "其他一切都允许。"),
}
FILM = 'action == "lend_film" and years < 16'


def drafted(language: str, kind: str) -> tuple[Drafting, Script]:
    """A draft of a model whose analysis overlooks a sentence, and then gives its kind."""
    films, nothing, rest = REQUESTS[language]
    overlooked: Json = {"kind": kind, "statement": nothing}
    rest_id = "R3" if kind == "rule" else "R2"
    replies: Mapping[str, Sequence[Reply]] = {
        "analysis": [analysis((films, films), (rest, rest))],
        "sentence": [overlooked],
        "arguments": [{"rules": []}],
        "rules R1": [rules(("young", FILM))],
        "contract R1": [clauses((FILM, "deny"))],
        "cases R1": [cases(({"action": "lend_film", "years": 15}, "deny"))],
        "rules R2": [rules(("children", "years < 6"))],
        "contract R2": [clauses(("years < 6", "deny"))],
        f"rules {rest_id}": [rules()],
        f"contract {rest_id}": [clauses(('action == "other" and years >= 6', "allow"))],
        "cases": [cases()],
    }
    if kind != "rule":
        replies = {**replies, "rules R2": [rules()], "contract R2": replies["contract R2"]}
    script = Script(replies)
    separator = "" if language == "Chinese" else " "
    with scripted_author(script) as author:
        return author.drafting(separator.join((films, nothing, rest)), SPEC, {}), script


def decide(drafting: Drafting, action: str, years: int) -> Verdict:
    arguments = {"action": action, "years": years}
    terms = check(drafting.draft.policy)
    names = [parameter.name for parameter in terms.arguments]
    return compile_policy(terms).decide({name: arguments[name] for name in names}).verdict


@pytest.mark.parametrize("language", REQUESTS)
def test_a_sentence_that_the_analysis_overlooked_becomes_a_rule_and_the_default_is_believed(
    language: str,
) -> None:
    drafting, script = drafted(language, "rule")
    assert [requirement.quote for requirement in drafting.draft.requirements] == list(REQUESTS[language])
    assert decide(drafting, "lend_book", 5) is Verdict.DENY
    assert decide(drafting, "lend_film", 15) is Verdict.DENY
    assert decide(drafting, "lend_film", 16) is decide(drafting, "lend_book", 30) is Verdict.ALLOW
    assert script.prompts("cases R1")
    assert [case.expected for case in drafting.cases] == [Verdict.DENY]
    assert drafting.draft.questions == ()


@pytest.mark.parametrize("language", REQUESTS)
def test_what_the_model_calls_context_is_asked_about_and_not_dropped(language: str) -> None:
    drafting, _ = drafted(language, "context")
    (question,) = drafting.draft.questions
    assert (question.quote, question.blocking, question.default) == (REQUESTS[language][1], True, "")
    opened = [sentence.text for sentence in drafting.draft.sentences if sentence.role is SentenceRole.OPEN]
    assert opened == [REQUESTS[language][1]]


def test_an_english_description_is_not_asked_about() -> None:
    assert not may_state_rule("The assistant answers questions of the staff.")
    assert may_state_rule("Only the staff is answered.")
    assert may_state_rule("Nur das Personal bekommt Antworten.")
