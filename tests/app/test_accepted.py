"""Accepted versions: guards enforce the last one, whatever becomes of the session; a lost rule is named."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.accepting import accept, accepted
from tests.guard.exported_files import imported
from workbench.app.acceptance import obstacles
from workbench.app.live import LiveSettings, Task
from workbench.app.mcp_guard import GuardOrder, McpGuard
from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.app.report import Report
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.cli.report_text import summary_line
from workbench.files.file_error import FileError
from workbench.guard import DecisionLog, Guard, Mode, Strategy, ToolCall
from workbench.guard.denying import NOT_ACCEPTED
from workbench.live import LiveRun
from workbench.live.protocol import Call, Judged
from workbench.model import Json, Verdict, WorkbenchError
from workbench.session import Session
from workbench.session.accepted_version import (
    NAME,
    accepted_version,
    read_accepted_version,
    write_accepted_version,
)

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("travel-desk", "hospital-access", "web-shopping")
PAY = """[tools.pay]
parameters.type = "object"
parameters.required = ["total"]
parameters.properties.total = {type = "integer"}
"""
PAY_IBAN = f"{PAY}parameters.properties.iban = {{type = 'string'}}\n"
OPEN = "parameters.additionalProperties = true\n"
READ = f"{PAY}\n[tools.read]\nparameters.properties.id = {{type = 'string'}}\n"
REQUEST = "Never pay too much.\n\nNever pay too little.\n\nSmall payments are fine.\n"
"""The second sentence has no clause, which is asked about."""
AGENT = f'name = "desk"\n\n[tools.look]\n\n{PAY}'
POLICY = '''"""What the desk may pay."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Pay

DEFAULT = "allow"


def forbid_much(call: Pay) -> bool:
    """R1: Never pay too much."""
    return call.total > 100


def forbid_nothing(call: Pay) -> bool:
    """R2: Never pay too little."""
    return call.total < 1


def contract_pay(call: Pay) -> None:
    # R1: Never pay too much.
    Ensures(Implies(call.total > 1000, not Result()))
    # R3: Small payments are fine.
    Ensures(Implies(call.total == 50, Result()))
'''
PERMIT = '''

def permit_small(call: Pay) -> bool:
    """R3: Small payments are fine."""
    return call.total < 90
