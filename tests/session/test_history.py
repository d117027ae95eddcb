"""The history of a session: undo across restarts, crashes, outside edits, locks, unsaved texts."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.session.hospital_spec import HOSPITAL
from workbench.author.model.recording import Message, Sent, StoredCall
from workbench.files.file_error import FileError
from workbench.model import Assumption, Json, MadeBy
from workbench.session import FILES, Session, SessionConflict
from workbench.session.journal import FileChange, Journal

ROOT = Path(__file__).parents[2]
ANSWER = Assumption("A1", "default-decision", "deny", "What is not listed is denied.", made_by=MadeBy.HUMAN)


def call(prompt: str) -> dict[str, Json]:
    """A recorded call in its stored form."""
    sent = Sent("question", "m", (Message("user", prompt),), {"type": "object"}, 0.0, None, 100)
    return StoredCall(key=sent.key, sent=sent, reply="{}").model_dump(mode="json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "s"
    Session.create(path, "the request\n", HOSPITAL).close()
    return path


def journal_of(folder: Path) -> Path:
    return folder / ".workbench" / "journal.jsonl"


def answer(session: Session, policy: str = "answered\n") -> None:
    with session.transaction("Answer default-decision"):
        session.set_assumptions([ANSWER])
        session.set_policy(policy)


def test_an_answer_is_one_change_undone_and_redone_across_restarts(folder: Path) -> None:
    with Session.open(folder) as session:
        session.set_policy("drafted\n", "Draft")
        answer(session)
    with Session.open(folder) as session:
        assert [change.label for change in session.history] == ["Draft", "Answer default-decision"]
        change = session.undo()
        assert change is not None
        assert change.label == "Answer default-decision"
        assert (session.written, session.assumptions) == ("drafted\n", ())
    with Session.open(folder) as session:
        assert (session.written, session.assumptions) == ("drafted\n", ())
        assert session.redo() is not None
        assert (session.written, session.assumptions) == ("answered\n", (ANSWER,))
        assert session.redo() is None
    with Session.open(folder) as session:
        session.undo()
        session.undo()
        assert session.undo() is None
        assert session.written == ""
        assert not (folder / "policy.py").exists()
        assert session.notices == []


def test_another_thread_reads_what_was_there_while_a_change_is_made(folder: Path) -> None:
    """It may hold what the change waits for, so it must not wait for the change."""
    with Session.open(folder) as session, ThreadPoolExecutor(1) as other:
        session.set_policy("drafted\n", "Draft")
        with session.transaction("Answer default-decision"):
            session.set_policy("answered\n")
            assert other.submit(lambda: session.written).result(timeout=60) == "drafted\n"
            assert session.written == "answered\n"
        assert other.submit(lambda: session.written).result(timeout=60) == "answered\n"


def test_a_failing_transaction_changes_nothing(folder: Path) -> None:
    with Session.open(folder) as session:
        with pytest.raises(RuntimeError), session.transaction("x"):
            session.set_policy("half\n")
            assert session.written == "half\n"
            raise RuntimeError
        assert (session.written, session.history) == ("", ())


def test_writing_what_is_there_already_is_no_change(folder: Path) -> None:
    with Session.open(folder) as session:
        session.set_request("the request\n")
        session.set_spec(session.spec)
        assert session.history == ()


@settings(deadline=None, max_examples=examples(30))
@given(
    st.lists(st.sampled_from(["edit", "answer", "undo", "redo", "reopen", "outside", "compact"]), max_size=14)
)
def test_undo_returns_to_the_state_before_each_change(
    tmp_path_factory: pytest.TempPathFactory, actions: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("s") / "s"
    session = Session.create(folder, "r", HOSPITAL)
    states, position = [("", "r")], 0
    for count, action in enumerate(actions):
        if action in ("edit", "answer", "outside"):
            before = states[position]
            after = (f"p{count}", before[1]) if action == "edit" else (f"p{count}", f"r{count}")
            if action == "outside":
                (folder / "policy.py").write_text(after[0], encoding="utf-8")
                (folder / "request.md").write_text(after[1], encoding="utf-8")
                assert set(session.refresh()) == {"policy.py", "request.md"}
            else:
                with session.transaction(action):
                    session.set_policy(after[0])
                    session.set_request(after[1])
            states[position + 1 :] = [after]
            position += 1
        elif action == "undo":
            assert (session.undo() is None) == (position == 0)
            position = max(position - 1, 0)
        elif action == "redo":
            assert (session.redo() is None) == (position == len(states) - 1)
            position = min(position + 1, len(states) - 1)
        else:
            session.close()
            if action == "compact":
                Journal.load(journal_of(folder), FILES, writable=True).compact()
            session = Session.open(folder)
        assert (session.written, session.request) == states[position]
    session.close()


def test_an_edit_made_outside_is_noticed_and_both_sides_are_kept(folder: Path) -> None:
    with Session.open(folder) as session:
        session.set_policy("ours\n")
    (folder / "policy.py").write_text("theirs\n", encoding="utf-8")
    with Session.open(folder) as session:
        assert session.written == "theirs\n"
        assert "policy.py" in session.notices[0]
        change = session.undo()
        assert change is not None
        assert change.outside
        assert session.written == "ours\n"
        session.redo()
        assert session.written == "theirs\n"


def test_an_edit_made_outside_while_open_is_not_overwritten_unseen(folder: Path) -> None:
    with Session.open(folder) as session:
        session.set_policy("one\n")
        (folder / "policy.py").write_text("theirs\n", encoding="utf-8")
        with pytest.raises(SessionConflict, match=r"policy.py changed outside"):
            session.set_policy("ours\n")
        assert session.written == "theirs\n"
        session.set_policy("ours\n")
        assert session.written == "ours\n"
        session.undo()
        assert session.written == "theirs\n"
        session.undo()
        assert session.written == "one\n"


def test_an_edit_outside_of_another_file_does_not_stand_in_the_way(folder: Path) -> None:
    with Session.open(folder) as session:
        (folder / "request.md").write_text("theirs\n", encoding="utf-8")
        session.set_policy("ours\n")
        assert (session.written, session.request) == ("ours\n", "theirs\n")


def interrupt(folder: Path, written: int) -> None:
    """Leave a change of policy.py and request.md of which only the first ``written`` files are written."""
    with Session.open(folder) as session:
        session.set_policy("before\n")
    changes = (
        FileChange.between("policy.py", "before\n", "after\n"),
        FileChange.between("request.md", "the request\n", "new request\n"),
    )
    Journal.load(journal_of(folder), FILES, writable=True).record("Answer", changes)
    for change in changes[:written]:
        (folder / change.name).write_text(change.new or "", encoding="utf-8")


def texts(session: Session) -> tuple[str, str]:
    return session.written, session.request


BEFORE, AFTER = ("before\n", "the request\n"), ("after\n", "new request\n")


@pytest.mark.parametrize("written", [0, 1])
@pytest.mark.parametrize("completes", [True, False])
def test_an_interrupted_change_waits_for_a_person_who_completes_or_drops_it(
    folder: Path, written: int, completes: bool
) -> None:
    interrupt(folder, written)
    found = (AFTER[0] if written else BEFORE[0], BEFORE[1])
    for read_only in (True, False):
        with Session.open(folder, read_only=read_only) as session:
            assert texts(session) == found
            assert session.interrupted is not None
            assert "“Answer”" in session.interrupted.state
            assert f"('workbench redo {folder}') completes it" in session.notices[-1]
            assert session.refresh() == ()
    with Session.open(folder) as session:
        with pytest.raises(FileError, match=r"“Answer” .* was interrupted"):
            session.set_cases([])
        session.save_buffer("policy.py", "typed meanwhile\n")
        assert texts(session) == found
        change = session.redo() if completes else session.undo()
        assert change is not None
        assert change.label == "Answer"
        assert texts(session) == (AFTER if completes else BEFORE)
    with Session.open(folder) as session:
        assert session.interrupted is None
        assert texts(session) == (AFTER if completes else BEFORE)
        assert session.buffers["policy.py"].text == "typed meanwhile\n"
        other_way = session.undo() if completes else session.redo()
        assert other_way is not None
        assert texts(session) == (BEFORE if completes else AFTER)


def test_a_change_whose_files_were_all_written_is_not_asked_about(folder: Path) -> None:
    interrupt(folder, written=2)
    with Session.open(folder) as session:
        assert session.interrupted is None
        assert (texts(session), session.notices) == (AFTER, [])
        session.undo()
        assert texts(session) == BEFORE


def test_an_edit_made_after_the_crash_is_kept_whatever_the_person_says(folder: Path) -> None:
    for act in (Session.redo, Session.undo):
        interrupt(folder, written=1)
        (folder / "policy.py").write_text("edited since\n", encoding="utf-8")
        with Session.open(folder) as session:
            act(session)
            assert session.written == "edited since\n"
            assert [session.history[-1].outside, session.undo() is not None] == [True, True]
            assert session.written == (AFTER if act is Session.redo else BEFORE)[0]
            (folder / "request.md").write_text("the request\n", encoding="utf-8")


@pytest.mark.parametrize("completes", [True, False])
def test_an_undo_that_a_crash_interrupted_waits_for_a_person(folder: Path, completes: bool) -> None:
    with Session.open(folder) as session:
        answer(session)
    Journal.load(journal_of(folder), FILES, writable=True).undo()
    (folder / "policy.py").unlink()
    with Session.open(folder) as session:
        assert session.interrupted is not None
        assert (session.written, session.assumptions) == ("", (ANSWER,))
        _ = session.undo() if completes else session.redo()
        assert session.written == ("" if completes else "answered\n")
        assert session.assumptions == (() if completes else (ANSWER,))
        assert len(session.undone) == completes


def test_a_change_that_another_process_is_writing_is_not_interrupted(folder: Path) -> None:
    interrupt(folder, written=1)
    with Session.open(folder) as writer, Session.open(folder, read_only=True) as reader:
        assert writer.interrupted is not None
        assert reader.interrupted is None


STRANGE_NAMES = (
    "../outside",
    ".git/config",
    "policy.py/../.git/config",
    ".GIT/config",
    "logs/../.git/hooks/pre-commit",
    "/tmp/outside",
    ".workbench/.gitignore",
    "calls.jsonl",
    "Policy.py",
    "",
    ".",
)


@pytest.mark.parametrize("name", STRANGE_NAMES)
@pytest.mark.parametrize("applied", [True, False])
def test_a_journal_changes_the_files_of_the_session_only(folder: Path, name: str, applied: bool) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[core]\n", encoding="utf-8")
    with Session.open(folder) as session:
        session.set_policy("before\n")
    file: Json = {"name": name, "old": None, "new": "hostile", "old_sha": "", "new_sha": "x"}
    own: Json = {"name": "policy.py", "old": "before\n", "new": "hostile", "old_sha": "", "new_sha": "x"}
    lines: list[Json] = [{"do": 2, "label": "hostile", "time": "", "files": [own, file]}]
    if applied:
        lines.append({"applied": 2})
    lines.append({"base": {name: {"text": "hostile", "sha": "x"}}, "next": 9})
    with journal_of(folder).open("a", encoding="utf-8") as journal:
        journal.writelines(json.dumps(line) + "\n" for line in lines)
    before = {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}
    with Session.open(folder) as session:
        assert sum("is no file of a session" in notice for notice in session.notices) == 2
        assert session.interrupted is None
        assert [change.label for change in session.history] == ["Edit the policy"]
        session.undo()
        session.redo()
    after = {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}
    own_files = {folder / "policy.py", journal_of(folder), folder / ".workbench" / "lock"}
    assert {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} <= own_files
    assert session.written == "before\n"


def test_nothing_is_written_through_a_second_name_of_a_file(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious, without an end of its line", encoding="utf-8")
    Session.open(folder).close()
    for name in (".workbench/lock", ".workbench/journal.jsonl", "calls.jsonl"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).hardlink_to(outside)
        with pytest.raises(FileError, match="has a second name"), Session.open(folder) as session:
            session.append_call({"a": 1})
        (folder / name).unlink()
    assert outside.read_text(encoding="utf-8") == "precious, without an end of its line"


@settings(deadline=None, max_examples=examples(25))
@given(st.data())
def test_a_journal_cut_anywhere_still_opens(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("s") / "s"
    with Session.create(folder, "r", HOSPITAL) as session:
        answer(session)
        session.set_policy("later\n")
        session.undo()
    whole = journal_of(folder).read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    journal_of(folder).write_bytes(whole[:cut])
    with Session.open(folder) as session:
        assert session.written in ("answered\n", "later\n")
        session.set_policy("after\n")
    with Session.open(folder) as session:
        assert session.written == "after\n"
        assert session.undo() is not None
        assert session.written in ("answered\n", "later\n")


def test_a_damaged_line_in_the_journal_is_skipped_and_said(folder: Path) -> None:
    with Session.open(folder) as session:
        session.set_policy("one\n")
    lines = journal_of(folder).read_bytes().split(b"\n")
    journal_of(folder).write_bytes(b"\n".join([*lines[:-1], b"\x00garbage", b'{"undo": 99}', b""]))
    with Session.open(folder) as session:
        assert session.written == "one\n"
        assert sum("damaged" in note for note in session.notices) == 2
        assert session.undo() is not None


def test_the_journal_stays_bounded_and_keeps_the_recent_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.session.journal.MAX_BYTES", 20_000)
    monkeypatch.setattr("workbench.session.journal.KEEP_BYTES", 5_000)
    with Session.open(folder) as session:
        session.set_request("kept since the start\n")
        for number in range(200):
            session.set_policy(f"{number} {'x' * 200}\n")
    assert journal_of(folder).stat().st_size < 25_000
    (folder / "request.md").write_text("changed outside\n", encoding="utf-8")
    with Session.open(folder) as session:
        assert session.written.startswith("199 ")
        session.undo()
        assert session.request == "kept since the start\n"
        for _ in range(5):
            session.undo()
        assert session.written.startswith("194 ")


def test_a_second_process_may_only_read(folder: Path) -> None:
    with Session.open(folder) as first:
        with Session.open(folder) as second:
            assert second.read_only
            assert f"process {os.getpid()}" in second.notices[0]
            with pytest.raises(FileError, match="cannot be changed"):
                second.set_policy("x")
            with pytest.raises(FileError, match="cannot be changed"):
                second.save_buffer("policy.py", "x")
            with pytest.raises(FileError):
                second.undo()
        first.set_policy("mine\n")
    with Session.open(folder) as third:
        assert not third.read_only


def test_reading_only_leaves_no_trace(folder: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("session.toml", "request.md", "agent.toml"):
        (bare / name).write_bytes((folder / name).read_bytes())
    with Session.open(bare, read_only=True) as session:
        assert session.request == "the request\n"
        assert session.log_paths == ()
    assert sorted(path.name for path in bare.iterdir()) == ["agent.toml", "request.md", "session.toml"]


def test_a_lock_file_left_by_a_dead_process_is_ignored(folder: Path) -> None:
    (folder / ".workbench").mkdir(exist_ok=True)
    (folder / ".workbench" / "lock").write_text("1\n", encoding="utf-8")
    with Session.open(folder) as session:
        assert not session.read_only


def test_the_hidden_folder_ignores_itself_in_git(folder: Path) -> None:
    with Session.open(folder):
        assert (folder / ".workbench" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_unsaved_text_is_kept_and_offered_again_even_if_it_makes_no_sense(folder: Path) -> None:
    text = "def allow(: \x00 half a thought \ud800"
    with Session.open(folder) as session:
        session.save_buffer("policy.py", text)
    with Session.open(folder) as session:
        assert session.buffers["policy.py"].text == text
        assert any("policy.py" in note for note in session.notices)
        session.save_buffer("policy.py", "fixed\n")
        session.set_policy("something else\n")
        assert "policy.py" in session.buffers
        session.set_policy("fixed\n")
        assert session.buffers == {}
        session.save_buffer("policy.py", "a thought\n")
        session.save_buffer("policy.py", session.written)
        assert session.buffers == {}
        session.save_buffer("policy.py", "a thought\n")
        session.set_policy("a thought\n")
        session.save_buffer("note", "x")
        session.drop_buffer("note")
        session.drop_buffer("note")
        assert session.buffers == {}
        with pytest.raises(FileError, match="cannot name"):
            session.save_buffer("../../evil", "x")


def test_links_that_leave_the_folder_are_refused(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("precious\n", encoding="utf-8")
    with Session.open(folder) as session:
        (folder / "policy.py").symlink_to(outside)
        with pytest.raises(FileError, match=r"policy.py: is a link"):
            session.set_policy("x\n")
        (folder / "calls.jsonl").symlink_to(outside)
        with pytest.raises(FileError, match="is a link"):
            session.append_call({"a": 1})
    with pytest.raises(FileError, match="is a link"):
        Session.open(folder)
    (folder / "policy.py").unlink()
    hidden = folder / ".workbench"
    hidden.rename(tmp_path / "elsewhere")
    hidden.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="is a link"):
        Session.open(folder)
    assert outside.read_text(encoding="utf-8") == "precious\n"


def test_nothing_secret_reaches_the_disk(folder: Path) -> None:
    key = "sk-proj-AbCdEfGhIjKlMnOp1234"
    with Session.open(folder) as session:
        session.set_policy(f"# {key}\n")
        assert session.written == "# [redacted]\n"
        session.append_call({**call(f"use {key}"), "reply": f'{{"api_key": "{key}"}}'})
        session.save_buffer("agent.toml", key)
        assert session.calls[0].sent.messages[0].content == "use [redacted]"
        assert session.calls[0].reply == '{"api_key": "[redacted]"}'
    for path in folder.rglob("*"):
        if path.is_file():
            assert key not in path.read_text(encoding="utf-8")


def test_a_key_that_a_person_wrote_into_a_file_is_not_copied_into_the_journal(folder: Path) -> None:
    key = "sk-proj-AbCdEfGhIjKlMnOp1234"
    with Session.open(folder) as session:
        session.set_policy("one\n")
    (folder / "policy.py").write_text(f"# {key}\n", encoding="utf-8")
    for _ in range(2):
        with Session.open(folder) as session:
            assert len(session.history) == 2
            assert session.written == f"# {key}\n"
    assert key not in journal_of(folder).read_text(encoding="utf-8")


def test_calls_survive_a_line_that_was_cut_off(folder: Path) -> None:
    with Session.open(folder) as session:
        session.append_call(call("first"))
        with (folder / "calls.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"key": "2')
        assert [item.sent.messages[0].content for item in session.calls] == ["first"]
        session.append_call(call("third"))
        assert [item.sent.messages[0].content for item in session.calls] == ["first", "third"]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ({"reply": 3}, 'calls.jsonl:2: "reply" must be a string, not a whole number.'),
        ({"sent": {"model": "m"}}, 'calls.jsonl:2: the key "purpose" in [sent] is missing. It is a string.'),
        ({"usage": {"money": "3 EUR"}}, 'calls.jsonl:2: "money" in [usage] must be a number, not a string.'),
        ({"usage": {"mony": 3}}, 'calls.jsonl:2: unknown key "mony" in [usage]. Did you mean "money"?'),
    ],
)
def test_a_line_that_is_no_call_is_refused_with_its_place(
    folder: Path, damage: dict[str, Json], reason: str
) -> None:
    with Session.open(folder) as session:
        session.append_call(call("first"))
        session.append_call({**call("second"), **damage})
        with pytest.raises(FileError) as refused:
            _ = session.calls
    assert str(refused.value) == reason


def test_set_text_refuses_what_cannot_be_read_and_keeps_the_file(folder: Path) -> None:
    with Session.open(folder) as session:
        before = session.text("agent.toml")
        with pytest.raises(FileError, match=r"agent\.toml:1"):
            session.set_text("agent.toml", "name = 1\n")
        with pytest.raises(FileError, match="is not a file of a session"):
            session.set_text("../x", "y")
        assert session.text("agent.toml") == before
        session.set_text("request.md", "other\n")
        assert session.request == "other\n"


def test_no_session_is_created_in_a_folder_with_files(folder: Path) -> None:
    with pytest.raises(FileError, match="not empty"):
        Session.create(folder, "x", HOSPITAL)


WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from workbench.session import Session
    session = Session.open(Path(sys.argv[1]))
    number = int(sys.argv[2])
    print(number, flush=True)
    while True:
        number += 1
        text = f"{number}\\n" + "x" * 20_000
        session.save_buffer("policy.py", text)
        with session.transaction(f"change {number}"):
            session.set_policy(text)
            session.set_request(text)
        print(number, flush=True)
        if number % 7 == 0:
            session.undo()
            session.redo()
    """
)


