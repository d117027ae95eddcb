"""The view of the recorded runs: causes, calls, the run as text, and actions on a call."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from tests.tui.driving import Driver, opened
from workbench.model import Verdict
from workbench.tui.views.runs.view import RunsView
from workbench.tui.widgets.call_lines import CallLines


def words(person: Driver) -> str:
    """The text of the screen with single spaces."""
    return " ".join(person.text.split())


async def narrow(person: Driver, typed: str) -> None:
    """Narrow the pane in focus by words."""
    await person.press("slash")
    await person.type(typed)
    await person.press("enter")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_denial_is_walked_to_its_text_and_its_rule(desk: Path, size: tuple[int, int]) -> None:
    async with opened(desk, size) as person:
        await person.press("R")
        if person.app.view.fitting < 3:
            await person.press("shift+tab")
        await narrow(person, "register r7")
        assert "R4, R7" in person.text
        assert "An invoice may only" in words(person) or person.app.view.fitting < 3
        await person.press("enter")
        assert "deny     3  pay_invoice" in person.text or "deny     3  pay_invoic…" in person.text
        if person.app.view.fitting < 3:
            await person.press("enter")
        assert "invoices-0313 call 3 · 4 of " in person.lines[1]
        # the log's own text of the denied call is in sight, and so are its rules, in two keys
        assert "DE89370400440532013000" in person.text
        assert "R7 No more may be paid" in words(person)
        if person.app.view.fitting < 3:
            # Esc goes back to the calls, and w goes to the reason, to which z gives the whole screen
            await person.press("escape")
            assert "━Calls" in person.lines[1]
            await person.press("w", "z")
            assert "14 days ago True" in words(person)


async def test_what_is_done_with_calls_and_causes(desk: Path) -> None:
    async with opened(desk, (120, 60)) as person:
        passing = person.line("cases ✓")
        # a rule folds; the strategies are listed with their differences, by their names
        await person.press("R")
        assert "not: the booking" in person.text, "it tells one cause from another of the same rule and tool"
        await person.press("j", "j", "j", "j", "j", "space")
        assert "3\N{NO-BREAK SPACE}causes" in person.text
        await person.press("s")
        assert "Runs in which they differ" in person.text
        assert "terminate task (TT)" in person.text
        await person.press("s")
        assert "Runs in which they differ" not in person.text
        # a cause is judged with all its calls, and taken back
        await person.press("shift+tab")
        await narrow(person, "register")
        await person.press("x")
        assert "2 denials judged false alarm" in person.text
        assert "2 cases failed" in person.text
        await person.press("u", "escape", "g")
        # if no cause has the words, the calls with them are listed, and the run follows
        await narrow(person, "gothenburg")
        assert "No cause has gothenburg" in words(person) and "gothenburg-0317 " in person.lines[1]
        assert "all calls" in person.text
        person.line("Esc show all")
        await person.press("tab", "escape", "shift+tab", "g")  # from either pane Esc shows all again
        assert "Esc show all" not in person.text
        assert "No cause has" not in person.text and "not: the booking" in person.text
        assert person.line("cases ✓").split("cases")[0] == passing.split("cases")[0]
        # a call shows its reasons, in true words, and the changes that would turn it
        await person.press("tab")
        # after words that no call has, keys are keys, and Esc shows all again
        await narrow(person, "zebra")
        await person.press("x")
        assert "No call here." in person.text and "zebrax" not in person.text
        await person.press("escape")
        await narrow(person, "deny cc-202")
        await person.press("w")
        assert "to_registered_account" in person.text, "a fact has its value, and its name in the policy"
        assert 'result of call 1, line 1: "CC-220"' in person.text
        await person.press("w")
        assert "to_registered_account" not in person.text
        # what the policy cannot teach is begun as a demonstration, to be written
        await person.press("a")
        assert "EDIT demonstration" in person.text
        assert "So write the plan and the code of this demonstration yourself" in words(person)
        person.line("Esc leave ")
        await person.press("escape", "R", "tab")
        assert "So write the plan" not in words(person)
        # a call becomes a case, and another one with the opposite judgement takes its place
        await person.press("p")
        assert "Case of call 11 of conferences-0320: deny" in person.text
        assert "cases: 1 added" in person.text
        await person.press("x")
        await person.until_shown("1 case failed")
        await person.press("u", "u", "escape")
        # the reasons are those of the call that is asked about
        await narrow(person, "deny")
        await person.press("g", "w")
        assert "to_registered_account" in person.text, "a payment names an account"
        await person.press("down")
        assert "arguments, line 1" not in person.text
        await person.press("w")
        assert "arguments, line 1" in person.text and "to_registered_account" not in person.text
        await person.press("w", "escape")


async def test_logs_are_opened_and_followed_from_within(desk: Path, tmp_path: Path) -> None:
    lines = (desk / "logs" / "conferences-0320.jsonl").read_text(encoding="utf-8").splitlines()
    hostile = "\x1b]52;c;x\x07 [@click=app.quit]now[/] \u202e"
    records = [{**json.loads(line), "run": "live"} for line in lines]
    records[0]["message"] = {"role": "user", "text": hostile}
    texts = [json.dumps(record) for record in records]
    log = tmp_path / "live.jsonl"
    denied = next(at for at, record in enumerate(records) if record.get("call") == 11)
    log.write_text("\n".join(texts[:denied]) + "\n", encoding="utf-8")
    shutil.rmtree(desk / "logs")
    async with opened(desk) as person:
        await person.press("R")
        assert "There is no recorded run yet." in person.text
        assert "Calls 0" in person.text, "nothing is read, and no cause is looked for"
        assert "Reading" not in person.text and "Finding" not in person.text
        # a path without a file is reported
        await person.press("o")
        await person.type("nowhere.jsonl")
        await person.press("enter")
        assert "There is no file nowhere.jsonl" in person.text
        # its path stays in the field to be corrected, and typing replaces it
        await person.press("o")
        assert "open a log: nowhere.jsonl" in words(person)
        await person.type("nothing")
        assert "open a log: nothing" in words(person) and "nowhere.jsonlnothing" not in person.text
        await person.press("escape")
        # a denial arrives in a followed log, and the cursor goes with it
        await person.press("F")
        await person.type(str(log))
        await person.press("enter")
        assert "Following live.jsonl, at first 1 run, 11 calls" in person.text
        # the newest call is the chosen one; its first message is as harmless as any
        assert "live call 10 · 11 of 11" in person.lines[1]
        await person.press("g")
        assert "[@click=app.quit]now[/]" in person.text
        assert "\x1b" not in person.text and "\u202e" not in person.text
        await person.press("G")
        with log.open("a", encoding="utf-8") as file:
            file.write("\n".join(texts[denied : denied + 2]) + "\n")
        await person.until_shown("1 new call, 1 not allowed: call 11 of live deny.")
        assert "live call 11 · 12 of 12" in person.lines[1]
        # and a part of a log that is not understood is reported next to its name
        with log.open("a", encoding="utf-8") as file:
            file.write("{broken\n")
        await person.until_shown("1 record not understood")
        await person.until_shown(f"Not understood: live.jsonl line {denied + 3}: ")
        await person.press("F")
        assert "following" not in person.text
        # a log that is dropped on the terminal arrives as its path
        other = tmp_path / "other log.jsonl"
        other.write_text("\n".join(texts[:denied]).replace('"live"', '"dropped"') + "\n", encoding="utf-8")
        person.app.view.current.post_message(events.Paste(f"'{other}'"))
        await person.until_shown("Opened other log.jsonl: 1 run, 11 calls")
        assert "nothing changed" not in person.text
        await person.press("shift+tab")
        await narrow(person, "logs")
        assert "live.jsonl line" in person.text


async def test_calls_are_tried_with_why_and_nothing_is_kept_until_one_becomes_a_case(desk: Path) -> None:
    files = {path: path.read_bytes() for path in desk.rglob("*.*") if path.is_file()}
    async with opened(desk, (120, 60)) as person:
        await person.press("R", "tab")
        await narrow(person, "CC-202")
        assert "conferences-0320 call 11 " in person.lines[1]
        assert person.app.view.words_at_cursor()["try"] == "try calls like it"
        # a recorded call is edited in its place, with the decision and the reason beside it
        await person.press("e")
        editor = person.app.query_one(CallLines)
        line = editor.text
        assert line.startswith("pay_invoice {") and "CC-202" in line
        await person.until_shown("the agent is told")
        editor.text = line.replace("CC-202", "CC-220")
        await person.until(lambda: "allow" in person.line("1  pay_invoice {"))
        assert "the agent is told" not in person.text
        # a pasted text has a decision a line; a line that is no call says why
        editor.text = "\n".join(("# notes", "", "pay_invoice: CC-220", *[line] * 20))
        await person.until(lambda: "deny" in person.line("4  pay_invoice {"))
        assert "no call" in person.line("3  pay_invoice: CC-220")
        await person.press("escape", "g")
        person.line("Tried, in the place of call 11")
        person.line("1 each alone   2 in its place   3 after it   4 after the lines above")
        assert "20 deny" in person.text and "line 3 A call of pay_invoice" in words(person)
        # alone, nothing was looked up before; and it is not counted with the recorded calls
        await person.press("1")
        await person.until_shown("Tried, each line alone")
        person.line("121 calls: ")
        assert {path: path.read_bytes() for path in files} == files
        # it becomes a case
        await person.press("2")
        await person.until_shown("Tried, in the place of")
        await person.press("p")
        assert "Case of pay_invoice {" in person.text and "cases: 1 added" in person.text
        await person.press("u", "escape")
        assert "conferences-0320 call 11" in person.text and "▸ 11 deny" in person.text
        await person.press("t", "f7", "x", "escape", "escape")
        await person.press("t")
        assert person.app.query_one(CallLines).text == "x", "the lines stay until the session is left"
        # they are left from the pane beside them, too
        await person.press("tab", "escape")
        assert (
            not editor.display and person.app.query_one(RunsView).calls.display and "Tried" not in person.text
        )
        await person.press("t")
        assert editor.text == "x" and editor.has_focus
        # while the calls are read anew, the lines are explained by what decided them
        view, state = person.app.query_one(RunsView), person.app.state
        assert state is not None and state.logs is not None
        editor.text = line
        await person.until_shown("the agent is told")
        view.show(replace(state, logs=replace(state.logs)))
        assert "by the policy before" in words(person), "until they are decided anew"
        why = view._trying.explain(0)(person.app.work.workbench)  # pyright: ignore[reportPrivateUsage]
        assert why.decision.verdict is Verdict.DENY
        await person.press("f7", "x")
        await person.until_shown("no call")
        # an exception for a tried call is looked for where its rule is
        await person.press("escape", "escape")
        assert "▸ 11 deny" in person.text
        await person.press("e", "escape")
        await person.until_shown("1 deny")
        await person.press("f")
        await person.until_shown("No sentence says forbid_wrong_lines, which is written in Python")
        assert "▸Author" in person.lines[0]
