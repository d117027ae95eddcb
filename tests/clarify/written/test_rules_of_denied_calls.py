"""Rules about earlier calls that other rules never let run: asked about, and what each answer lets run."""

from __future__ import annotations

import pytest

from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.asked import MEANT, TriedCall
from workbench.clarify.written.idle_rules import DROP, idle_rules
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.lowered_policy import lowered_policy
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "coder"

[tools.read_file]
cwd = "/repo"
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
[tools.fetch]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
[tools.run_tests]
parameters = {type = "object", properties = {name = {type = "string"}}}
""")
HEAD = '''"""What the coder may do."""

from agent import Fetch, Path, ReadFile, Run, RunTests

DEFAULT = "allow"


def is_key(path: Path) -> bool:
    """whether a path is that of a key"""
    return path.suffix in {".pem", ".key"}
'''
KEYS = 'call.path.suffix == ".pem" or call.path.suffix == ".key"'
AFTER = "any(is_key(c.path) and c.succeeded for c in run.earlier(ReadFile))"
DENIED = {
    "by one rule": (AFTER, [("ReadFile", KEYS)]),
    "by two rules": (
        AFTER,
        [("ReadFile", 'call.path.suffix == ".pem"'), ("ReadFile", 'call.path.suffix == ".key"')],
    ),
    "by a wider rule": (AFTER, [("ReadFile", '"/repo" in call.path.inside or is_key(call.path)')]),
    "all calls": ("not any(c.succeeded for c in run.earlier(RunTests))", [("RunTests", "True")]),
    "counted": ("sum(1 for c in run.earlier(ReadFile) if is_key(c.path)) > 1", [("ReadFile", KEYS)]),
}
RUNNING: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "some": (AFTER, [("ReadFile", 'call.path.suffix == ".pem"')]),
    "of another tool": (AFTER, [("Fetch", 'call.url.host == "a.example"')]),
    "all calls": ("not any(c.succeeded for c in run.earlier(ReadFile))", [("ReadFile", KEYS)]),
    "no rule": (AFTER, []),
}  # fmt: skip


def asked_of(condition: str, denying: list[tuple[str, str]]) -> tuple[list[Asked], Book]:
    """The questions about a rule of fetches with a condition, beside rules that deny other calls."""
    rules = [("Fetch", condition), *denying]
    source = HEAD + "".join(
        f"\n\ndef forbid_{number}(call: {name}, run: Run) -> bool:\n"
        f'    """R{number}: No."""\n    return {said}\n'
        for number, (name, said) in enumerate(rules)
    )
    book = Book(language_of(source, AGENT), AGENT, lowered_policy(source, AGENT).terms, ())
    return [one for one in idle_rules(book) if "denied" in one.question.text], book


@pytest.mark.parametrize("kind", DENIED)
def test_a_rule_about_calls_that_never_run_is_asked_about(kind: str) -> None:
    condition, denying = DENIED[kind]
    (asked,), book = asked_of(condition, denying)
    assert asked.about == tuple(f"forbid_{number}" for number in range(len(denying) + 1))
    assert [one.value for one in asked.question.options] == [MEANT, DROP, "others"]
    key = TriedCall("run_tests" if kind == "all calls" else "read_file", {"path": "/repo/a.key"})
    fetch = TriedCall("fetch", {"url": "https://b.example/"})
    texts = {
        value: with_effect(book.language, book.language.source, effect, open_default=True)[0]
        for value, effect in asked.effects.items()
    }
    trials = {
        value: Trials(lowered_policy(text, AGENT).terms, AGENT)
        for value, text in {MEANT: book.language.source, **texts}.items()
    }
    assert {value: one.allows((key,)) for value, one in trials.items()} == {
        MEANT: False, DROP: False, "others": True,
    }  # fmt: skip
    assert trials[DROP].allows((fetch,))
    if kind not in ("all calls", "counted"):
        assert not trials["others"].allows((key, fetch))


@pytest.mark.parametrize("kind", RUNNING)
def test_a_rule_about_calls_of_which_some_run_is_not_asked_about(kind: str) -> None:
    assert not asked_of(*RUNNING[kind])[0]