def test_kill_9_at_any_moment_loses_at_most_the_change_being_made(folder: Path) -> None:
    chance = random.Random(20260105)
    last = 0
    for _ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(last)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        number = 0
        for _ in range(chance.randint(2, 25)):
            number = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split("\n")[:-1]
        process.wait()
        number = int(rest[-1]) if rest else number
        with Session.open(folder) as session:
            if session.interrupted is not None:
                _ = session.redo() if chance.random() < 0.5 else session.undo()
            assert session.written == session.request
            now = int(session.written.split("\n")[0])
            assert number - (number % 7 == 0) <= now <= number + 1
            assert session.written == f"{now}\n" + "x" * 20_000
            if len(session.history) > 1:
                session.undo()
                assert session.written.startswith(f"{now - 1}\n")
                session.redo()
            last = now
    assert not [path for path in folder.iterdir() if path.name not in (*FILES, "logs", ".workbench")]
    assert [path.name for path in (folder / ".workbench" / "buffers").iterdir()] in ([], ["policy.py.json"])
    assert last > 6
    assert all(json.loads(line) for line in journal_of(folder).read_text(encoding="utf-8").splitlines())


def test_every_line_of_the_journal_is_what_its_schema_says(folder: Path) -> None:
    with Session.open(folder) as session:
        session.set_policy("one\n")
        session.set_policy("two\n")
        session.undo()
        session.redo()
        session.undo()
    (folder / "policy.py").unlink()
    with Session.open(folder):
        pass
    lines = journal_of(folder).read_bytes().splitlines()
    Journal.load(journal_of(folder), FILES, writable=True).compact()
    lines += journal_of(folder).read_bytes().splitlines()
    schema = json.loads((ROOT / "docs/reference/schemas/journal.json").read_text())
    records = [json.loads(line) for line in lines]
    assert {next(iter(line)) for line in records} == {"do", "applied", "undo", "redo", "base"}
    validator = jsonschema.Draft202012Validator(schema)
    assert all(validator.is_valid(line) for line in records)
    assert not validator.is_valid({**records[0], "do": "1"})


def test_an_edit_of_a_file_that_was_never_changed_here_is_one_change_to_undo(folder: Path) -> None:
    with Session.open(folder) as session:
        answer(session)
    (folder / "request.md").write_text("edited while nobody had it open\n", encoding="utf-8")
    with Session.open(folder) as session:
        assert session.history[-1].outside
        session.undo()
        assert session.request == "the request\n"
        assert session.assumptions == (ANSWER,)


def test_an_edit_before_the_first_change_is_undone_too(folder: Path) -> None:
    (folder / "request.md").write_text("edited while nobody had it open\n", encoding="utf-8")
    (folder / "policy.py").write_text("written by another program\n", encoding="utf-8")
    with Session.open(folder) as session:
        session.undo()
        assert (session.request, session.written) == ("the request\n", "")
