"""Rules about earlier calls that other rules never let run: asked about, and what each answer lets run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.clarify.written.one_rule import book_of
from workbench.app.answered_rules import with_effect
from workbench.clarify.written import Asked, Book
from workbench.clarify.written import idle_rules as module
from workbench.clarify.written.asked import MEANT, TriedCall
from workbench.clarify.written.idle_rules import DROP, idle_rules
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.smt.preview import deciding_beside
from workbench.files.kept_texts import KeptText, KeptTexts
from workbench.policy.terms import PolicyTerms, Term
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


def asked_of(
    condition: str, denying: list[tuple[str, str]], kept: KeptText | None = None
) -> tuple[list[Asked], Book]:
    """The questions about a rule of fetches with a condition, beside rules that deny other calls."""
    rules = [("Fetch", condition), *denying]
    source = HEAD + "".join(
        f"\n\ndef forbid_{number}(call: {name}, run: Run) -> bool:\n"
        f'    """R{number}: No."""\n    return {said}\n'
        for number, (name, said) in enumerate(rules)
    )
    book = replace(book_of(source, AGENT), kept=kept)
    return [one for one in idle_rules(book) if "denied" in one.question.text], book


@pytest.mark.parametrize("kind", DENIED)
def test_a_rule_about_calls_that_never_run_is_asked_about(kind: str) -> None:
    condition, denying = DENIED[kind]
    (asked,), book = asked_of(condition, denying)
    assert asked.about == tuple(f"forbid_{number}" for number in range(len(denying) + 1))
    assert [one.value for one in asked.question.options] == [DROP, "others", MEANT]
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


WITHOUT_WORDS = 'call.path.suffix == ".{0}" if isinstance(call, ReadFile) else call.url.host == "a.example"'


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each search for rules that deny calls whether the solver is to know; a search takes one."""
    known: list[bool] = []

    def search(terms: PolicyTerms, calls: Term, bodies: Sequence[Term]) -> tuple[int, ...] | None:
        return deciding_beside(terms, calls, bodies) if known.pop() else None

    monkeypatch.setattr(module, "deciding_beside", search)
    return known


def test_what_was_found_is_kept_until_a_rule_changes_that_has_no_words(searched: list[bool]) -> None:
    kept = KeptText(KeptTexts("a test"), "policy")
    for suffix, is_new in (("txt", True), ("txt", False), ("csv", True)):
        searched += [True] * 4 * is_new
        rules = [("ReadFile", KEYS), ("ReadFile | Fetch", WITHOUT_WORDS.format(suffix))]
        (asked,), book = asked_of(AFTER, rules, kept)
        assert len(book.rules) == len(book.terms.rules) - 1
        assert asked.about == ("forbid_0", "forbid_1")
        assert len(searched) < 4 or not is_new
        searched.clear()


@pytest.mark.parametrize(("denied", "is_asked"), [('call.path.suffix == ".pem"', False), (KEYS, True)])
def test_what_the_solver_does_not_know_is_searched_again(
    searched: list[bool], denied: str, is_asked: bool
) -> None:
    kept, rules = KeptText(KeptTexts("a test"), "policy"), [("ReadFile", denied)]
    searched += [False] * 4
    assert not asked_of(AFTER, rules, kept)[0]
    searched += [True] * 4
    assert bool(asked_of(AFTER, rules, kept)[0]) is is_asked
    searched.clear()  # of what is known nothing is asked again
    assert bool(asked_of(AFTER, rules, kept)[0]) is is_asked


@pytest.mark.parametrize(("kind", "denying"), [("some", ()), ("all", (0,)), ("never", ())])
def test_the_rules_that_deny_calls_are_told_from_none(kind: str, denying: tuple[int, ...]) -> None:
    reads = {
        "some": ("True", 'call.path.suffix == ".pem"'),
        "all": ('call.path.suffix == ".pem"', KEYS),
        "never": ('call.path.suffix == ".pem" and call.path.suffix == ".key"', KEYS),
    }
    source = HEAD + "".join(
        f'\n\ndef forbid_{number}(call: ReadFile) -> bool:\n    """R1: No."""\n    return {said}\n'
        for number, said in enumerate(reads[kind])
    )
    terms = lowered_policy(source, AGENT).terms
    own, other = terms.rules
    assert deciding_beside(terms, own.body, [other.body]) == denying
