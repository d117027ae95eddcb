"""No answer by which the thing is meant allows what the text denied, whatever is tested and how."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.values_meant import typed_values
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.language.trees import text_of
from workbench.model import Json, RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

AGENT = """
name = "desk"

[tools.send]
cwd = "{cwd}"
file_system = "{file_system}"
shell = "bash"

[tools.send.parameters]
type = "object"
required = ["to", "page", "file", "line"]
additionalProperties = false

[tools.send.parameters.properties]
to = {{type = "string"}}
page = {{type = "string"}}
file = {{type = "string"}}
line = {{type = "string"}}

[tools.send.fields]
to = {{type = "mail_address"}}
page = {{type = "url"}}
file = {{type = "path"}}
line = {{type = "command"}}
"""
POLICY = '''"""What the desk may send."""
from agent import Send

DEFAULT = "allow"


def {form}_send(call: Send) -> bool:
    """R1: No."""
    return {condition}
'''
TOPS = {"posix": "/repo", "ignore_case": "/repo", "windows": "C:/repo"}
CONSTANTS = {
    "to": ("@corp.example", "corp.example", "ann@", "ann@corp.example", "Corp.Example"),
    "page": ("https://a.example", "https://a.example/x/", "evil.example", "/admin", "http://"),
    "file": (
        r"C:\Finance", "C:/Finance/", r"c:\Finance\Pay", r"\Finance" + "\\", "D:\\", "Finance", "/etc",
        "/srv/app/", "src/", ".PEM", "-secret", "Secret.txt", "tmp-",
    ),
    "line": ("uptime", "rm ", "rm -rf", "git push", "git push --force", "| sh", "git --output"),
}  # fmt: skip
"""Constants by what they are compared with."""
HELD: Mapping[str, tuple[str, ...]] = {
    "to": ("{0}", "ann{0}", "ann@{0}", "{0}corp.example", "ann@x.{0}"),
    "page": ("{0}", "{0}/x", "{0}x", "https://{0}/", "https://h.example{0}", "https://h.example{0}/x"),
    "file": (
        "{0}", r"{0}\payroll.xlsx", "{0}/payroll.xlsx", r"{0}\a\b.txt", "{0}x.txt", r"C:\a{0}x.txt",
        r"C:\a\{0}", "/a/{0}", "/a/x{0}", r"C:\a\x{0}", "/a/{0}/x.txt", r"C:\a\{0}\x.txt",
    ),
    "line": ("{0}", "{0}x", "{0} x", "true; {0}", "curl x {0}"),
}  # fmt: skip
"""Values that have a constant where the thing that it names is meant."""
OTHERS: Mapping[str, tuple[str, ...]] = {
    "to": (
        "eve@evil.example",
        "eve@evil.example, {0}",
        "eve@x{0}",
        "{0}.evil.example",
        "bob@corp.example",
        "ann@evil.example",
    ),
    "page": ("https://x.example/{0}", "http://{0}", "https://x.example/?{0}"),
    "file": ("/x/y", r"D:\x", "/x{0}"),
    "line": ("{0}; rm -rf /", "curl x | sh", "rm -rf / && {0}"),
}
"""Values that name something else, although a constant is in them."""
FORMS = {
    "startswith": "call.{0}.startswith({1!r})",
    "endswith": "call.{0}.endswith({1!r})",
    "in": "{1!r} in call.{0}",
    "==": "call.{0} == {1!r}",
}
PLAIN: Mapping[str, Json] = {"to": "lee@x.example", "page": "https://h.example/", "file": "a", "line": "ls"}


@cache
def policy_of(form: str, condition: str, file_system: str) -> LoweredPolicy:
    agent = read_agent(AGENT.format(cwd=TOPS[file_system], file_system=file_system))
    return lowered_policy(POLICY.format(form=form, condition=condition), agent)


@cache
def asked_of(form: str, condition: str, file_system: str) -> tuple[Asked, ...]:
    agent = read_agent(AGENT.format(cwd=TOPS[file_system], file_system=file_system))
    text = POLICY.format(form=form, condition=condition)
    book = Book(language_of(text, agent), agent, policy_of(form, condition, file_system).terms, ())
    return tuple(typed_values(book, HolesByRule(book)))


def allows(form: str, condition: str, file_system: str, call: Mapping[str, Json]) -> bool:
    agent = read_agent(AGENT.format(cwd=TOPS[file_system], file_system=file_system))
    lowered = policy_of(form, condition, file_system)
    recorded = RecordedCall("r", 0, "send", dict(call))
    given = Extractor(lowered.arguments, agent).extract(recorded, Earlier((recorded,), 0))
    return decision_on(compile_policy(lowered.terms), given).verdict is Verdict.ALLOW


def holds(test: str, constant: str, text: str) -> bool:
    return {
        "startswith": text.startswith(constant), "endswith": text.endswith(constant),
        "in": constant in text, "==": text == constant,
    }[test]  # fmt: skip


TESTED = st.sampled_from([(field, one) for field, texts in CONSTANTS.items() for one in texts])


@settings(max_examples=examples(150), deadline=None)
@given(TESTED, st.sampled_from(sorted(FORMS)), st.sampled_from(sorted(TOPS)), st.booleans(), st.booleans())
def test_what_the_text_denied_stays_denied_where_the_thing_is_meant(
    tested: tuple[str, str], test: str, file_system: str, permits: bool, negated: bool
) -> None:
    field, constant = tested
    form, condition = "permit" if permits else "forbid", FORMS[test].format(field, constant)
    condition = f"not {condition}" if negated else condition
    for asked in asked_of(form, condition, file_system):
        (tree,) = asked.effects["value"].said.values()
        meant = text_of(tree[2])
        held = [text for one in HELD[field] if holds(test, constant, text := one.format(constant))]
        held = [text for text in held if not is_of_another(constant, text)]
        others = [text for one in OTHERS[field] if not holds(test, constant, text := one.format(constant))]
        for text in (*held, *others):
            call = {**PLAIN, field: text}
            if not allows(form, condition, file_system, call):
                assert not allows(form, meant, file_system, call), (condition, meant, text)


def is_of_another(constant: str, text: str) -> bool:
    """Whether a constant is a part of a longer name in a text, or a whole path below another folder."""
    before, _, after = text.partition(constant)
    if before == "curl x " and constant[:1].isalnum():
        return True  # no program is started by what is an argument of one
    begins, ends = before[-1:].isalnum() and constant[:1].isalnum(), constant[-1:].isalnum()
    is_below = bool(before) and constant.startswith("/srv/")
    return begins or is_below or (ends and after[:1].isalnum())


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (r'call.file.startswith("C:\\Finance")', '"c:/finance" in call.file.inside'),
        (r'call.file.startswith("C:\\")', '"c:/" in call.file.inside'),
        (
            r'"\\Finance\\Pay\\" in call.file',
            'any(place.endswith("/finance/pay") for place in call.file.inside)',
        ),
        (r'call.file == "C:\\Finance\\A.txt"', 'call.file.absolute == "c:/finance/a.txt"'),
        (r'"\\Finance\\" in call.file', '"finance" in call.file.names'),
    ],
)
def test_a_path_of_windows_is_written_as_its_parts_are(raw: str, meant: str) -> None:
    (asked,) = asked_of("forbid", raw, "windows")
    (tree,) = asked.effects["value"].said.values()
    assert text_of(tree[2]) == meant
    (finding,) = policy_of("forbid", raw, "windows").terms.file.text_tests
    assert finding.typed == meant


def test_without_case_the_names_of_files_are_in_small_letters() -> None:
    (finding,) = policy_of("forbid", '"Finance" in call.file', "ignore_case").terms.file.text_tests
    assert finding.typed == '"finance" in call.file.names'


def test_a_form_that_would_allow_what_was_denied_is_no_answer() -> None:
    assert not asked_of("forbid", 'call.file.endswith("-secret")', "posix")
    assert not asked_of("forbid", 'call.file.startswith("tmp-")', "posix")
