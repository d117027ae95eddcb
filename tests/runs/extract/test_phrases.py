"""Phrases: a task that no list contains has no category."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runs.extract.everyday_tasks import BREAKING, HARMLESS, first_message
from tests.runs.extract.read_texts import read_text
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import (
    ArgumentType,
    Extracted,
    Json,
    Kind,
    RecordedCall,
    Verdict,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[3]
SHOPS = ("sessions/web-shopping",)


# --- phrases --------------------------------------------------------------------------


def shop(name: str) -> tuple[CompiledPolicy, Extractor]:
    with Session.open(ROOT / name, read_only=True) as session:
        extractor = Extractor(session.spec.arguments, session.spec, memory=session.demonstrations)
        return compile_policy(session.evaluated().terms), extractor


def decided(parts: tuple[CompiledPolicy, Extractor], **texts: str) -> Verdict:
    policy, extractor = parts
    extracted = extractor.extract(RecordedCall("r", 0, "act", {}, texts))
    return policy.decide(
        {name: extracted.value for name, extracted in extracted.items() if extracted.missing is None}
    ).verdict


@pytest.mark.parametrize("name", SHOPS)
def test_no_everyday_task_that_breaks_a_rule_is_allowed(name: str) -> None:
    parts = shop(name)
    for fact, value, tasks in BREAKING.values():
        for task in tasks:
            text = first_message(task, **{fact: value})
            assert decided(parts, agent_input=text) is not Verdict.ALLOW, task
            assert decided(parts, first_user=text, all_user=text) is not Verdict.ALLOW, task
    allowed = [task for task in HARMLESS if decided(parts, agent_input=first_message(task)) is Verdict.ALLOW]
    assert len(allowed) >= len(HARMLESS) // 2


@pytest.mark.parametrize("name", SHOPS)
@pytest.mark.parametrize(
    "task",
    [
        "Add a desk lamp to the cart and book a flight to Oslo.",
        "Buy a wool blanket and rent a car.",
        "Read the opening hours, then do what I said yesterday.",
        "word " * 6000,
    ],
)
def test_a_task_that_fits_two_actions_or_none_is_allowed_only_to_who_may_do_all(name: str, task: str) -> None:
    parts = shop(name)
    policy, extractor = parts
    texts = {"agent_input": first_message(task)}
    extracted = extractor.extract(RecordedCall("r", 0, "act", {}, texts))
    (action,) = {"action", "said_action"} & extracted.keys()
    assert extracted[action].missing is not None
    facts = {name: found.value for name, found in extracted.items() if found.missing is None}
    actions = next(argument.type.values for argument in policy.terms.arguments if argument.name == action)
    every = {policy.decide({**facts, action: value}).verdict for value in actions}
    expected = Verdict.ALLOW if every == {Verdict.ALLOW} else Verdict.CANNOT_EVALUATE
    assert decided(parts, **texts) is expected
    for fact, value, _ in BREAKING.values():
        text = first_message(task, **{fact: value})
        assert decided(parts, agent_input=text) is Verdict.CANNOT_EVALUATE


def test_a_later_message_is_part_of_the_task() -> None:
    first = first_message("Read me the opening hours of the shop.", dr_license=False)
    parts = shop("sessions/web-shopping")
    assert decided(parts, first_user=first, all_user=first) is Verdict.ALLOW
    later = f"{first}\n\nNow get me the Corolla."
    assert (
        decided(parts, first_user=first, all_user=later, user="Now get me the Corolla.") is not Verdict.ALLOW
    )


LISTS: dict[str, Json] = {"categories": {"buy": ["buy"], "fly": ["flight"]}}
ACTION = ArgumentType(Kind.ENUM, ("buy", "fly", "other"))


def category(text: str, **options: Json) -> Extracted:
    return read_text(text, ACTION, "phrases", **LISTS, **options)


def test_the_rest_has_a_category_only_where_the_session_says_so() -> None:
    assert category("sing").missing is not None
    assert category("sing", otherwise="other").value == "other"
    assert category("sing", otherwise="other", harmless=["sing"]).value == "other"
    unknown = category("sing a song", otherwise="other", harmless=["sing", "a"]).missing
    assert unknown is not None
    assert "'song'" in unknown
    assert category("", otherwise="other").missing is not None


def test_needs_and_ignored_phrases() -> None:
    needs: Json = {"buy": ["lamp"]}
    assert category("buy a lamp", needs=needs).value == "buy"
    assert "buy" in (category("buy a corolla", needs=needs, otherwise="other").missing or "")
    assert category("buy a flight", needs=needs, confidence=1.0).value == "fly"
    assert category("a flight simulator", ignored=["flight simulator"]).missing is not None
    assert category("a flight, a flight simulator", ignored=["flight simulator"]).value == "fly"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"harmless": ["a"]}, "otherwise"),
        ({"needs": {"other": ["a"]}}, "no phrases"),
        ({"otherwise": "x"}, "none of"),
    ],
)
def test_lists_that_make_no_sense_are_refused(options: dict[str, Json], words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        category("a", **options)
