"""A limit on an argument of some tools is about their calls; questions about other tools stay open."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.app.library_desk import SPEC, opened_desk
from workbench.author.rules import RulesAuthor
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Draft, Value
from workbench.policy.check import check


def drafted(*sentences: str) -> Draft:
    return RulesAuthor().draft("\n".join(sentences) + "\n", SPEC, {})


def allowed(draft: Draft, **arguments: Value) -> bool:
    """Whether the drafted policy allows a call; arguments that are not given are missing."""
    terms = check(draft.policy)
    return compile_policy(terms).allows(
        {argument.name: arguments.get(argument.name) for argument in terms.arguments}
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Books may be lent for at most 28 days.",
        "The days must be at most 28.",
        "Nobody may do anything if the days is more than 28.",
        "Assistants may not do anything if the days is more than 28.",
        "Assistants may do something only if the days is at most 28 or the head approved.",
    ],
)
def test_a_limit_on_what_one_tool_takes_neither_denies_nor_permits_other_calls(sentence: str) -> None:
    draft = drafted(sentence, "Everything else is allowed.")
    arguments: dict[str, Value] = {"staff_role": "assistant", "head_approved": False}
    assert allowed(draft, tool="lend_book", days=28, **arguments)
    assert not allowed(draft, tool="lend_book", days=29, **arguments)
    assert not allowed(draft, tool="lend_book", **arguments)
    assert allowed(draft, tool="find_book", **arguments)
    assert "missing:days" not in {doubt.id for doubt in draft.doubts}


def test_what_a_limit_of_one_tool_does_not_speak_of_is_still_asked() -> None:
    draft = drafted("Books may be lent for at most 28 days.")
    assert "default-decision" in {doubt.id for doubt in draft.doubts}
    assert not allowed(draft, tool="find_book")


def test_a_condition_on_what_every_call_has_is_about_every_call() -> None:
    draft = drafted("Only librarians may do anything.", "The amount must be at most 20 EUR.")
    assert not allowed(draft, tool="find_book", staff_role="assistant")
    assert not allowed(draft, tool="waive_fee", staff_role="librarian", amount=Decimal(21))


def test_an_answer_tells_which_questions_it_opened_and_closed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "desk"
    opened_desk(folder, "Books are lent for at most 28 days.", "Only librarians may waive fees.").close()
    main(["answer", str(folder), "Books are lent", "Lending books is only allowed in good faith."])
    capsys.readouterr()
    assert main(["answer", str(folder), "in good faith", "The days must be at most 28."]) == 0
    shown = capsys.readouterr().out
    assert "question closed, unreadable:" in shown


def test_the_request_as_understood_says_the_rule_and_not_the_sentence_again(tmp_path: Path) -> None:
    bench = opened_desk(
        tmp_path / "desk", "Books may be lent for at most 28 days.", "Waiving fees is forbidden."
    )
    refined = bench.questions.refined(bench.questions.understand())
    aloud = {rule.sentence for rule in bench.rules.aloud()}
    limit = next(sentence for sentence in refined.sentences if "28" in sentence.written)
    assert limit.aloud[0].startswith("R1: Never lend book if")
    assert {text.partition(": ")[2] for sentence in refined.sentences for text in sentence.aloud} <= aloud
    shown = refined.markdown("desk")
    assert shown.count("Books may be lent") == 1
    assert "| Waiving fees is forbidden. | R2: Never waive fee. |" in shown
    bench.close()
