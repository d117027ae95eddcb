"""Calls that pass because another one came before: what came before is none that the sentence means."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Book
from workbench.clarify.written.asked import DONE, Asked, TriedCall
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import AgentSpec, Json, RecordedCall
from workbench.session.agent_file import read_agent

type Made = tuple[str, Mapping[str, Json], str]
"""A tool, the arguments of a call of it, and its result."""
OF_BASH = """
[tools.bash]
description = "Run a command of the shell."
cwd = "/repo"
shell = "bash"
fields = {command = {type = "command"}}
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
"""
CODING = read_agent(f"""
name = "coding"
{OF_BASH}
[tools.edit_file]
cwd = "/repo"
fields = {{path = {{type = "path"}}}}
parameters = {{type = "object", required = ["path"], properties = {{path = {{type = "string"}}}}}}

[tools.write_file]
cwd = "/repo"
fields = {{path = {{type = "path"}}}}
parameters = {{type = "object", required = ["path"], properties = {{path = {{type = "string"}}}}}}
""")
RELEASES = read_agent("""
name = "releases"

[tools.run_tests.parameters]
type = "object"
properties = {suite = {type = "string"}, dry_run = {type = "boolean"}}

[tools.deploy.parameters]
type = "object"
required = ["service"]
properties = {service = {type = "string"}}
""")
PUSH = '"git push" in call.command.calls and not '
OF_PUSH = {
    "by the program": PUSH + 'any("pytest" in c.command.programs and c.succeeded for c in run.earlier(Bash))',
    "whatever came of it": PUSH + 'any(c.command == "pytest" for c in run.earlier(Bash))',
    "since an edit": PUSH
    + 'any("pytest" in c.command.calls and c.succeeded'
    + " for c in run.since(e for e in run.earlier(EditFile)).earlier(Bash))",
    "by the text": PUSH + 'any("pytest" in c.command and c.succeeded for c in run.earlier(Bash))',
}
HEAD = '"""What may be done."""\nfrom agent import {names}\n\nDEFAULT = "allow"\n\n\n'


def _book(agent: AgentSpec, source: str) -> Book:
    terms = lowered_policy(source, agent).terms
    return Book(language_of(source, agent), agent, terms, ())


def _asked(agent: AgentSpec, source: str) -> list[Asked]:
    book = _book(agent, source)
    return [*witnesses(book, HolesByRule(book), {})]


def _refined(agent: AgentSpec, source: str) -> str:
    """The policy with each question answered with no, one after another."""
    for _ in range(8):
        asked = next((one for one in _asked(agent, source) if CLOSED in one.effects), None)
        if asked is None:
            return source
        language = language_of(source, agent)
        source, _ = with_effect(language, source, asked.effects[CLOSED], open_default=True)
    raise AssertionError(source)


def _is_allowed(agent: AgentSpec, source: str, *run: Made) -> bool:
    """Whether the last call of a run is allowed, after calls with their results."""
    trials = Trials(lowered_policy(source, agent).terms, agent)
    calls = tuple(
        TriedCall(tool, given, RecordedCall("r", at, tool, given, result=result, known_from=at + 1))
        for at, (tool, given, result) in enumerate(run[:-1])
    )
    tool, given, _ = run[-1]
    return trials.confirms((*calls, TriedCall(tool, given)))


def _bash(command: str, result: str = DONE) -> Made:
    return "bash", {"command": command}, result


@pytest.mark.parametrize("condition", OF_PUSH.values(), ids=OF_PUSH)
def test_a_push_after_tests_is_refined_until_only_tests_that_passed_on_these_files_let_it_through(
    condition: str,
) -> None:
    source = HEAD.format(names="Bash, EditFile, Run") + (
        f'def forbid_push(call: Bash, run: Run) -> bool:\n    """R1: Tests."""\n    return {condition}\n'
    )
    asked = _asked(CODING, source)
    assert asked
    assert all(CLOSED in one.effects and len(one.calls) > 1 for one in asked), [
        one.question.text for one in asked
    ]
    refined, push = _refined(CODING, source), _bash("git push origin main")
    tests, edit = _bash("pytest"), ("edit_file", {"path": "/repo/src/a.py"}, DONE)
    whole = ["pytest"] if "==" in condition else ["pytest", "pytest -q --cov", "cd /repo && pytest -q 2>&1"]
    committed = [tests, _bash("git add -A"), _bash("git commit -m x")]
    for good in ([edit, tests], committed, *([_bash(each)] for each in whole)):
        assert _is_allowed(CODING, refined, *good, push), (good, refined)
    for bad in (
        [],
        [_bash("pytest", '{"error": "1 failed"}')],
        [tests, edit],
        [tests, ("write_file", {"path": "/repo/a.py"}, DONE)],
        [tests, _bash("echo x > src/a.py")],
        [tests, _bash("python -c 'x'")],
        *([_bash(each)] for each in ("pytest || true", "pytest --version", "pytest tests/test_one.py")),
        *([_bash(each)] for each in ("pytest&", "(pytest; exit 0)", "pytest || echo failed")),
    ):
        assert not _is_allowed(CODING, refined, *bad, push), (bad, refined)


def test_every_command_that_a_rule_takes_for_tests_still_opens_a_push_with_its_options() -> None:
    named = ("pytest", "make test", "npm test")
    source = HEAD.format(names="Bash, Run") + (
        'def forbid_push(call: Bash, run: Run) -> bool:\n    """R1: Tests."""\n'
        f"    return {PUSH}any(any(p in {set(named)!r} for p in c.command.calls)"
        " and c.succeeded for c in run.earlier(Bash))\n"
    )
    refined, push = _refined(CODING, source), _bash("git push origin main")
    for each in (*named, "pytest -x -q", "python -m pytest -q", "make -j4 test", "timeout 60 pytest tests"):
        assert _is_allowed(CODING, refined, _bash(each), push), each
    for each in ("make test || true", "npm test; true", "make -n test", "python -m pytest -k one"):
        assert not _is_allowed(CODING, refined, _bash(each), push), each


def test_a_tool_of_tests_that_is_told_to_do_a_part_is_asked_about() -> None:
    source = HEAD.format(names="Deploy, RunTests, Run") + (
        'def forbid_deploy(call: Deploy, run: Run) -> bool:\n    """R1: Tests."""\n'
        "    return not any(True for c in run.earlier(RunTests))\n"
    )
    refined, deploy = _refined(RELEASES, source), ("deploy", {"service": "shop"}, DONE)
    assert _is_allowed(RELEASES, refined, ("run_tests", {}, DONE), deploy)
    for given, result in (({"suite": "one"}, DONE), ({"dry_run": True}, DONE), ({}, '{"error": "x"}')):
        assert not _is_allowed(RELEASES, refined, ("run_tests", given, result), deploy)


@pytest.mark.parametrize("tests", [f"{sys.executable} -m pytest", "make test"])
def test_each_command_that_tells_nothing_succeeds_where_the_tests_fail(tests: str, tmp_path: Path) -> None:
    """The questions say so of the shell and of these programs; they are run."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text("def test_one(): pass\n", encoding="utf-8")
    (tmp_path / "tests" / "test_two.py").write_text("def test_two(): assert False\n", encoding="utf-8")
    (tmp_path / "Makefile").write_text(".PHONY: test\ntest:\n\t@false\n", encoding="utf-8")
    word = "make test" if tests.startswith("make") else "pytest"
    source = HEAD.format(names="Bash, Run") + (
        'def forbid_push(call: Bash, run: Run) -> bool:\n    """R1: Tests."""\n'
        f'    return "git push" in call.command.calls and not any("{word}" in c.command.calls'
        " and c.succeeded for c in run.earlier(Bash))\n"
    )
    book = _book(CODING, source)
    holes = [hole for rule in book.rules for hole in HolesByRule(book).of(rule)]
    tries = [one for hole in holes if hole.kind in ("outcome hidden", "done in part") for one in hole.every]
    commands = {str(one.calls[0].arguments["command"]) for one in tries}
    assert len(commands) > 8
    assert _code(tests, tmp_path) != 0
    assert {each: _code(each.replace(word, tests), tmp_path) for each in commands} == dict.fromkeys(
        commands, 0
    )


