"""The frame of the screen: what changed, keys, commands, messages."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from textual import events
from textual._compositor import Compositor
from textual.geometry import Region, Size
from textual.widgets import TextArea

from tests.tui.driving import LONGEST, Driver, opened
from workbench.app.acceptance import Accepted, Obstacle
from workbench.app.cases import Cases
from workbench.app.editing import Editing
from workbench.app.proof import Proving
from workbench.app.workbench import Workbench
from workbench.check.cases_run import CaseRun
from workbench.model import Proof
from workbench.tui.app import WorkbenchApp
from workbench.tui.messages import Act, ViewName
from workbench.tui.screen_memory import Remembered
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.lines import LineList


async def test_the_walk_goes_to_every_change_and_shows_both_versions(asked_desk: Path) -> None:
    async with opened(asked_desk, (80, 24)) as person:
        assert "? 1 question" in person.line("refunds")
        await person.press("2", "2")
        assert "1 call deny → allow" in person.line("Answered")
        await person.press("v")
        assert "1 of " in person.text
        assert "deny" in person.line("   - ") and "allow" in person.line("   + "), "the call that turned"
        while "forbid_issue_refund changed" not in person.text:
            await person.press("v")
        assert "refunds_today > 3" in person.line("   - ")
        assert "+ " in person.text
        await person.press("V", "escape")
        assert "v walk" in person.text
        await person.press("c")
        await person.type("before the first")
        await person.press("enter")
        person.line("Since before the first")


async def test_a_change_of_focus_and_a_prompt_draw_only_the_panes_that_they_change(desk: Path) -> None:
    drawn: list[Region] = []

    def note(compositor: Compositor, full: bool = False, *_unused: object, **_others: object) -> None:
        drawn.extend([compositor.size.region] if full else compositor._dirty_regions)  # pyright: ignore[reportPrivateUsage]
        compositor._dirty_regions.clear()  # pyright: ignore[reportPrivateUsage]

    async with opened(desk) as person:
        with mock.patch.object(Compositor, "render_update", note):
            for key in ("tab", "slash", "escape"):
                drawn.clear()
                await person.press(key)
                calls = person.app.query_one("#calls").region
                assert drawn, key
                assert not any(region.overlaps(calls) for region in drawn), f"{key} draws the calls again"
                if key == "slash":
                    assert "find in" in person.text


async def test_a_session_opens_where_it_was_left_and_with_questions_in_author(
    desk: Path, asked_desk: Path, tmp_path: Path
) -> None:
    remembered = Remembered(tmp_path / "state")
    remembered.opened(desk, ViewName.MEMORY)
    async with opened(desk, (80, 24), remembered) as person:
        await person.press("escape")
        assert person.app.going.here.view is ViewName.MEMORY
        await person.press("P")
    assert Remembered(tmp_path / "state").view_of(desk) == ViewName.POLICY
    async with opened(asked_desk, (80, 24), remembered) as person:
        assert person.app.going.here.view is ViewName.AUTHOR  # not another session's view
        assert person.app.state is not None and person.app.state.open
        await person.press("R")
    assert remembered.view_of(asked_desk) == ViewName.AUTHOR


async def test_an_edit_from_outside_is_announced_before_it_is_taken(shop: Path) -> None:
    async with opened(shop, (80, 24)) as person:
        policy = shop / "policy.py"
        text = policy.read_text(encoding="utf-8")
        policy.write_text(text.replace("age < 18", "age < 40"), encoding="utf-8")
        await person.until_shown("Changed outside: policy.py")
        await person.settle()
        assert "age < 40" in person.text and "- " in person.text
        await person.press("y")
        await person.settle()
        assert "allow → deny" in person.text
        await person.press("u")
        assert "age < 18" in policy.read_text(encoding="utf-8")
        policy.write_text(text.replace("age < 18", "age < 20"), encoding="utf-8")
        await person.until_shown("Changed outside: policy.py")
        await person.press("escape")
        await person.until(lambda: "policy.py on the disk is another" in person.lines[0])
        await person.press("u")
        await person.settle()
        assert "Undone: Edited outside: policy.py" in person.text
        assert "on the disk" not in person.lines[0] and policy.read_text(encoding="utf-8") == text
        policy.write_text(text.replace("age < 18", "age < 10"), encoding="utf-8")
        await person.until_shown("Changed outside: policy.py")
        await person.press("n")
        await person.settle()
        assert "Written back: policy.py" in person.text and policy.read_text(encoding="utf-8") == text


async def test_what_keeps_a_version_from_being_accepted_is_offered_by_its_name(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[tuple[str, ...]] = []
    missing = (Obstacle("R9", "the question “Which wins?” is open", by_name=True),)

    def accept(bench: Workbench, anyway: tuple[str, ...] = ()) -> Accepted:
        del bench
        named.append(anyway)
        return Accepted(mock.Mock(open=()), () if anyway else missing)

    monkeypatch.setattr(Workbench, "accept", accept)
    async with opened(shop, (80, 24)) as person:
        await person.command("accept")
        person.line("Not accepted yet")
        assert "the question “Which wins?” is open" in " ".join(person.text.split())
        await person.press("y")
        assert named == [(), ("R9",)]
        person.line("Accepted: guards and exported files")
        assert "nothing changed" not in person.text
        await person.command("edit agent")
        assert "EDIT agent.toml" in person.text


async def test_what_nobody_may_accept_is_told_before_the_open_questions(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [Obstacle(f"q{number}", f"the question {number} is open", by_name=True) for number in range(9)]
    missing = [*asked, Obstacle("c", "the case c fails")]

    def accept(bench: Workbench, anyway: tuple[str, ...] = ()) -> Accepted:
        del bench, anyway
        return Accepted(mock.Mock(open=[mock.Mock(id=one.name) for one in asked]), tuple(missing))

    monkeypatch.setattr(Workbench, "accept", accept)
    async with opened(shop, (80, 24)) as person:
        await person.command("accept")
        person.line("Not accepted: the case c fails")
        missing.pop()
        await person.command("accept")
        person.line("9 questions are open")
        assert "the question 0" not in person.text


async def test_an_acceptance_is_undone_only_after_y(shop: Path) -> None:
    before = (shop / "accepted.toml").read_text(encoding="utf-8")
    async with opened(shop, (80, 24)) as person:
        person.app.post_message(Act("Accept", lambda bench: bench.acceptance.store(by="a test")))
        await person.settle()
        accepted = (shop / "accepted.toml").read_text(encoding="utf-8")
        assert accepted != before
        await person.press("u")
        await person.press("n")
        assert "It stays accepted." in person.text
        assert (shop / "accepted.toml").read_text(encoding="utf-8") == accepted
        await person.press("u")
        await person.press("y")
        await person.settle()
        assert (shop / "accepted.toml").read_text(encoding="utf-8") == before


async def test_80_columns_have_two_parts_and_every_key_on_one_page(shop: Path) -> None:
    async with opened(shop, (80, 24)) as person:
        assert "▸Author P R M E" in person.lines[0]
        assert "━Requirements" in person.lines[1] and "◂" in person.lines[1]
        await person.press("tab", "tab")
        assert "Requirements" not in person.lines[1] and "◂" in person.lines[1]
        assert "decides" in person.lines[1], "the part before stays beside the one in focus"
        await person.press("question_mark")
        assert all(
            words in person.text for words in ("Here", "w         why", "Everywhere", "q         quit")
        )
        await person.press("R")
        assert "▸Runs" in person.lines[0], "the key on the page is that of the view"
        await person.press("z")
        assert "Run," not in person.lines[2]


async def test_a_second_window_is_read_only_and_takes_over(desk: Path) -> None:
    first = Workbench.open(desk)
    async with opened(desk, (80, 24)) as person:
        assert "read-only" in person.lines[0]
        first.close()
        await person.until(lambda: "read-only" not in person.lines[0])
        assert "can be changed here" in person.text
        await tabs_and_searches_lead_into_no_text(person)


async def tabs_and_searches_lead_into_no_text(person: Driver) -> None:
    """Check that Tab goes through the panes alone; Esc leaves an empty search, and clears another one."""
    for view in "APRME":
        await person.press(view)
        for _ in range(4):
            await person.press("tab")
            assert isinstance(person.app.focused, LineList)
    await person.press("P", "slash")
    await person.type("zzz")
    await person.press("enter", "x")
    assert isinstance(person.app.focused, LineList)
    assert "zzzx" not in person.text
    await person.press("escape")
    assert "zzz" not in person.text


async def test_esc_ends_a_proof_and_quitting_does_and_keeps_the_last_key(
    asked_desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, given_up = threading.Event(), list[bool]()

    def prove(*_given: object, cancelled: threading.Event, **_named: object) -> Proof:
        begun.set()
        given_up.append(cancelled.wait(LONGEST))
        return Proof(())

    def run(*_given: object, **_named: object) -> CaseRun:
        return CaseRun(())

    monkeypatch.setattr(Cases, "run", run)
    monkeypatch.setattr(Proving, "prove", prove)
    app = WorkbenchApp(asked_desk)
    async with app.run_test(size=(120, 40)) as pilot:
        person = Driver(app, pilot)
        await person.until(begun.is_set)
        begun.clear()
        await pilot.press("escape")  # there is nothing else to leave
        await person.until(lambda: given_up == [True])
        await pilot.press("r")
        await person.until(begun.is_set)
        await pilot.press("P", "e")
        await person.until_shown("EDIT policy.py")
        app.query_one("#whole", CodeEditor).insert("# typed last\n", (0, 0))
        app.leave()
        await person.until(lambda: not app.is_running)
    assert given_up == [True, True]
    assert (asked_desk / "policy.py").read_text(encoding="utf-8").startswith("# typed last\n")


async def test_acts_wait_for_those_before_and_leaving_is_possible_although_one_never_ends(desk: Path) -> None:
    app, held, done = WorkbenchApp(desk), [threading.Event() for _ in range(3)], list[int]()

    def acting(number: int) -> Callable[[Workbench], object]:
        return lambda _bench: done.append(number) if held[number].wait(LONGEST) else None

    async with app.run_test(size=(120, 40)) as pilot:
        person = Driver(app, pilot)
        await person.settle()
        for number in range(3):
            app.post_message(Act(f"act {number}", acting(number)))
        await person.until_shown("then act 2")
        held[1].set()
        held[0].set()
        await person.until(lambda: len(done) == 2)
        assert done == [0, 1]
        app.post_message(events.Key("q", "q"))
        await person.until_shown("the same key again leaves")
        assert app.is_running
        app.post_message(events.Key("q", "q"))
        await person.until(lambda: not app.is_running)
        assert app.work.unfinished
        held[2].set()


async def test_leaving_stores_what_was_asked_for_however_long_it_takes(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tui.app.LEAVING_SECONDS", 0)
    app, held, done = WorkbenchApp(desk), threading.Event(), list[bool]()
    async with app.run_test(size=(120, 40)) as pilot:
        person = Driver(app, pilot)
        await person.settle()
        app.post_message(Act("held", lambda _bench: done.append(held.wait(LONGEST))))
        await person.until_shown("held")
        app.post_message(events.Key("q", "q"))
        await person.until_shown("the same key again leaves")
        held.set()
        await person.until(lambda: not app.is_running)
    assert done == [True]


async def test_a_text_that_cannot_be_stored_keeps_the_screen_and_is_reported_at_the_end(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_given: object) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Editing, "keep_or_store", full)
    app = WorkbenchApp(desk)
    async with app.run_test(size=(120, 40)) as pilot:
        person = Driver(app, pilot)
        await person.settle()
        await pilot.press("P", "e")
        await person.until_shown("EDIT policy.py")
        await pilot.press("x", "ctrl+q")
        await person.until_shown("No space left on device. The same key again leaves")
        assert app.is_running and not app.work.closing
        await pilot.press("ctrl+q")
        await person.until(lambda: not app.is_running)
    app.close()
    assert "No space left on device" in app.work.unstored
    assert app.return_code == 1


async def test_keys_of_a_burst_reach_what_the_keys_before_them_opened(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No key is typed into the pane that had the focus, however fast the keys come.

    A part that fails meanwhile reports this and affects no other part.
    """

    def failing(*_given: object, **_named: object) -> CaseRun:
        raise RuntimeError("no cases today")

    monkeypatch.setattr(Cases, "run", failing)
    monkeypatch.setenv("WORKBENCH_STATE_DIR", str(tmp_path / "state"))
    log = tmp_path / "fast.jsonl"
    async with opened(desk) as person:
        assert "cases stopped: the workbench has a bug (RuntimeError: no cases today)" in person.text
        (report,) = (tmp_path / "state").rglob("crash-*.txt")
        assert "in failing" in report.read_text()

        def burst(*names: str) -> None:
            for name in names:
                person.app.post_message(events.Key(name, name if len(name) == 1 else None))

        burst("R", "F", *str(log), "left", "x", "enter")
        await person.settle()
        assert "fast.jsonxl" in person.text and "There is no file" in person.text
        burst("colon", *"zoom", "escape", "slash", *"pay", "enter", "P", "e", "escape", "R")
        await person.settle()
        assert person.app.going.here.view is ViewName.RUNS
        assert not person.app.screen.is_modal
        assert isinstance(person.app.focused, LineList)


