"""Saying the sentences of a request on the screen: completion, preview, Enter and Esc."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.invoice_desk import invoice_desk
from tests.app.test_call_exceptions import just_desk
from tests.tui.driving import LONGEST, SIZES, opened
from workbench.app.contradictions import Contradicts
from workbench.app.requested_sentence import RequestedSentence
from workbench.app.rewording import Reworded
from workbench.app.sentences import not_taken
from workbench.app.typed_sentence import WordOffer, placed_beside
from workbench.app.workbench import Workbench
from workbench.tui.messages import ViewName
from workbench.tui.views.author import sentence_writing
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.sentence_editor import SentenceEditor

LIMIT = "The agent must not pay an invoice if the total is more than 5,000."


def desk(folder: Path) -> Path:
    invoice_desk(folder).close()
    return folder / "desk"


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_an_open_sentence_is_said_previewed_and_kept(tmp_path: Path, size: tuple[int, int]) -> None:
    session = desk(tmp_path)
    async with opened(session, size) as person:
        assert "open" in person.line("     open")
        await person.press("down", "enter")
        await person.until_shown("Enter keep")
        await person.type("The agent must not pay an inv")
        await person.until_shown("Tab  invoice")
        await person.press("tab")
        editor = person.app.query_one("#say", SentenceEditor)
        assert editor.text.rstrip() == "The agent must not pay an invoice"
        await person.type("if the total is more than 5,000.")
        await person.until_shown('DEFAULT is "deny"')
        person.line("pay an invoice  is  PayInvoice")
        person.line("is more than 5,000  is  call.total")
        await person.press("enter")
        await person.until(
            lambda: "forbid_pay_invoice" in (session / "policy.py").read_text(encoding="utf-8")
        )
        await person.until_shown("reworded")


async def test_enter_on_a_sentence_lets_its_clause_follow_a_rule_that_was_weakened_by_hand(
    tmp_path: Path,
) -> None:
    with closing(invoice_desk(tmp_path)) as bench:
        bench.rewordings.keep([Reworded("Nothing over 5,000 euros is paid by the agent.", (LIMIT,))])
        weaker = bench.session.written.replace('> Decimal("5000")\n', '> Decimal("9000")\n')
        bench.editing.store(weaker)
    policy = tmp_path / "desk" / "policy.py"
    assert 'Decimal("5000")' in policy.read_text(encoding="utf-8")
    async with opened(tmp_path / "desk") as person:
        await person.press("down", "enter")
        await person.until_shown("Enter keep")
        assert "9,000" in person.app.query_one("#say", SentenceEditor).text
        await person.press("enter")
        await person.until(lambda: 'Decimal("5000")' not in policy.read_text(encoding="utf-8"))
    assert policy.read_text(encoding="utf-8").count('Decimal("9000")') == 2


async def test_cases_of_a_rule_that_was_changed_in_python_are_made_anew(tmp_path: Path) -> None:
    with closing(invoice_desk(tmp_path)) as bench:
        bench.rewordings.keep([Reworded("Nothing over 5,000 euros is paid by the agent.", (LIMIT,))])
        bench.editing.store(bench.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
    async with opened(tmp_path / "desk") as person:
        await person.press("down")
        person.line("of earlier rules? :cases makes them anew")
        await person.press(*["n"] * (len(person.app.state.open) + 1))
        person.line(
            "Failing case, while a question is open, 1 of 3: if a rule or a fact was changed, y takes"
        )
        failed = {one.case for one in person.app.state.failed}
        await person.press("y")
        (now,) = failed - {one.case for one in person.app.state.failed}
        person.line(f"{now} expects allow")
        await person.command("cases")
        await person.until_shown("made from the rules as they are")
        await person.until(lambda: "earlier rules?" not in person.text and "cases fail" not in person.text)


async def test_esc_discards_and_a_mistake_shows_how_far_it_is_read(tmp_path: Path) -> None:
    session = desk(tmp_path)
    before = (session / "policy.py").read_text(encoding="utf-8")
    async with opened(session) as person:
        await person.press("enter")
        await person.type("The agent must not [red]fly[/red]")
        await person.until_shown("not read: “[red]fly[/red]”")
        await person.press("enter")
        await person.until_shown("invoices a day.”: It is read up to “The agent must not”.")
        assert "[red]fly[/red]" in person.text
        await person.press("escape")
        assert not person.app.query_one("#say", SentenceEditor).display
        assert (session / "policy.py").read_text(encoding="utf-8") == before


async def test_what_was_not_kept_while_one_is_in_another_view_is_edited_again_once_author_is_in_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = threading.Event()

    def refuse(*_: object) -> None:
        left.wait(LONGEST)
        raise not_taken(("The first is unknown.", "The second is too long."))

    monkeypatch.setattr(sentence_writing, "_keep", refuse)
    async with opened(desk(tmp_path)) as person:
        await person.press("down", "enter")
        await person.type(LIMIT)
        editor = person.app.query_one("#say", SentenceEditor)
        editor.action_leave(True)
        person.app.going.to_view(ViewName.POLICY)
        left.set()
        await person.settle()
        assert not editor.display and person.app.focused is not editor
        said = person.line("Not kept; Author shows it again: 2 sentences cannot be taken")
        assert said.endswith("nothing is stored: The first is unknown. The second")
        await person.press("A")
        assert person.app.focused is editor
        assert editor.text == LIMIT
        person.line("Enter keep")


async def test_a_sentence_is_being_checked_until_what_it_means_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, keep = threading.Event(), sentence_writing._keep  # pyright: ignore[reportPrivateUsage]

    def slow(sentence: RequestedSentence | None, text: str, bench: Workbench) -> object:
        stored.wait(LONGEST)
        return keep(sentence, text, bench)

    monkeypatch.setattr(sentence_writing, "_keep", slow)
    async with opened(desk(tmp_path)) as person:
        assert " open" not in person.lines[1], "one count of what is open, in the first line"
        open_ones = person.text.count("     open")
        await person.press("down", "enter")
        await person.type(LIMIT)
        person.app.query_one("#say", SentenceEditor).action_leave(True)
        await person.until_shown("     · being checked")
        assert person.text.count("     open") == open_ones - 1
        assert "Open. Enter says" not in person.text
        stored.set()
        await person.settle()
        assert "being checked" not in person.text
        person.line("reworded")


async def test_what_could_not_be_stored_is_not_being_checked_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def contradicting(_sentence: RequestedSentence | None, _text: str, _bench: Workbench) -> object:
        raise Contradicts(())

    monkeypatch.setattr(sentence_writing, "_keep", contradicting)
    async with opened(desk(tmp_path)) as person:
        await person.press("down", "enter")
        await person.type(LIMIT)
        person.app.query_one("#say", SentenceEditor).action_leave(True)
        await person.until_shown("It contradicts the contract")
        await person.press("enter", "escape")
        assert "being checked" not in person.text


async def test_context_has_a_reason_and_u_takes_it_back(tmp_path: Path) -> None:
    session = desk(tmp_path)
    async with opened(session) as person:
        await person.press("enter")
        await person.type("context: a remark")
        await person.until_shown("states no rule: a remark")
        await person.press("enter")
        await person.until_shown("     context")
        await person.press("u")
        await person.until(lambda: "     context" not in person.text)


async def test_a_sentence_that_is_not_read_has_whole_ones_to_choose_and_context_comes_last(
    tmp_path: Path,
) -> None:
    session = desk(tmp_path)
    async with opened(session, (120, 60)) as person:
        await person.press("down", "enter")
        editor = person.app.query_one("#say", SentenceEditor)
        assert editor.text == "Nothing over 5,000 euros is paid by the agent."
        await person.until_shown("Tab  The agent must not pay an invoice if the total is")
        person.line("+1 deny · as a, call 3")
        assert editor.offered[-1].text == "context:"
        await person.press("up")
        person.line("Tab  context:")
        await person.press("down", "tab")
        assert editor.text.startswith("The agent must not pay an invoice if the total is more than 5,000.")
        await person.until_shown("+1 deny of 5 recorded calls")
        assert "context:" not in person.text
        await person.press("enter")
        await person.until(
            lambda: "call.total > Decimal" in (session / "policy.py").read_text(encoding="utf-8")
        )


async def test_a_word_that_is_read_is_replaced_by_another_at_the_cursor(tmp_path: Path) -> None:
    session = desk(tmp_path)
    async with opened(session, (120, 60)) as person:
        await person.press("down", "enter")
        await person.type("The agent must not pay an invoice if the total is more than 5,000.")
        editor = person.app.query_one("#say", SentenceEditor)
        editor.move_cursor((0, editor.text.index("more") + 2))
        await person.until_shown("Tab  at least")
        person.line("▸ the total is more than 5,000")
        await person.press("tab")
        assert editor.text == "The agent must not pay an invoice if the total is at least 5,000."
        await person.until_shown("call.total >=")


async def test_one_takes_a_suggestion_and_goes_on_with_what_it_leaves_out(tmp_path: Path) -> None:
    session = desk(tmp_path)
    async with opened(session, (120, 60)) as person:
        await person.press("down", "enter")
        await person.type("Never pay more than 5,000, and never send a note.")
        editor = person.app.query_one("#say", SentenceEditor)
        await person.until_shown("Tab  The agent must never send a note.")
        person.line("leaves out pay, more,")
        await person.press("tab")
        await person.until_shown("not said yet: pay, more, 5,000")
        assert editor.text == "The agent must never send a note."
        await person.until_shown("Tab  The agent must not pay an invoice if the total is")
        await person.press("tab")
        assert editor.text == f"The agent must never send a note. {LIMIT}"
        await person.until_shown("of 5 recorded calls")
        assert "not said yet" not in person.text
        await person.press("enter")
        await person.until(lambda: "call: SendNote" in (session / "policy.py").read_text(encoding="utf-8"))
        await person.settle()
        await person.press("e")
        assert editor.text.splitlines() == ["The agent must never send a note.", LIMIT]


async def test_tab_takes_nothing_that_was_offered_for_an_earlier_text(tmp_path: Path) -> None:
    async with opened(desk(tmp_path), (120, 60)) as person:
        await person.press("down", "enter")
        editor = person.app.query_one("#say", SentenceEditor)
        await person.type("The agent must n")
        assert {one.text for one in editor.offered[:2]} == {"not", "never"}
        editor.insert("ot pay an inv")
        editor.action_take()
        assert editor.text == "The agent must not pay an inv"
        await person.settle()
        editor.move_cursor((0, 3))
        editor.action_take()
        assert editor.text == "The agent must not pay an inv"
        await person.settle()
        await person.press("end", "tab")
        assert editor.text == "The agent must not pay an invoice "


async def test_a_new_sentence_is_said_and_stands_in_the_request(tmp_path: Path) -> None:
    session = desk(tmp_path)
    async with opened(session, (120, 60)) as person:
        await person.press("a")
        await person.until_shown("A NEW SENTENCE")
        await person.type("The agent must never send a note.")
        await person.until_shown("send a note  is  SendNote")
        await person.press("enter")
        await person.until(lambda: "def forbid_" in (session / "policy.py").read_text(encoding="utf-8"))
        assert (
            (session / "request.md")
            .read_text(encoding="utf-8")
            .endswith("The agent must never send a note.\n")
        )
        await person.until_shown("Added to request.md: The agent must")
        await person.press("u")
        await person.until(lambda: "send a note" not in (session / "request.md").read_text(encoding="utf-8"))


async def test_its_rule_is_one_key_away_in_python_and_a_sentence_again(tmp_path: Path) -> None:
    session = desk(tmp_path)
    async with opened(session, (120, 60)) as person:
        await person.press("down", "enter")
        await person.type("The agent must not pay an invoice if the total is more than 5,000.")
        await person.press("ctrl+r")
        code = person.app.query_one("#rule", CodeEditor)
        await person.until(lambda: code.display)
        assert "return call.total > Decimal" in code.text
        code.replace("6000", *_place(code.text, "5000"))
        await person.press("escape")
        await person.until_shown("The agent must not pay an invoice if the total is more")
        await person.until_shown("than 6,000.")


async def test_keys_typed_while_a_sentence_is_stored_are_for_the_editor_that_opens_then(
    tmp_path: Path,
) -> None:
    session = desk(tmp_path)
    async with opened(session, (120, 60)) as person:
        await person.press("down", "enter")
        await person.type("The agent must not pay an invoice if the total is more than 5,000.")
        await person.press_at_once("ctrl+r", "end", "z", "z")
        code = person.app.query_one("#rule", CodeEditor)
        assert code.display
        assert 'Decimal("5000")zz' in code.text
        assert not person.app.view.has_class("-zoomed")
        await person.press("backspace", "backspace", "escape")


def test_a_sentence_that_says_more_takes_the_place_of_the_one_that_was_taken() -> None:
    note = "The agent must never send a note."
    text, more = f"{note} {LIMIT}", LIMIT.replace("5,000.", "5,000 or the supplier is “x”.")
    assert placed_beside(text, more) == WordOffer(more, len(note) + 1, len(text))
    assert placed_beside(LIMIT, note) == WordOffer(note, len(LIMIT), len(LIMIT))


async def test_an_unread_sentence_begins_a_rule_in_python(tmp_path: Path) -> None:
    session = desk(tmp_path)
    before = (session / "policy.py").read_text(encoding="utf-8")
    async with opened(session, (120, 60)) as person:
        await person.press("down", "enter", "ctrl+r")
        code = person.app.query_one("#rule", CodeEditor)
        await person.until(lambda: code.display)
        assert "Nothing over 5,000 euros is paid by the agent." in code.text
        assert code.text.split("\n")[code.cursor_location[0]].strip() == "return False"
        await person.press("escape")
        await person.until(lambda: "R1: Nothing over" in (session / "policy.py").read_text(encoding="utf-8"))
        await person.press("u")
        await person.until(lambda: (session / "policy.py").read_text(encoding="utf-8") == before)


def _place(text: str, words: str) -> tuple[tuple[int, int], tuple[int, int]]:
    row, line = next((row, line) for row, line in enumerate(text.split("\n")) if words in line)
    return (row, line.index(words)), (row, line.index(words) + len(words))


async def test_f_on_a_denied_call_offers_an_exception_in_the_sentence_that_denies_it(tmp_path: Path) -> None:
    bench = invoice_desk(tmp_path)
    bench.rewordings.add("What no sentence forbids is allowed.")
    bench.rewordings.add(LIMIT)
    bench.close()
    session = tmp_path / "desk"
    async with opened(session, (120, 60)) as person:
        await person.press("R", "tab", "down", "down", "down")
        person.line("▸  3 deny")
        await person.press("f")
        await person.until_shown("exactly this call")
        editor = person.app.query_one("#say", SentenceEditor)
        assert (editor.text, editor.selected_text) == (LIMIT, "the total is more than 5,000")
        person.line("exactly this call · allows no other recorded call")
        await person.press("tab")
        await person.until_shown("+1 allow")
        assert "the invoice id is “I-3”" in editor.text
        await person.press("ctrl+u")
        assert not editor.text
        await person.press("ctrl+z", "enter")
        await person.until(lambda: "'I-3'" in (session / "policy.py").read_text().replace('"', "'"))
        await person.press("R")
        person.line("5 calls: 5 allow")


async def test_f_on_a_call_that_cannot_be_evaluated_lets_exactly_this_one_run(tmp_path: Path) -> None:
    just_desk(tmp_path).close()
    async with opened(tmp_path / "desk", (120, 60)) as person:
        await person.press("R", "tab")
        person.line("f lets exactly this call run")
        await person.press("f")
        await person.until_shown("exactly this call · allows no other recorded call")
        await person.press("tab", "enter")
        await person.until(lambda: '"just test"' in (tmp_path / "desk" / "policy.py").read_text())
        person.line("1 call cannot → allow")


async def test_f_on_a_call_that_no_sentence_permits_offers_one_that_does(tmp_path: Path) -> None:
    async with opened(desk(tmp_path)) as person:
        await person.press("R", "tab", "f")
        await person.until_shown("exactly this call")
        await person.press("tab")
        await person.until_shown("+1 allow")
        editor = person.app.query_one("#say", SentenceEditor)
        assert editor.text.startswith("The agent may get an invoice if the invoice id is “I-1”")


async def test_a_sentence_about_runs_is_judged_while_it_is_typed(tmp_path: Path) -> None:
    async with opened(desk(tmp_path), (120, 60)) as person:
        await person.press("a")
        await person.type("In no run may the agent pay an invoice if the total is more than 5,000.")
        await person.until_shown("vacuous by the preview: no call that it speaks of")  # this desk denies all
        await person.press("escape")
        assert not person.app.query_one("#say", SentenceEditor).display
        assert "by the preview" not in person.text


async def test_a_policy_that_waits_for_a_parameter_is_stored_once_it_is_declared(tmp_path: Path) -> None:
    with closing(invoice_desk(tmp_path)) as bench:
        bench.rewordings.keep([Reworded("Nothing over 5,000 euros is paid by the agent.", (LIMIT,))])
        waiting = bench.session.written.replace("call.total >", "call.vat >")
        assert not bench.editing.keep_or_store(waiting) and bench.editing.refused_edit == waiting
        spec = bench.agent.text().replace("total = {", 'vat = {type = "number"}, total = {')
        spec = spec.replace('"total",', '"total", "vat",')
    policy = tmp_path / "desk" / "policy.py"
    async with opened(tmp_path / "desk") as person:
        person.app.acts.do("Declared it", lambda bench: bench.agent.put_text(spec, "Declared it"))
        await person.until(lambda: policy.read_text(encoding="utf-8") == waiting)
        await person.settle()
        assert person.app.state is not None and not person.app.state.edited