def _code(command: str, folder: Path) -> int:
    """The exit code of a command of the shell; pytest starts without plugins, as it does so often."""
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=alone, capture_output=True, check=False)
    return done.returncode


EXPENSES = read_agent("""
name = "desk"

[tools.request_approval.parameters]
required = ["expense_id", "amount"]
properties = {expense_id = {type = "string"}, amount = {type = "integer"}, note = {type = "string"}}
[tools.pay_expense.parameters]
required = ["expense_id", "amount"]
properties = {expense_id = {type = "string"}, amount = {type = "integer"}, note = {type = "string"}}
[tools.update_expense.parameters]
required = ["expense_id"]
properties = {expense_id = {type = "string"}, amount = {type = "integer"}}
[tools.withdraw_approval.parameters]
required = ["expense_id"]
properties = {expense_id = {type = "string"}}
[tools.tag_expense.parameters]
required = ["expense_id"]
properties = {expense_id = {type = "string"}}
""")
OF_EXPENSES = {
    "of this one": "c.expense_id == call.expense_id and c.succeeded",
    "of any": "c.succeeded",
}


@pytest.mark.parametrize("condition", OF_EXPENSES.values(), ids=OF_EXPENSES)
def test_an_approval_is_refined_until_it_is_for_what_is_paid_as_it_is_and_for_one_call(
    condition: str,
) -> None:
    source = HEAD.format(names="PayExpense, RequestApproval, Run") + (
        'def forbid_it(call: PayExpense, run: Run) -> bool:\n    """R1: Approved."""\n'
        f"    return not any({condition} for c in run.earlier(RequestApproval))\n"
    )
    texts = " ".join(one.question.text for one in _asked(EXPENSES, source))
    assert "is not that of the call of request_approval before it" in texts
    assert "lets both through" in texts or "comes in between" in texts
    assert "tag_expense" not in texts
    refined = _refined(EXPENSES, source)

    def made(tool: str, expense: str = "E1", amount: int = 0, result: str = DONE) -> Made:
        return tool, {"expense_id": expense} | ({"amount": amount} if amount else {}), result

    paid, approved = made("pay_expense", amount=40), made("request_approval", amount=40)
    update, other = made("update_expense", amount=5000), made("update_expense", "E2", 5000)
    withdrawn, tagged = made("withdraw_approval"), made("tag_expense")
    for good in (
        [approved],
        [update, approved],
        [approved, tagged],
        [approved, other],
        [approved, paid, approved],
    ):
        assert _is_allowed(EXPENSES, refined, *good, paid), (good, refined)
    for bad in (
        [],
        [made("request_approval", amount=40, result='{"error": "no"}')],
        [made("request_approval", "E2", 40)],
        [made("request_approval", amount=4)],
        [approved, update],
        [approved, withdrawn],
        [approved, paid],
    ):
        assert not _is_allowed(EXPENSES, refined, *bad, paid), (bad, refined)