'''
WIDER = POLICY.replace("total > 100\n", "total > 500\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    session = tmp_path / "desk"
    session.mkdir()
    (session / "session.toml").write_text('format = 1\nname = "desk"\n')
    (session / "request.md").write_text(REQUEST)
    (session / "agent.toml").write_text(AGENT)
    (session / "policy.py").write_text(POLICY)
    return session


@pytest.fixture
def bench(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """The session, whose clauses the preview proves: no verifier is started."""
    with closing(Workbench.open(folder)) as bench:
        monkeypatch.setattr(bench.proof, "prove", bench.proof.preview)
        yield bench


class Desk:
    """A world that pays whatever it is told."""

    def __init__(self, _task: Task) -> None:
        """Begin with any task."""

    @classmethod
    def tasks(cls) -> Sequence[Task]:
        return (Task("one", "Pay."),)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        return f"{tool} {arguments}"

    def judge(self) -> Judged:
        return Judged(task_done=False)


def guarded(folder: Path, notes: list[str] | None = None) -> Guard:
    """A guard of the session in a folder, as the commands make it."""
    with closing(Workbench.open_to_guard(folder)) as bench:
        said = [] if notes is None else notes
        return bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, note=said.append)


def verdict(guard: Guard, total: int) -> Verdict:
    return guard.run().check(ToolCall("pay", {"total": total})).decision.verdict


def edit(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)


def unasked(report: Report) -> list[Owed]:
    """What is not in force and no question asks about."""
    return [item for item in not_in_force(report.owed) if not item.question]


def open_names(bench: Workbench) -> list[str]:
    return [question.id for question in bench.questions.understand().open]


# --- guards enforce the accepted version -------------------------------------------


def remove_request(folder: Path) -> None:
    (folder / "request.md").unlink()


CHANGES: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: edit(folder, "policy.py", WIDER), "policy.py"),
    (lambda folder: edit(folder, "policy.py", "import os\n"), "policy.py"),
    (lambda folder: edit(folder, "request.md", "Members may pay.\n"), "request.md"),
    (lambda folder: edit(folder, "agent.toml", AGENT.replace(".total", ".sum")), "agent.toml"),
    (lambda folder: edit(folder, "agent.toml", "name = [\n"), "cannot be read"),
    (lambda folder: (folder / "policy.py").write_bytes(b"\xff\xfe"), "cannot be read"),
    (lambda folder: edit(folder, "assumptions.toml", "x = 1\n"), "cannot be read"),
    (lambda folder: edit(folder, "session.toml", "format = 99\n"), "cannot be read"),
    (remove_request, "cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "word"), CHANGES)
def test_an_edited_stale_or_broken_session_is_guarded_as_accepted_and_says_so(
    folder: Path, change: Callable[[Path], object], word: str
) -> None:
    accept(folder)
    notes: list[str] = []
    guard = guarded(folder, notes)
    assert notes == []
    change(folder)
    for each in (guard, guarded(folder, notes)):
        assert (verdict(each, 100), verdict(each, 300)) == (Verdict.ALLOW, Verdict.DENY)
    (note,) = notes
    assert "version accepted" in note and word in note and "\n" not in note


def test_the_history_of_a_broken_session_is_no_news_to_a_guard(folder: Path) -> None:
    with closing(Workbench.open(folder)) as bench:
        bench.request.set("Members may pay nothing.\n")
    edit(folder, "agent.toml", "name = [\n")
    with closing(Workbench.open_to_guard(folder)) as guarding:
        assert guarding.session.notices == []


def test_a_session_that_was_never_accepted_denies_every_call_and_says_what_to_do(folder: Path) -> None:
    notes: list[str] = []
    outcome = guarded(folder, notes).run().check(ToolCall("look", {}))
    (violation,) = outcome.decision.violations
    assert not outcome.runs and violation.rule == NOT_ACCEPTED
    assert f"workbench check {folder} --accept" in violation.message
    assert notes == [violation.message]


def test_a_program_that_guards_by_a_session_is_warned(folder: Path) -> None:
    accept(folder)
    edit(folder, "policy.py", WIDER)
    with closing(Workbench.open(folder)) as bench, pytest.warns(UserWarning, match="differs from it in"):
        bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE)


def test_a_guard_keeps_its_version_and_undo_brings_the_version_before_back(bench: Workbench) -> None:
    folder = bench.session.path
    accepted(bench)
    old = guarded(folder)
    bench.session.set_policy(WIDER)
    accepted(bench)
    assert (verdict(old, 300), verdict(guarded(folder), 300)) == (Verdict.DENY, Verdict.ALLOW)
    assert bench.session.undo() is not None
    assert verdict(guarded(folder), 300) is Verdict.DENY
    bench.session.undo()
    bench.session.undo()
    assert bench.session.accepted_version is None
    assert verdict(guarded(folder), 1) is Verdict.DENY


def test_the_exported_file_is_the_accepted_version_and_names_it(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "exported.py"
    assert main(["export", str(folder), "--output", str(file)]) == 1
    assert not file.exists()
    accept(folder)
    edit(folder, "policy.py", "broken (\n")
    assert main(["export", str(folder), "--output", str(file)]) == 0
    version = Session.open(folder).accepted_version
    assert version is not None
    assert f"# accepted: {version.when} by a test, {version.sha256[:12]}" in file.read_text().splitlines()
    guard = imported(file).guard()
    assert (verdict(guard, 100), verdict(guard, 300)) == (Verdict.ALLOW, Verdict.DENY)


def test_live_runs_are_guarded_and_replayed_by_the_accepted_version(folder: Path, tmp_path: Path) -> None:
    accept(folder)
    edit(folder, "policy.py", WIDER)

    def act(run: LiveRun) -> None:
        run.act([Call("pay", {"total": 300})])

    with closing(Workbench.open_to_guard(folder)) as bench:
        report = bench.live.run(act, Desk, LiveSettings(log=tmp_path / "log.jsonl"))
    assert (report.results[0].refused, report.decided, report.alike) == (1, 1, 1)
    assert len(report.notices) == 1 and "policy.py" in report.notices[0]


def test_the_mcp_guard_says_which_version_it_enforces(folder: Path) -> None:
    accept(folder)
    edit(folder, "agent.toml", "name = [\n")
    notes: list[str] = []
    with closing(Workbench.open_to_guard(folder)) as bench:
        McpGuard(GuardOrder(), [bench.policy], notes.append)
    assert len(notes) == 1 and "guarded by the version accepted" in notes[0]


SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("desk")

@server.tool()
def pay(total: int) -> str:
    "Pays."
    return f"paid {total}"

server.run("stdio")
"""


@pytest.mark.parametrize("known", [True, False])
def test_a_real_mcp_server_gets_what_the_accepted_version_allows(
    folder: Path, tmp_path: Path, known: bool
) -> None:
    mcp = pytest.importorskip("mcp")
    pytest.importorskip("mcp.server.mcpserver")
    if known:
        accept(folder)
    edit(folder, "agent.toml", "name = [\n")
    edit(folder, "policy.py", WIDER)
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    words = ["-c", "import sys; from workbench.cli import main; sys.exit(main())", "guard", "mcp"]
    server = mcp.StdioServerParameters(
        command=sys.executable, args=[*words, str(folder), "--", sys.executable, str(script)]
    )

    async def paid() -> list[bool]:
        async with mcp.Client(server) as client:
            return [bool((await client.call_tool("pay", {"total": total})).is_error) for total in (100, 300)]

    assert asyncio.run(paid()) == [not known, True]


# --- an accepted.toml from somebody else ----------------------------------------------


def forged(folder: Path, **texts: str) -> None:
    """Replace texts of the accepted version, with a correct hash."""
    version = read_accepted_version((folder / NAME).read_text())
    assert version is not None
    whole = {**version.texts, **{name.replace("__", "."): text for name, text in texts.items()}}
    made = accepted_version(version.when, version.by, whole, version.files)
    (folder / NAME).write_text(write_accepted_version(made))


FORGERIES: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: edit(folder, NAME, (folder / NAME).read_text().replace("> 100", "> 900")), "changed"),
    (lambda folder: forged(folder, policy__py="import os\nos.system('true')\n"), "cannot be enforced"),
    (lambda folder: forged(folder, agent__toml="name = [\n"), "cannot be enforced"),
    (lambda folder: forged(folder, agent__toml=f"{AGENT}fields.total.type = 'x'\n"), "cannot be enforced"),
    (lambda folder: forged(folder, session__toml="format = 9\n"), "cannot be enforced"),
    (lambda folder: edit(folder, NAME, "when = [1, 2]\n"), "cannot be read"),
    (lambda folder: edit(folder, NAME, 'when = "now"\nby = "x"\n'), "cannot be read"),
    (lambda folder: edit(folder, NAME, "x" * 3_000_000), "cannot be read"),
    (lambda folder: edit(folder, NAME, "\x00"), "cannot be read"),
    (
        lambda folder: edit(folder, NAME, (folder / NAME).read_text() + '"../x.py" = "x"\n'),
        "cannot be read",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("forge", "word"), FORGERIES)
def test_a_hostile_accepted_version_is_not_enforced(
    folder: Path, forge: Callable[[Path], object], word: str
) -> None:
    accept(folder)
    forge(folder)
    guard = guarded(folder)
    decision = guard.run().check(ToolCall("pay", {"total": 1})).decision
    assert decision.verdict is Verdict.DENY
    (violation,) = decision.violations
    assert violation.rule == NOT_ACCEPTED and word in violation.message


def test_the_texts_have_the_names_of_files_that_a_guard_reads(folder: Path) -> None:
    accept(folder)
    text = (folder / NAME).read_text()
    for name in ("../policy.py", ".git/config", "logs/x", "cases.toml"):
        with pytest.raises(FileError, match="no file that a guard reads"):
            read_accepted_version(text.replace('"policy.py" = \'', f'"{name}" = "x"\n"policy.py" = \'', 1))


# --- accepting -----------------------------------------------------------------------


def test_only_what_is_good_or_named_is_accepted(bench: Workbench) -> None:
    missing = bench.accept().missing
    assert missing and all(obstacle.by_name for obstacle in missing)
    assert bench.session.accepted_version is None
    assert bench.accept([obstacle.name for obstacle in missing]).done
    version = bench.session.accepted_version
    assert version is not None and version.unchanged
    assert set(version.anyway) == {obstacle.name for obstacle in missing}
    assert bench.enforced.notice == ""
    with pytest.raises(WorkbenchError, match="Nothing that is open is named 'forbid_much'"):
        bench.accept(["forbid_much"])


def test_a_lost_rule_is_accepted_by_its_name_alone(bench: Workbench) -> None:
    questions = open_names(bench)
    assert bench.accept(questions).done
    bench.session.set_policy(WIDER)
    report = bench.check()
    (widening,) = unasked(report)
    assert (widening.kind, widening.name) == (OwedKind.WIDENING, "forbid_much")
    assert "total = " in widening.reason and report.exit_code == 1
    assert [obstacle.name for obstacle in bench.accept(questions).missing] == ["forbid_much"]
    assert verdict(guarded(bench.session.path), 300) is Verdict.DENY
    assert bench.accept([*questions, "forbid_much"]).done
    assert not unasked(bench.check())
    assert verdict(guarded(bench.session.path), 300) is Verdict.ALLOW


def test_what_is_wrong_cannot_be_accepted_by_name(bench: Workbench) -> None:
    bench.session.set_policy(POLICY.replace("total > 1000", "total > 50"))
    names = [obstacle.name for obstacle in obstacles(bench.check())]
    assert "C1" in names
    assert "C1" in [obstacle.name for obstacle in bench.accept(names).missing]
    edit(bench.session.path, "policy.py", "nonsense (\n")
    bench.session.refresh()
    assert not bench.accept([obstacle.name for obstacle in obstacles(bench.check())]).done
    assert bench.session.accepted_version is None


DAMAGES: list[Callable[[str], str] | None] = [
    lambda text: text.replace("R1: Never pay", "R1: never pay"),
    lambda text: text.replace('when = "2', 'when = "3'),
    lambda _text: "",
    None,
]


@pytest.mark.parametrize("damaged", DAMAGES)
def test_a_damaged_or_removed_accepted_version_hides_no_widening(
    bench: Workbench, damaged: Callable[[str], str] | None
) -> None:
    questions = open_names(bench)
    assert bench.accept(questions).done
    file = bench.session.path / NAME
    text = file.read_text()
    if damaged is None:
        file.unlink()
    else:
        assert damaged(text) != text
        file.write_text(damaged(text))
    with closing(Workbench.open(bench.session.path, read_only=True)) as reader:
        assert [item.name for item in reader.in_force.missing() if not item.question] == [NAME], (
            "before it is in the journal"
        )
    bench.session.refresh()
    bench.session.set_policy(WIDER)
    assert [item.name for item in unasked(bench.check())] == [NAME]
    assert [obstacle.name for obstacle in bench.accept(questions).missing] == [NAME]
    assert bench.accept([*questions, NAME]).done
    assert not unasked(bench.check())


def test_an_acceptance_that_is_undone_leaves_a_session_that_was_never_accepted(bench: Workbench) -> None:
    assert bench.accept(open_names(bench)).done
    assert bench.session.undo() is not None
    assert not unasked(bench.check())


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (PAY, f"{PAY}\n[tools.wipe]\n", ["tools.wipe"]),
        (PAY, f"{PAY}\n[tools.wipe]\n\n[tools.erase]\n", ["tools.wipe", "tools.erase"]),
        (PAY, PAY_IBAN, ["tools.pay"]),
        (f"{PAY}{OPEN}", f"{PAY_IBAN}{OPEN}", []),
        (READ, f"{READ}parameters.properties.more = {{type = 'string'}}\n", []),
        (PAY_IBAN, PAY, ["tools.pay"]),
        (PAY_IBAN, PAY_IBAN.replace("iban", "account"), ["tools.pay"]),
        (PAY_IBAN, f"{PAY_IBAN}parameters.properties.note = {{type = 'string'}}\n", ["tools.pay"]),
        (PAY, f"{PAY}description = 'Pays.'\n", []),
        (PAY_IBAN, f"{PAY_IBAN}\n[tools.pay.fields.iban]\nnormal = 'code'\n", ["tools.pay"]),
        (PAY, f"{PAY}cwd = '/srv'\n", ["tools.pay"]),
        (PAY, f"{PAY}{OPEN}", ["tools.pay"]),
        (PAY.replace('"integer"', '"integer", maximum = 9'), PAY, ["tools.pay"]),
        (PAY, PAY.replace('"integer"', '"integer", description = "EUR"'), []),
        (PAY, f"{PAY}[context.role]\ntype = 'str'\n", ["context"]),
        (PAY, f"{PAY}[synonyms]\npay = 'transfer'\n", []),
    ],
)
def test_a_tool_that_the_accepted_version_does_not_know_or_reads_otherwise_is_a_widening(
    bench: Workbench, old: str, new: str, named: list[str]
) -> None:
    """No proof of the policy covers these: it takes the tool as any text."""
    agent = AGENT.replace(PAY, old)
    bench.session.set_text("agent.toml", agent)
    accepted(bench)
    bench.session.set_text("agent.toml", agent.replace(old, new))
    found = [item.name for item in unasked(bench.check())]
    assert [name for name in found if name not in ("forbid_much", "forbid_nothing")] == named
    questions = open_names(bench)
    for number in range(len(found)):
        missing = [obstacle.name for obstacle in bench.accept([*questions, *found[:number]]).missing]
        assert missing == found[number:], "each is accepted by its own name"
    assert bench.accept([*questions, *found]).done


def test_a_tool_whose_calls_the_policy_denies_is_no_widening(bench: Workbench) -> None:
    bench.session.set_policy(POLICY.replace('DEFAULT = "allow"', 'DEFAULT = "deny"') + PERMIT)
    accepted(bench)
    bench.session.set_text("agent.toml", AGENT.replace(PAY, f"{PAY}\n[tools.wipe]\n"))
    assert "tools.wipe" not in [item.name for item in unasked(bench.check())]


def test_a_session_that_changes_while_it_is_checked_is_not_accepted(bench: Workbench) -> None:
    questions = open_names(bench)

    def check() -> Report:
        report = bench.check()
        edit(bench.session.path, "policy.py", WIDER)
        return report

    with pytest.raises(WorkbenchError, match="changed while it was checked"):
        bench.acceptance.accept(check, questions)
    assert bench.session.accepted_version is None


def test_diff_names_the_accepted_version(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(folder), "accepted"]) == 2
    accept(folder)
    edit(folder, "policy.py", WIDER)
    capsys.readouterr()
    assert main(["diff", str(folder), "accepted"]) == 1
    assert "forbid_much fired" in capsys.readouterr().out


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_sessions_are_guarded_as_they_are(name: str, tmp_path: Path) -> None:
    copy = tmp_path / name
    shutil.copytree(ROOT / "sessions" / name, copy, ignore=shutil.ignore_patterns(".workbench"))
    with closing(Workbench.open_to_guard(copy)) as bench:
        assert bench.enforced.notice == ""
        assert bench.enforced.version is not None
        assert bench.enforced.version.terms == bench.policy.terms()


def test_a_denial_without_an_accepted_version_is_in_the_log(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with closing(Workbench.open_to_guard(folder)) as bench:
        guard = bench.policy.guard(
            Strategy.BLOCK_CALL, mode=Mode.ENFORCE, log=DecisionLog(log), note=lambda _note: None
        )
    guard.run("one").check(ToolCall("pay", {"total": 1}))
    line = json.loads(log.read_text().splitlines()[0])
    assert line["decision"] == "deny" and line["violations"][0]["rule"] == NOT_ACCEPTED


def _pays_less(bench: Workbench) -> None:
    bench.session.set_policy(POLICY.replace("total > 100\n", "total > 90\n"))


def _looks_no_more(bench: Workbench) -> None:
    bench.agent.put_text(AGENT.replace("[tools.look]\n\n", ""), "No tool looks")


@pytest.mark.parametrize(("narrow", "name"), [(_pays_less, "forbid_much"), (_looks_no_more, "tools.look")])
def test_what_guards_let_run_and_the_session_denies_is_not_in_force_until_it_is_accepted(
    bench: Workbench, narrow: Callable[[Workbench], None], name: str
) -> None:
    assert bench.accept(tuple(obstacle.name for obstacle in obstacles(bench.check()))).done
    narrow(bench)
    report = bench.check()
    assert report.exit_code == 1
    assert name in [item.name for item in report.owed if item.kind is OwedKind.NARROWING]
    assert name not in [obstacle.name for obstacle in obstacles(report)]
    accepted = bench.accept(tuple(obstacle.name for obstacle in obstacles(report)))
    assert accepted.done
    assert not [
        item for item in (*accepted.report.owed, *bench.check().owed) if item.kind is OwedKind.NARROWING
    ]


def test_a_check_that_is_good_says_that_guards_deny_or_run_another_version(
    folder: Path, bench: Workbench
) -> None:
    anyway = tuple(obstacle.name for obstacle in obstacles(bench.check()))
    assert bench.accept(anyway).done
    assert said_at_the_end(bench).endswith("every clause is proved.")
    bench.session.set_policy(POLICY + "\n# the same rules\n")
    assert "But guards run another version" in said_at_the_end(bench)
    (folder / NAME).unlink()
    shutil.rmtree(folder / ".workbench")
    with closing(Workbench.open(folder, read_only=True)) as fresh:
        fresh.proof.prove = bench.proof.prove
        assert "But guards deny every call" in said_at_the_end(fresh)
        guard = fresh.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, note=lambda _note: None)
        with guard.run() as run:
            assert run.check(ToolCall("look", {})).decision.verdict is Verdict.DENY


def said_at_the_end(bench: Workbench) -> str:
    """The last line of a check of a session of which all else is good."""
    return summary_line(replace(bench.check(), open=(), owed=()))