async def test_a_view_keeps_its_panes_and_the_focus_where_a_resize_comes_while_it_opens(desk: Path) -> None:
    small, wide = Size(80, 24), Size(120, 40)
    async with opened(desk) as person:
        screen, going = person.app.screen, person.app.going
        for view in (ViewName.POLICY, ViewName.RUNS, ViewName.MEMORY):
            going.to_view(view)
            screen.post_message(events.Resize(small, small))
            await person.settle()
            assert screen.focused is going.view.first and going.view.first.region, person.text
            screen.post_message(events.Resize(wide, wide))
            await person.settle()
        person.app.commanding.do_commands()
        await person.settle()
        going.to_view(ViewName.EVIDENCE)  # what a worker shows behind a dialog has the focus after it
        screen.post_message(events.Resize(small, small))
        await person.press("escape")
        assert screen.focused is going.view.first and going.view.first.region, person.text


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
async def test_esc_leads_back_to_the_pane_in_which_enter_was_pressed(
    desk: Path, size: tuple[int, int]
) -> None:
    async with opened(desk, size) as person:
        going = person.app.going
        for view, pane in (
            (ViewName.AUTHOR, "spine"),
            (ViewName.RUNS, "causes"),
            (ViewName.RUNS, "calls"),
            (ViewName.EVIDENCE, "matrix"),
        ):
            await person.press(view.key)
            person.app.query_one(f"{view.value.capitalize()}View #{pane}").focus()
            await person.press("end", "enter")
            assert person.app.focused is not None and person.app.focused.id != pane
            await person.press("escape")
            assert (going.here.view, going.view.current.id) == (view, pane)


