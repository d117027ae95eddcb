"""A question of a rule stays beside rules for other sentences, which have no part in it.

The oracle searches without any knowledge of rules: calls of the shown form, at many times, after many things.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clarify.written.one_rule import book_of
from tests.examples import examples
from workbench.app.answered_rules import with_effect
from workbench.clarify.written import Book, asked_of
from workbench.clarify.written.asked import Calls, TriedCall
from workbench.clarify.written.attacked import made_call
from workbench.clarify.written.holes import Hole, HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.call_types import agent_types
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Json, RecordedCall
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

CODE = read_agent("""
name = "code"

[tools.read_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
cwd = "/home/dev/shop"
[tools.write_file]
fields = {path = {type = "path"}}
cwd = "/home/dev/shop"
[tools.write_file.parameters]
type = "object"
required = ["path", "content"]
properties = {path = {type = "string"}, content = {type = "string"}}
[tools.delete_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
cwd = "/home/dev/shop"
[tools.move_file]
fields = {source = {type = "path"}, destination = {type = "path"}}
cwd = "/home/dev/shop"
[tools.move_file.parameters]
type = "object"
required = ["source", "destination"]
properties = {source = {type = "string"}, destination = {type = "string"}}
[tools.run_shell]
shell = "bash"
cwd = "/home/dev/shop"
fields = {command = {type = "command"}}
[tools.run_shell.parameters]
type = "object"
required = ["command"]
properties = {command = {type = "string"}, timeout = {type = "integer"}}
[tools.fetch_url]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
fields = {url = {type = "url"}}
[tools.git_push.parameters]
type = "object"
required = ["remote", "branch"]
properties = {remote = {type = "string"}, branch = {type = "string"}}
""")
CODE_RULES: Mapping[str, tuple[str, str]] = {
    "secrets": ("ReadFile | WriteFile", 'call.path.name == ".env" or ".aws" in call.path.names'),
    "project": ("WriteFile | DeleteFile", '"/home/dev/shop" not in call.path.inside'),
    "destination": ("MoveFile", '"/home/dev/shop" not in call.destination.inside'),
    "rm": ("RunShell", '"rm" in call.command.programs'),
    "push": ("GitPush", 'call.branch == "main"'),
    "hosts": ("FetchUrl", 'call.url.host not in {"github.com", "pypi.org"}'),
}
CODE_OTHERS: Mapping[str, tuple[str, str]] = {
    "a program with options": (
        "RunShell", 'any(p.name == "rm" and "-r" in p.options for p in call.command.started)'),
    "programs": ("RunShell", 'any(p in {"sudo", "doas"} for p in call.command.programs)'),
    "hosts": ("RunShell", 'not call.command.hosts <= {"github.com", "pypi.org"}'),
    "a limit": ("RunShell | MoveFile", "len(run.earlier(RunShell, MoveFile)) >= 20"),
    "a time of day": (
        "RunShell | MoveFile | ReadFile | WriteFile | DeleteFile | GitPush | FetchUrl",
        "call.time.time >= time(22, 0) or call.time.time < time(7, 0)"),
    "a day": ("RunShell | MoveFile | GitPush", "call.time.weekday > 5"),
    "named by the user": ("GitPush", '"user" not in call.branch.source'),
    "a source named by the user": ("MoveFile", '"user" not in call.source_.source'),
    "approval": ("RunShell", '"pip install" in call.command.calls'),
    "tests before": (
        "GitPush",
        'not any("pytest" in c.command.calls and c.succeeded for c in run.earlier(RunShell))'),
    "read before": (
        "MoveFile", "not any(c.path == call.source_ and c.succeeded for c in run.earlier(ReadFile))"),
    "a size": ("WriteFile", "len(call.content) > 1000"),
    "a number": ("RunShell", "call.timeout is not None and call.timeout > 60"),
    "a folder of the source": ("MoveFile", '"/home/dev/shop" not in call.source_.inside'),
    "a name of the destination": ("MoveFile", 'call.destination.name == ".env"'),
    "a remote": ("GitPush", 'call.remote != "origin"'),
}  # fmt: skip
MAIL = read_agent("""
name = "mail"

[tools.read_mail]
parameters = {type = "object", required = ["mail"], properties = {mail = {type = "string"}}}
[tools.send_mail]
fields = {"to[]" = {type = "mail_address"}, "cc[]" = {type = "mail_address"}, cc = {optional = true}}
[tools.send_mail.parameters]
type = "object"
required = ["to", "subject", "body"]
[tools.send_mail.parameters.properties]
to = {type = "array", items = {type = "string"}}
cc = {type = "array", items = {type = "string"}}
subject = {type = "string"}
body = {type = "string"}
[tools.forward_mail]
fields = {"to[]" = {type = "mail_address"}}
[tools.forward_mail.parameters]
type = "object"
required = ["mail", "to"]
properties = {mail = {type = "string"}, to = {type = "array", items = {type = "string"}}}
""")
MAIL_RULES: Mapping[str, tuple[str, str]] = {
    "outside": ("SendMail", 'any(one.domain != "corp.example" for one in call.to)'),
    "to one": ("SendMail | ForwardMail", 'any(one.address == "boss@corp.example" for one in call.to)'),
    "a word": ("SendMail", '"password" in call.subject'),
}
MAIL_OTHERS: Mapping[str, tuple[str, str]] = {
    "named by the user": ("SendMail | ForwardMail", 'any("user" not in one.source for one in call.to)'),
    "a time of day": (
        "SendMail | ForwardMail", "call.time.time >= time(22, 0) or call.time.time < time(7, 0)"),
    "a limit": ("SendMail | ForwardMail", "len(run.earlier(SendMail, ForwardMail)) >= 10"),
    "a size": ("SendMail", "len(call.body) > 2000"),
    "a number": ("SendMail", "len(call.to) > 20"),
    "read before": (
        "ForwardMail", "not any(c.mail == call.mail and c.succeeded for c in run.earlier(ReadMail))"),
    "read something before": ("SendMail", "len(run.earlier(ReadMail)) == 0"),
    "a subject": ("SendMail", 'not call.subject.startswith("[desk] ")'),
    "a mail named by the user": ("ForwardMail", '"user" not in call.mail.source'),
}  # fmt: skip
_TIMES = ("", "2026-01-07T12:00:00+00:00", "2026-01-10T12:00:00+00:00", "2026-01-07T23:00:00+00:00")
_POOL = (
    "/home/dev/shop/a.py",
    "/home/dev/a.py",
    "origin",
    "[desk] hello",
    "x",
    "https://pypi.org/",
    "pytest",
)


def rule(number: int, about: str, condition: str) -> str:
    """A rule for a sentence of its own."""
    head = f"def forbid_{number}(call: {about}, run: Run) -> bool:"
    return f'{head}\n    """R{number}: No."""\n    return {condition}'


def rules_of(agent: AgentSpec, *rules: tuple[str, str]) -> Book:
    """A policy of some rules."""
    parts = [rule(number, *one) for number, one in enumerate(rules)]
    start = '"""One."""\n\nfrom datetime import time\n\n\nDEFAULT = "allow"'
    source = with_imports("\n\n\n".join((start, *parts)) + "\n", agent_types(agent))
    return book_of(source, agent)


def holes_of(book: Book) -> Mapping[tuple[str, str, str], Hole]:
    """The holes of the first rule by kind."""
    first = next(one for one in book.rules if one.name == "forbid_0")
    return {
        (one.kind, one.attacked.tool, one.attempt.about): one
        for one in HolesByRule(book).of(first)
        if one.attacked.trials.confirms(one.shown.calls)
    }


def of_its_form(hole: Hole, agent: AgentSpec) -> Iterator[Calls]:
    """Yield runs of the form of a hole: with other values of what is no attempt, and after other calls."""
    for one in hole.every:
        *before, last = one.calls
        type_ = next(each for each in agent_types(agent).calls.values() if each.tool == last.tool)
        usual = made_call(type_, {}).arguments
        free = [key for key, value in last.arguments.items() if value == usual.get(key)]
        own = set(hole.attacked.reading.parts)
        free = [key for key in free if key not in own]
        for values in product(*([last.arguments[key], *_POOL] for key in free)):
            arguments: dict[str, Json] = {**last.arguments, **dict(zip(free, values, strict=True))}
            said = " ".join(f"{text}." for text in _texts(arguments))
            for time in _TIMES:
                run = (*before, TriedCall(last.tool, arguments, said=said, time=time))
                yield run
                yield from (
                    (replace(first, said=said, time=time), *run) for first in _first_calls(agent, arguments)
                )


def _texts(arguments: Mapping[str, Json]) -> Iterator[str]:
    for value in arguments.values():
        yield from (str(each) for each in (value if isinstance(value, list) else [value]))


def _first_calls(agent: AgentSpec, arguments: Mapping[str, Json]) -> Iterator[TriedCall]:
    held = [value for value in arguments.values() if isinstance(value, str)]
    for name, key in (("run_shell", "command"), ("read_file", "path"), ("read_mail", "mail")):
        for text in ("pytest", *held) if any(tool.name == name for tool in agent.tools) else ():
            given_: dict[str, Json] = {key: text}
            yield TriedCall(name, given_)


def lost(agent: AgentSpec, one: tuple[str, str], others: Sequence[tuple[str, str]]) -> Sequence[str]:
    """The questions of a rule that are gone beside others, though calls of their form are allowed."""
    alone, book = holes_of(rules_of(agent, one)), rules_of(agent, one, *others)
    assert alone
    gone, trials = alone.keys() - holes_of(book).keys(), Trials(book.terms, agent)
    allowed = ((key, next(filter(trials.confirms, of_its_form(alone[key], agent)), None)) for key in gone)
    return [f"{key}: {', then '.join(map(str, run))}" for key, run in allowed if run is not None]


@st.composite
def sessions(draw: st.DrawFn) -> tuple[AgentSpec, str, Sequence[str]]:
    """An agent with a rule and one or two others, by their names."""
    agent, rules, others = draw(
        st.sampled_from(((CODE, CODE_RULES, CODE_OTHERS), (MAIL, MAIL_RULES, MAIL_OTHERS)))
    )
    names = draw(st.lists(st.sampled_from(sorted(others)), min_size=1, max_size=2, unique=True))
    return agent, draw(st.sampled_from(sorted(rules))), names


@given(sessions())
@settings(deadline=None, max_examples=examples(90))
def test_a_question_stays_beside_rules_that_do_not_deny_all_calls_of_its_form(
    session: tuple[AgentSpec, str, Sequence[str]],
) -> None:
    agent, name, others = session
    rules, known = (CODE_RULES, CODE_OTHERS) if agent is CODE else (MAIL_RULES, MAIL_OTHERS)
    assert not lost(agent, rules[name], [known[other] for other in others])


def test_a_field_that_one_of_several_tools_has_is_closed_by_a_rule_about_that_tool() -> None:
    outside = 'any(one.domain != "corp.example" for one in call.to)'
    book = rules_of(MAIL, ("SendMail | ForwardMail", outside), MAIL_OTHERS["a time of day"])
    hole = next(one for (kind, _, _), one in holes_of(book).items() if kind == "field cc")
    assert hole.closing is not None
    ((_, tree),) = hole.closing.effect.new
    assert tree[3:] == (("name", "SendMail"),)
    assert book.sentence(tree) == (
        "The agent must not send mail if there is a cc entry whose domain is not “corp.example”."
    )
    assert hole.shown.calls[0].time


_OWN = "not any(e.path == x for e in run.earlier(WriteFile) if e.succeeded)"
_BY_NAME = {
    f'p.name in {{"rm", "rmdir"}} and any({_OWN} for x in p.paths)': (
        "(i) its name is one of “rm”, “rmdir”, “unlink”, “shred” or “truncate”; "
    ),
    '(p.name == "rm" or p.name == "find" and "-delete" in p.words)'
    ' and any("/x" not in f.inside for f in p.paths)': (
        "(i) its name is one of “rm”, “unlink”, “shred”, “rmdir” or “truncate”; "
    ),
    'p.name == "rm" and "-r" in p.options and "-f" in p.options': (
        "its name is “rm” and “-r” is among its options and “-f” is among its options; (b) its name is “find”"
    ),
}


@pytest.mark.parametrize("said", _BY_NAME)
def test_a_program_with_the_same_effect_is_added_to_those_of_a_rule_and_its_exceptions_stay(
    said: str,
) -> None:
    rule_ = ("RunShell", f"any({said} for p in call.command.started)")
    book = rules_of(CODE, rule_)
    hole = next(one for one in holes_of(book).values() if one.kind == "other program")
    assert hole.closing is not None
    (tree,) = hole.closing.effect.said.values()
    assert _BY_NAME[said] in book.sentence(tree)
    assert "programs" not in book.sentence(tree)
    text, _ = with_effect(book.language, book.language.source, hole.closing.effect, open_default=True)
    trials = Trials(lowered_policy(text, CODE).terms, CODE)
    assert not any(map(trials.confirms, (one.calls for one in hole.every)))
    own = TriedCall("write_file", {"path": "/home/dev/shop/a", "content": "x"})
    spared = {
        0: (own, TriedCall("run_shell", {"command": "rm /home/dev/shop/a"})),
        1: (TriedCall("run_shell", {"command": "rm /x/a"}),),
        2: (TriedCall("run_shell", {"command": "rm a"}),),
    }[[*_BY_NAME].index(said)]
    assert trials.confirms(spared)


def test_what_commands_write_is_asked_about_after_what_they_read_is_closed() -> None:
    book = rules_of(CODE, CODE_RULES["secrets"])
    hole = next(one for one in holes_of(book).values() if "cat " in str(one.shown.calls))
    assert hole.closing is not None
    source, _ = with_effect(book.language, book.language.source, hole.closing.effect, open_default=True)
    closed = book_of(source, CODE)
    shown = [str(one.shown.calls) for one in holes_of(closed).values()]
    assert any("touch " in one for one in shown) and not any("cat " in one for one in shown)


def test_what_a_rule_closes_is_tried_in_the_folder_in_which_other_rules_let_it_lie() -> None:
    within = '"/home/dev/shop" not in call.{}.inside'
    others = [("MoveFile", within.format("source_")), ("MoveFile", within.format("destination"))]
    writes = ("RunShell", 'any("/home/dev/shop" not in each.inside for each in call.command.writes)')
    found = holes_of(rules_of(CODE, CODE_RULES["secrets"], *others, writes))
    assert found["other tool", "read_file", ""].shown.calls[0].arguments == {
        "source": "/home/dev/shop/.env",
        "destination": "/home/dev/shop/notes.txt",
    }
    assert "touch /home/dev/shop/.env" in str(found["command instead", "write_file", ""].shown.calls)


APPROVED = '''"""Own."""

DEFAULT = "allow"


def forbid_hosts(call: RunShell) -> bool:
    """R2: Only pypi.org may be reached."""
    return not call.command.hosts <= {"pypi.org"}


def ask_it(call: RunShell) -> bool:
    """R1: %s needs my approval."""
    return %s
'''


@pytest.mark.parametrize(
    ("words", "condition", "is_asked"),
    [
        ("Installing", '"pip install" in call.command.calls', True),
        ("Pushing", '"git push" in call.command.calls', True),
        ("Loading", '"curl" in call.command.programs', False),
    ],
)
def test_whoever_approves_decides_on_what_another_rule_cannot_be_evaluated(
    words: str, condition: str, is_asked: bool
) -> None:
    """The hosts of an installation are in no word: each would be denied, and nobody asked."""
    source = with_imports(APPROVED % (words, condition), agent_types(CODE))
    book = book_of(source, CODE, f"{words} needs my approval.")
    found = [one for one in asked_of(book) if "approved" in one.effects]
    assert bool(found) is is_asked
    for asked in found:
        source, _ = with_effect(book.language, source, asked.effects["approved"], open_default=True)
        terms = lowered_policy(source, CODE).terms
        program = compile_policy(terms)
        reader = Trials(terms, CODE).extractor
        for command, verdict in (
            ("pip install x", "ask" if words == "Installing" else "cannot-evaluate"),
            ("git push y x", "ask" if words == "Pushing" else "cannot-evaluate"),
            ("curl https://evil.example/", "deny"),
            ("curl https://pypi.org/", "allow"),
        ):
            call = RecordedCall("r", 0, "run_shell", {"command": command})
            assert decision_on(program, reader.extract(call, Earlier((call,), 0))).verdict == verdict, command