def test_an_approval_that_was_refused_is_shown_as_the_log_tells_it() -> None:
    results = ('{"approved": true, "by": "ann"}', '{"decision": "granted"}', '{"amount": 40}')
    shown = ('tells {"approved": false, "by": "ann"}', 'tells {"decision": "denied"}', "")
    for result, words in zip(results, shown, strict=True):
        call = RecordedCall("r", 0, "request_approval", {"expense_id": "E1", "amount": 40}, result=result)
        book = one_rule(
            EXPENSES,
            "PayExpense",
            "not any(c.succeeded for c in run.earlier(RequestApproval))",
            logged=[call],
        )
        texts = [
            one.question.text
            for one in witnesses(book, HolesByRule(book), {})
            if "said no" in one.question.text
        ]
        assert bool(texts) is bool(words)
        assert words in " ".join(texts)


STATES = read_agent("""
name = "desk"

[tools.enable_filter.parameters]
properties = {}
[tools.disable_filter.parameters]
properties = {}
[tools.disable_account.parameters]
properties = {}
[tools.set_mode.parameters]
required = ["mode"]
properties = {mode = {type = "string", enum = ["test", "live"]}}
[tools.set_dry_run.parameters]
required = ["enabled"]
properties = {enabled = {type = "boolean"}}
[tools.lock_record.parameters]
required = ["record"]
properties = {record = {type = "string"}}
[tools.unlock_record.parameters]
required = ["record"]
properties = {record = {type = "string"}}
[tools.show_record.parameters]
required = ["record"]
properties = {record = {type = "string"}}
[tools.act.parameters]
required = ["record"]
properties = {record = {type = "string"}}
""")
R1: Mapping[str, Json] = {"record": "r1"}
OF_STATES: Mapping[str, tuple[str, Made, Made, Made]] = {
    "EnableFilter": ("c.succeeded", ("enable_filter", {}, DONE), ("disable_filter", {}, DONE),
                     ("disable_account", {}, DONE)),
    "SetMode": ('c.mode == "test" and c.succeeded', ("set_mode", {"mode": "test"}, DONE),
                ("set_mode", {"mode": "live"}, DONE), ("set_mode", {"mode": "test"}, DONE)),
    "SetDryRun": ("c.enabled and c.succeeded", ("set_dry_run", {"enabled": True}, DONE),
                  ("set_dry_run", {"enabled": False}, DONE), ("set_dry_run", {"enabled": True}, DONE)),
    "LockRecord": ("c.record == call.record and c.succeeded", ("lock_record", R1, DONE),
                   ("unlock_record", R1, DONE), ("show_record", R1, DONE)),
}  # fmt: skip
"""What a rule asks for of a call before, by its class: one that sets it, undoes it, or is beside."""


@pytest.mark.parametrize("name", OF_STATES)
def test_what_was_set_before_must_not_be_undone_in_between(name: str) -> None:
    condition, sets, undoes, beside = OF_STATES[name]
    source = HEAD.format(names=f"Act, {name}, Run") + (
        f'def forbid_it(call: Act, run: Run) -> bool:\n    """R1: Set."""\n'
        f"    return not any({condition} for c in run.earlier({name}))\n"
    )
    assert _is_allowed(STATES, source, sets, undoes, ("act", R1, ""))
    refined = _refined(STATES, source)
    for good in ([sets], [sets, beside], [undoes, sets], [sets, undoes, sets]):
        assert _is_allowed(STATES, refined, *good, ("act", R1, "")), (good, refined)
    for bad in ([], [sets, undoes]):
        assert not _is_allowed(STATES, refined, *bad, ("act", R1, "")), (bad, refined)
