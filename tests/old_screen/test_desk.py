"""Looking closer on the screen: links, versions, evidence, explanations, cases, own keys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import _character_to_key as character_to_key  # pyright: ignore[reportPrivateUsage]  the parser's own
from textual.notifications import Notify
from textual.widgets import Input

from tests.old_screen.screens import drawn, screen_text, settled, words
from tests.old_screen.test_app import ANSWERED, WIDE, opened, quick
from workbench.model import Proof, ProofStatus, Verdict, WorkbenchError
from workbench.old_screen import messages
from workbench.old_screen.actions import ACTIONS, BY_ID
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.clipboard import desktop_copy, osc52
from workbench.old_screen.external import edit_outside
from workbench.old_screen.keymap import VIM, Preferences, read_preferences
from workbench.old_screen.keys_file import preferences
from workbench.old_screen.keys_page import keys_page
from workbench.old_screen.samples.sample import CONTENTS, EVIDENCE, POLICY, PROOF, REFUTED
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.widgets.causes import CauseList
from workbench.old_screen.widgets.details import DetailsPane
from workbench.old_screen.widgets.editor import Editor
from workbench.old_screen.widgets.form import FormScreen
from workbench.old_screen.widgets.lines import LineList
from workbench.old_screen.widgets.pipeline_line import PipelineLine
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.proof import ProofPane
from workbench.old_screen.widgets.question import QuestionOptions
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.reader import ReaderScreen, ReaderText
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.old_screen.widgets.step_table import StepTable

assert quick
BROKEN = Proof((*PROOF.clauses[:2], REFUTED))
LINE = POLICY[: POLICY.index("def forbid_too_many_rows")].count("\n") + 1


async def test_from_a_rule_to_its_sentence_clause_cases_and_steps_and_back() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        editor = app.query_one(Editor)
        editor.go_to(LINE)
        await pilot.press("f12")
        await settled(app, pilot)
        text = drawn(app.screen.query_one(ReaderText))
        for part in ("sentence R4", "clause C3", "case case-8", "log steps that it denied"):
            assert part in text
        app.screen.query_one(ReaderText).select("proof C3")
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.query_one(ProofPane).key == "C3"
        assert app.query_one(ProofPane).has_focus
        await pilot.press("alt+left")
        await settled(app, pilot)
        assert editor.cursor_location[0] == LINE - 1
        assert app.query_one(PolicyPane).has_focus
        await pilot.press("f12")
        await settled(app, pilot)
        app.screen.query_one(ReaderText).select("replay rule:forbid_too_many_rows")
        await pilot.press("enter")
        await settled(app, pilot)
        rows = app.query_one(ReplayPane).table.rows
        assert len(rows) == app.board.replayed.fired["forbid_too_many_rows"]


async def test_the_lowered_program_and_the_difference_from_a_version_are_one_key_away() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f11")
        await settled(app, pilot)
        assert "PSet[int]" in drawn(app.screen.query_one(ReaderText))
        await pilot.press("escape", "alt+d")
        await settled(app, pilot)
        app.screen.query_one(ReaderText).select("2")
        await pilot.press("enter")
        await settled(app, pilot)
        text = drawn(app.screen.query_one(ReaderText))
        assert "newly denied" in text
        assert "-    return rows > 2" in text
        assert "+    return rows > 100" in text


async def test_a_counterexample_becomes_a_case_by_one_key_and_a_question_by_another() -> None:
    port = SamplePort(ANSWERED, proof=BROKEN, preview=BROKEN)
    async with opened(port) as (app, pilot, heard):
        app.query_one(ProofPane).select("C3")
        await pilot.press("f5", "t")
        await settled(app, pilot)
        kept = port.cases().cases[-1]
        assert (kept.expected, kept.requirements, kept.origin) == (Verdict.DENY, ("R4",), "counterexample")
        assert heard.of(messages.CounterexampleKept)[0].clause == "C3"
        app.query_one(ProofPane).select("C3")
        await pilot.press("f5", "a")
        await settled(app, pilot)
        assert "Should this be allowed?" in words(app.query_one(QuestionOptions))
        await pilot.press("1")
        await settled(app, pilot)
        asked = port.cases().cases[-1]
        assert (asked.expected, asked.origin) == (Verdict.ALLOW, "human")
        assert not app.query_one("#workspace").has_class("-asking")


async def test_a_clause_that_ran_out_of_time_is_proved_again_with_more_of_it() -> None:
    late = replace(PROOF.clauses[0], status=ProofStatus.UNKNOWN, why="time limit of 30 s of work")
    port = SamplePort(ANSWERED, proof=Proof((late, *PROOF.clauses[1:])))
    async with opened(port) as (app, pilot, heard):
        await pilot.press("f5")
        assert "r proves it again" in words(app.query_one(ProofPane))
        proved = len(heard.of(messages.Proved))
        await pilot.press("r")
        await settled(app, pilot)
        assert "allow 120 s" in port.calls
        assert len(heard.of(messages.Proved)) == proved + 1
        assert not app.board.verdicts.running


async def test_engines_that_disagree_are_an_error_with_a_report() -> None:
    port = SamplePort(ANSWERED, preview=Proof((replace(REFUTED, clause="C1"),)))
    async with opened(port) as (app, pilot, _):
        await pilot.press("f5")
        app.query_one(ProofPane).select("C1")
        assert "The engines disagree" in words(app.query_one(ProofPane))
        await pilot.press("e")
        await settled(app, pilot)
        assert "cvc5: refuted" in drawn(app.screen.query_one(ReaderText))


async def test_the_evidence_matrix_shows_figures_and_turns_survivors_into_clauses_and_cases() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port, WIDE) as (app, pilot, _):
        await pilot.press("f5", "m")
        await settled(app, pilot)
        text = words(app.query_one(ProofPane))
        assert "29 of 31 wrong versions" in text
        assert "No clause for the sentence R1." in text
        passing, survivor = EVIDENCE.survivors
        app.query_one(ProofPane).select(f"survivor {passing.id}")
        await pilot.press("o", "enter")
        await settled(app, pilot)
        assert not any(call.startswith("accept") for call in port.calls)
        await pilot.press(*"rare", "enter")
        await settled(app, pilot)
        assert f"accept {passing.id} rare" in port.calls
        assert passing.what not in words(app.query_one(ProofPane))
        app.query_one(ProofPane).select(f"survivor {survivor.id}")
        await pilot.press("t")
        await settled(app, pilot)
        assert port.cases().cases[-1].expected is Verdict.DENY
        await pilot.press("ctrl+r")
        await settled(app, pilot)
        assert "29 of 31 wrong versions" in words(app.query_one(ProofPane)), "measured again by itself"
        app.query_one(ProofPane).select(f"survivor {survivor.id}")
        await pilot.press("f5", "i")
        await settled(app, pilot)
        terms = app.board.verdicts.terms
        assert terms is not None
        assert len(terms.clauses) == 4
        assert 'role == "nursing"' in terms.clauses[-1].source


async def test_denials_are_grouped_and_a_run_is_walked_and_explained() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f6", "v")
        await settled(app, pilot)
        groups = app.query_one(CauseList)
        denied = sum(
            decided.decision.verdict is not Verdict.ALLOW for decided in app.board.replayed.decisions
        )
        counts = [len(cause.steps) for cause in app.board.replayed.causes or ()]
        assert f"{counts[0]} forbid_" in words(groups)
        assert sum(counts) == denied
        await pilot.press("enter")
        await settled(app, pilot)
        rows = app.query_one(ReplayPane).table.rows
        assert len(rows) == counts[0]
        await pilot.press("w")
        await settled(app, pilot)
        text = words(app.query_one(DetailsPane))
        assert "Denied by" in text
        assert "allow if role" in text


async def test_a_filter_that_empties_the_view_is_named() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        app.query_one(ReplayPane).show_filter("is:deny tool:getvalue run:nowhere")
        await settled(app, pilot)
        assert "run:nowhere alone hides all of them" in words(app.query_one("#none"))


async def test_the_request_is_shown_by_how_its_sentences_were_understood() -> None:
    async with opened(SamplePort(CONTENTS)) as (app, pilot, _):
        await pilot.press("f8")
        rail = app.query_one(Rail)
        assert "3 read, 1 open" in words(rail)
        rail.show_sentence("sentence R4")
        await settled(app, pilot)
        assert rail.key == "sentence R4"
        assert "? R3 General admission" in words(rail)


async def test_a_version_can_be_gone_back_to() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        app.query_one(Rail).select("version 1")
        await pilot.press("f8", "enter")
        await settled(app, pilot)
        assert "restore 1" in port.calls


async def test_cases_are_run_alone_edited_and_added_by_a_form() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, heard):
        await pilot.press("f4", "f")
        await settled(app, pilot)
        assert "test case-8" in port.calls
        await pilot.press("o")
        await settled(app, pilot)
        assert "1 failed, 8 passed" in drawn(app.screen.query_one(ReaderText))
        await pilot.press("escape", "n")
        await settled(app, pilot)
        assert app.focused is not None
        await pilot.press("a", "enter", *"mine", *["tab"] * 4, "ctrl+u", *"many", "alt+s")
        assert "many does not fit; type a whole number" in screen_text(app)
        assert isinstance(app.screen, FormScreen)
        await pilot.press("ctrl+u", *"100", "alt+s")
        await settled(app, pilot)
        made = heard.of(messages.CaseWanted)[0].case
        assert (made.id, made.expected, made.reason, made.origin) == ("own-1", Verdict.ALLOW, "mine", "human")
        assert made.arguments["rows"] == 100


async def test_jump_mode_goes_to_a_pane_by_a_letter() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("ctrl+g")
        await settled(app, pilot)
        assert isinstance(app.screen, ReaderScreen)
        await pilot.press("g")
        await settled(app, pilot)
        assert app.query_one(ReplayPane).has_focus_within


@pytest.mark.parametrize(
    ("size", "stages"),
    [((200, 60), ["test", "prove", "replay", "draft", "clarify"]), ((80, 24), ["test", "prove", "draft"])],
)
async def test_a_click_on_a_stage_goes_to_the_pane_that_shows_more(
    size: tuple[int, int], stages: list[str]
) -> None:
    panes = {"test": "cases", "prove": "proof", "replay": "replay", "draft": "policy", "clarify": "question"}
    async with opened(SamplePort(), size) as (app, pilot, heard):
        pipeline = app.query_one(PipelineLine)
        for stage in stages:
            await pilot.click(pipeline, offset=(drawn(pipeline).index(f" {stage} ") + 2, 0))
            await settled(app, pilot)
            assert heard.of(PipelineLine.Wanted)[-1].pane == panes[stage]
            assert app.query_one(f"#{panes[stage]}").has_focus_within
        await pilot.click(pipeline, offset=(size[0] - 1, 0))
        assert len(heard.of(PipelineLine.Wanted)) == len(stages)


async def test_to_go_to_a_question_where_none_is_open_says_so() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, heard):
        await pilot.press("f2")
        await settled(app, pilot)
        assert "No question is open" in heard.of(Notify)[-1].notification.message


# --- own keys


def test_own_keys_are_read_strictly(tmp_path: Path) -> None:
    assert preferences('[keys]\nzoom = "f9,ctrl+x"').keys == {"zoom": "f9,ctrl+x"}
    assert preferences("vim = true") == Preferences(VIM)
    assert preferences("suggestions = false\nanimation = false") == Preferences({}, False, False)
    assert read_preferences(tmp_path / "absent.toml") == Preferences()
    for text, part in (
        ("vim = 1", 'keys.toml:1: "vim" must be true or false, not a whole number'),
        ('\nanimation = "no"', 'keys.toml:2: "animation" must be true or false, not a string'),
        ("keys = 1", 'keys.toml:1: "keys" must be a table'),
        ("[keys]\nzoom = 1", r'keys.toml:2: "zoom" in \[keys\] must be a string'),
        ("animaton = true", 'keys.toml:1: unknown key "animaton". Did you mean "animation"'),
        ('[keys]\nzom = "f9"', 'keys.toml:2: there is no action "zom". Did you mean "zoom"'),
        ('[keys]\nzoom = "f 9"', 'keys.toml:2: "zoom" cannot be "f 9". Keys are written like'),
        ('[keys]\nzoom = "f1"', "keys.toml:2: f1 would start both"),
        ("[keys", "keys.toml:1: is not valid TOML"),
    ):
        with pytest.raises(WorkbenchError, match=part):
            preferences(text)


async def test_own_keys_work_and_wrong_ones_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys]\n"go.cases" = "ctrl+k"\n', encoding="utf-8")
    monkeypatch.setattr("workbench.old_screen.keyboard_actions.user_keys", lambda: file)
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("ctrl+k")
        await settled(app, pilot)
        assert app.query_one("#cases").has_focus


def test_every_action_has_a_key_that_plain_terminals_send() -> None:
    taken = {  # what Textual makes of Esc and a character, which is how terminals send Alt
        f"alt+{character_to_key(sequence[1])}"
        for sequence in ANSI_SEQUENCES_KEYS
        if len(sequence) == 2 and sequence[0] == "\x1b"
    }
    assert "alt+0" in taken
    silent = taken | {"ctrl+enter"}
    assert [action.id for action in ACTIONS if set(action.keys.split(",")) <= silent] == []


async def test_an_own_key_that_types_starts_nothing_where_one_types(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('vim = true\n[keys]\nzoom = "f9,Z"\n', encoding="utf-8")
    monkeypatch.setattr("workbench.old_screen.keyboard_actions.user_keys", lambda: file)
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("f3", "ctrl+end", *"a:", "Z")
        await settled(app, pilot)
        assert app.query_one(Editor).text.endswith("a:Z")
        await pilot.press("f6", "slash", *"is:deny")
        await settled(app, pilot)
        assert app.query_one("#filter", Input).value == "is:deny"
        await pilot.press("f4", "slash", *"a:Z")
        await settled(app, pilot)
        assert app.query_one("#cases", LineList).query_text == "a:Z"
        assert not app.screen.is_modal
        await pilot.press("escape", "Z")
        await settled(app, pilot)
        assert app.query_one("#workspace").has_class("-zoomed")
        await pilot.press("colon")
        await settled(app, pilot)
        assert app.screen.is_modal


async def test_without_animation_no_cursor_blinks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    monkeypatch.setattr("workbench.old_screen.keyboard_actions.user_keys", lambda: file)
    for text, blinks in (("", True), ("animation = false", False)):
        file.write_text(text, encoding="utf-8")
        app = WorkbenchApp(SamplePort(ANSWERED))
        app.animation_level = "full"
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(app, pilot)
            await pilot.press("f3", "enter")
            await settled(app, pilot)
            assert app.query_one(Editor).cursor_blink is blinks
            await pilot.press("f6", "slash")
            await settled(app, pilot)
            assert app.query_one("#filter", Input).cursor_blink is blinks


def test_the_documented_keys_are_the_real_ones() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "keys.md"
    assert page.read_text(encoding="utf-8") == keys_page()
    assert all(f"`{action.id}`" in keys_page() for action in ACTIONS)
    assert set(VIM) <= set(BY_ID)


# --- copying and the editor outside


@pytest.mark.parametrize(
    ("environment", "start", "end"),
    [
        ({}, "\x1b]52;c;", "\x07"),
        ({"TMUX": "x"}, "\x1b]52;c;", "\x07\x1b\\"),
        ({"TERM": "screen.xterm"}, "\x1bP\x1b]52;c;", "\x07\x1b\\"),
    ],
)
def test_copying_is_wrapped_for_the_terminal(environment: Mapping[str, str], start: str, end: str) -> None:
    sequence = osc52("Zeile 1\nß", environment)
    assert sequence.startswith(start)
    assert sequence.endswith(end)
    assert ("\x1bPtmux;\x1b\x1b]52;c;" in sequence) is ("TMUX" in environment)
    assert osc52("x" * 200_000, environment) == ""


@pytest.mark.parametrize("remote", [False, True])
def test_in_tmux_its_own_buffer_is_filled_also_over_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    tool = tmp_path / "tmux"
    tool.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\n/bin/cat > {tmp_path}/text\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    ssh = {"SSH_CONNECTION": "1"} if remote else {}
    assert not desktop_copy("a\nß", ssh)
    assert desktop_copy("a\nß", {"TMUX": "x"} | ssh)
    assert (tmp_path / "text").read_text(encoding="utf-8") == "a\nß"
    assert (tmp_path / "words").read_text(encoding="utf-8") == "load-buffer -w -\n"


async def test_a_line_that_is_cut_off_or_wrapped_is_copied_whole() -> None:
    async with opened(SamplePort(ANSWERED), (120, 40)) as (app, pilot, heard):
        await pilot.press("f4", "g", "down", "y")
        await settled(app, pilot)
        case = heard.of(LineList.Copied)[-1].text
        assert "…" in drawn(app.query_one("#cases"))
        assert re.fullmatch(r"[✓✗] \S.*\S  (allow|deny|cannot)( .*)?", case, re.DOTALL)
        assert "…" not in case
        assert "   " not in case.split("\n")[0]
        await pilot.press("f6", "g", "down", "c")
        await settled(app, pilot)
        step = heard.of(LineList.Copied)[-1].text
        assert step == "deny  eicu-001  GetValue  forbid_unreadable_column  diagnosis.icd9code"
        assert "diagnosis.icd9code" not in drawn(app.query_one(StepTable)).splitlines()[1]


async def test_what_is_copied_is_the_source_and_not_what_is_drawn() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        await pilot.press("alt+c")
        await settled(app, pilot)
        assert app.clipboard == POLICY


async def test_the_policy_is_edited_in_an_editor_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "edit"
    script.write_text("#!/bin/sh\nsed -i 's/rows > 100/rows > 7/' \"$1\"\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(script))
    async with opened(SamplePort(ANSWERED)) as (app, pilot, heard):
        await pilot.press("alt+e")
        await settled(app, pilot)
        assert "rows > 7" in app.query_one(PolicyPane).text
        assert heard.of(messages.PolicyEdited)


def test_a_missing_or_failing_editor_is_one_sentence() -> None:
    for environment in ({}, {"EDITOR": "/nonexistent/editor"}, {"EDITOR": "false"}):
        with pytest.raises(WorkbenchError):
            edit_outside("text", ".md", {"PATH": os.environ["PATH"], **environment})