async def test_a_bug_of_the_screen_ends_it_with_a_report_and_draws_no_values(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Textual would draw every value of the functions that failed, which takes minutes for a session."""
    monkeypatch.setenv("WORKBENCH_STATE_DIR", str(tmp_path / "state"))
    app = WorkbenchApp(desk)
    with pytest.raises(KeyError, match="nowhere"):
        async with app.run_test() as pilot:
            app._handle_exception(KeyError("nowhere"))  # pyright: ignore[reportPrivateUsage]
            await pilot.pause()
    (report,) = (tmp_path / "state").rglob("crash-*.txt")
    assert app.fatal.endswith(f"the workbench has a bug (KeyError: 'nowhere'); the report is in {report}.")
    assert not app._exit_renderables and app.return_code == 1  # pyright: ignore[reportPrivateUsage]
    app.close()


async def test_a_key_of_a_view_leads_to_its_first_pane_or_to_the_text_that_is_edited_there(
    desk: Path,
) -> None:
    async with opened(desk) as person:
        for key in ("A", "P", "R", "M", "E"):
            await person.press(key, "tab", "P" if key != "P" else "A", key)
            assert person.app.focused is person.app.view.first, key
        await person.press("A", "a", "x", "f3", "f2", "y")
        assert "xy" in person.line("xy") and isinstance(person.app.focused, TextArea)
