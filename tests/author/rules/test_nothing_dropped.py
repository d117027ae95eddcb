"""No part of a request is dropped: context has no word of duty or command, and names no tool."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.recordings import AIRLINE, DATA
from workbench.app.workbench import Workbench
from workbench.author.rules.author import RulesAuthor
from workbench.author.rules.context_reasons import HEADING, LEAD_IN, NO_RULE, TOLD
from workbench.author.rules.words import split_words
from workbench.model import AgentSpec, Argument, ArgumentType, Kind, Sentence, SentenceRole
from workbench.runs.extract.observe import arguments_of
from workbench.session import Session
from workbench.session.tool_list import read_tools

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = sorted(
    path.parent
    for folder in ("sessions", "benchmarks/sessions")
    for path in (ROOT / folder).glob("*/request.md")
)
POLICIES = {
    "airline": (AIRLINE / "policy.md", AIRLINE / "tools.json"),
    **{
        name: (DATA / "authoring" / name / "request.md", DATA / "authoring" / name / "tools.json")
        for name in ("coding", "expenses", "support", "warehouse")
    },
}
# Independent of the author's own list: an author without one of these words drops a rule.
DUTY = re.compile(
    r"\b(may|can|must|should|shall|cannot|never|only|not|no|nobody|nothing|need(s|ed)?|ha(s|ve) to|is to|"
    r"are to|allowed|forbidden|required|limited|unless|except|at (most|least)|more than|up to|make sure|"
    r"be sure|please|always|do not|don't|isn't|doesn't|excluded|fine|enough|within)\b",
    re.I,
)
COMMAND = re.compile(
    r"^(pay|ask|give|use|check|look|wait|call|delete|send|keep|stop|tell|write|read) (the|a|an|all|it)\b",
    re.I,
)
TOOLS = ("read_file", "issue_refund", "list_orders")
SPEC = AgentSpec("desk", arguments=(Argument("tool", ArgumentType(Kind.ENUM, TOOLS)),))


def check(sentences: tuple[Sentence, ...], tools: tuple[str, ...]) -> None:
    for sentence in sentences:
        if sentence.role is not SentenceRole.CONTEXT:
            continue
        assert sentence.why in {HEADING, LEAD_IN, NO_RULE, TOLD}, sentence
        if sentence.why in {LEAD_IN, TOLD}:
            continue
        asks = sentence.why == HEADING and re.search(r"\b(who|what)\b", sentence.text, re.I)
        assert asks or not DUTY.search(sentence.text), sentence
        if sentence.why == NO_RULE:
            words = set(split_words(sentence.text))
            assert not COMMAND.search(sentence.text), sentence
            assert not any(set(split_words(tool)) <= words for tool in tools), sentence


def check_covered(request: str, sentences: tuple[Sentence, ...]) -> None:
    covered = {place for sentence in sentences for place in range(sentence.span.start, sentence.span.end)}
    left = [match for match in re.finditer(r"[A-Za-z]{2,}", request) if match.start() not in covered]
    assert not left, [match.group() for match in left]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_no_rule_of_a_shipped_request_is_context(folder: Path) -> None:
    session = Session.open(folder, read_only=True)
    if session.info.author != "rules":
        pytest.skip("a model drafts it")
    request, tools = session.request, tuple(tool.name for tool in session.spec.tools)
    draft = Workbench(session).request.draft()
    check(draft.sentences, tools)
    check_covered(request, draft.sentences)


@pytest.mark.parametrize("name", POLICIES)
def test_no_rule_of_a_real_policy_is_context(name: str) -> None:
    path, listed = POLICIES[name]
    if not path.is_file():
        pytest.skip("the recordings are not here")
    request, tools = (
        path.read_text(encoding="utf-8"),
        read_tools(listed.read_text(encoding="utf-8"), str(listed)),
    )
    spec = AgentSpec(name, tools=tools, arguments=arguments_of(tools, ()))
    draft = RulesAuthor().draft(request, spec, {})
    assert len(draft.sentences) > 20
    check(draft.sentences, tuple(tool.name for tool in tools))
    check_covered(request, draft.sentences)


@pytest.mark.parametrize(
    "text",
    [
        "You have to authenticate the user.",
        "This has to be done even when the user is known.",
        "Be sure that the order exists.",
        "Pay the amount that is due.",
        "A receipt is needed for everything from 25 euros up.",
        "Hand the rest to a person.",
        "Then read the file.",
        "Everything else is closed to it.",
        "The desk issues the refund.",
        "Clearance items are excluded.",
        "Each bag is 50 dollars.",
    ],
)
def test_what_may_state_a_rule_is_asked_about(text: str) -> None:
    assert RulesAuthor().draft(text, SPEC, {}).sentences[0].role is not SentenceRole.CONTEXT


@pytest.mark.parametrize("text", ["The shop sells tents.", "We moved here in spring.", "Finance agreed."])
def test_what_states_no_rule_is_context_with_a_reason(text: str) -> None:
    sentence = RulesAuthor().draft(text, SPEC, {}).sentences[0]
    assert (sentence.role, sentence.why) == (SentenceRole.CONTEXT, NO_RULE)


def test_context_can_be_turned_into_a_rule_and_back(tmp_path: Path) -> None:
    request = "The shop sells tents.\n\nThe tool issue_refund must not be used.\n"
    bench = Workbench(Session.create(tmp_path / "s", request, SPEC))
    bench.request.redraft()
    (sentence,) = bench.questions.context()
    bench.questions.claim_rule(sentence)
    question = next(
        open_question
        for open_question in bench.questions.understand().open
        if open_question.quote == "The shop sells tents."
    )
    bench.questions.answer(question, "context")
    (context_sentence,) = bench.questions.context()
    assert context_sentence.why == TOLD
    bench.questions.claim_rule(context_sentence)
    assert bench.questions.context() == ()
    bench.questions.retract(f"context:{question.id.rpartition(':')[2]}")
    assert [context_line.why for context_line in bench.questions.context()] == [NO_RULE]
    bench.close()
