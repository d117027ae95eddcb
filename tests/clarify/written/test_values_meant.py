"""What the answer that the thing is meant makes of a rule that tests raw text: never its opposite."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book, Effect
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.offered import offered
from workbench.clarify.written.values_meant import typed_values
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.language.trees import text_of
from workbench.model import Json, RecordedCall, Verdict
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "desk"

[tools.send]
cwd = "/repo"

[tools.send.parameters]
type = "object"
required = ["to", "page", "file", "note"]
additionalProperties = false

[tools.send.parameters.properties]
to = {type = "string"}
page = {type = "string"}
file = {type = "string"}
note = {type = "string"}
copies = {type = "array", items = {type = "string"}}

[tools.send.fields]
to = {type = "mail_address"}
page = {type = "url"}
file = {type = "path"}
"copies[]" = {type = "mail_address"}
""")
POLICY = '''"""What the desk may send."""
from agent import Run, Send

DEFAULT = "allow"


def forbid_send(call: Send, run: Run) -> bool:
    """R1: No."""
    return {condition}
'''
EQUAL = {
    'call.to == "ann@corp.example"': 'call.to.address == "ann@corp.example"',
    'call.file == "/repo/a.py"': 'call.file.absolute == "/repo/a.py"',
    'call.page == "https://a.example/x"': '(call.page.host == "a.example" and "/x" in call.page.inside)',
}
"""Raw comparisons and their typed forms."""
TESTED = {
    'call.to.endswith("@corp.example")': 'call.to.domain == "corp.example"',
    'call.to.startswith("ann@")': 'call.to.local == "ann"',
    '"evil.example" in call.page': '"evil.example" in call.page.domains',
    'call.page.startswith("https://a.example")': 'call.page.host == "a.example"',
    'call.file.startswith("/repo/a/")': '"/repo/a" in call.file.inside',
    'call.file.endswith(".py")': '(call.file.suffix == ".py" or call.file.name == ".py")',
}
"""Raw tests that are no comparison."""
FORMS = (
    "{0}",
    "not {0}",
    'call.note == "n" and not {0}',
    'call.note == "n" or {0}',
    "({0} or not {0}) and {0}",
)
VALUES = {
    "to": ("ann@corp.example", "Ann@CORP.example", "bob@corp.example", "eve@evil.example"),
    "page": ("https://a.example/x", "https://A.example/x", "https://evil.example/x", "https://b.example/"),
    "file": ("/repo/a.py", "/repo/b/../a.py", "/repo/a/b.txt", "/etc/passwd"),
    "note": ("n", "m"),
}
CALLS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()})


@cache
def policy_of(condition: str) -> LoweredPolicy:
    return lowered_policy(POLICY.format(condition=condition), AGENT)


def asked_of(condition: str, terms: PolicyTerms | None = None) -> list[Asked]:
    known = policy_of(condition).terms if terms is None else terms
    book = Book(language_of(POLICY.format(condition=condition), AGENT), AGENT, known, ())
    return list(typed_values(book, HolesByRule(book)))


@cache
def meaning_the_thing(condition: str) -> str:
    """The condition after the answer."""
    (asked,) = asked_of(condition)
    (tree,) = asked.effects["value"].said.values()
    return text_of(tree[2])


def forbids(condition: str, call: Mapping[str, Json]) -> bool:
    lowered = policy_of(condition)
    recorded = RecordedCall("r", 0, "send", dict(call))
    given = Extractor(lowered.arguments, AGENT).extract(recorded, Earlier((recorded,), 0))
    return decision_on(compile_policy(lowered.terms), given).verdict is Verdict.DENY


def opposite(raw: str) -> str:
    return raw.replace("==", "!=").replace('" in ', '" not in ')


@settings(max_examples=examples(90))
@given(st.sampled_from(sorted((EQUAL | TESTED).items())), st.sampled_from(FORMS), st.booleans(), CALLS)
def test_a_rule_decides_as_before_wherever_the_text_and_the_thing_agree(
    test: tuple[str, str], form: str, opposed: bool, call: Mapping[str, Json]
) -> None:
    raw, typed = test
    condition = form.format(opposite(raw) if opposed else raw)
    if forbids(raw, call) is forbids(typed, call):
        assert forbids(meaning_the_thing(condition), call) is forbids(condition, call)


@pytest.mark.parametrize("operator", ["==", "!="])
def test_a_comparison_of_two_values_keeps_its_operator_in_the_answer_and_in_the_finding(
    operator: str,
) -> None:
    condition = f"any(c.to {operator} call.to for c in run.earlier(Send))"
    typed = f"c.to.address {operator} call.to.address"
    assert [one.typed for one in policy_of(condition).terms.file.text_tests] == [typed]
    assert meaning_the_thing(condition) == f"any({typed} for c in run.earlier(Send))"


@pytest.mark.parametrize(("raw", "typed"), EQUAL.items())
def test_the_finding_of_an_inequality_says_an_inequality(raw: str, typed: str) -> None:
    (found,) = policy_of(opposite(raw)).terms.file.text_tests
    assert found.typed == (f"not {typed}" if typed.startswith("(") else opposite(typed))


def test_a_typed_form_that_says_the_opposite_is_never_asked_about() -> None:
    condition = 'call.to != "ann@corp.example"'
    terms = policy_of(condition).terms
    (found,) = terms.file.text_tests
    inverted = replace(found, typed=found.typed.replace("!=", "=="))
    assert asked_of(condition)
    assert not asked_of(
        condition, replace(terms, written=replace(terms.file, find_text_tests=lambda: (inverted,)))
    )


def test_a_sentence_is_asked_about_once_whatever_it_tests_and_never_about_signs() -> None:
    signs = '"%" in call.file or "~" in call.file or "@" in call.page or call.file.endswith("/")'
    assert not asked_of(signs)
    several = f'{signs} or call.file.endswith(".py") or "evil.example" in call.page'
    (asked,) = asked_of(several)
    assert asked.about == ("forbid_send",)
    typed = f'{TESTED['call.file.endswith(".py")'].strip("()")} or "evil.example" in call.page.domains'
    assert meaning_the_thing(several) == f"{signs} or {typed}"


def test_a_part_of_a_path_with_several_names_is_a_whole_folder_wherever_it_is() -> None:
    anywhere = '"/srv/app/" in call.file'  # also below another folder, where the folder itself is not
    assert meaning_the_thing(anywhere) == f'{anywhere} or "/srv/app" in call.file.inside'
    below = 'any(place.endswith("/srv/app") for place in call.file.inside)'
    assert meaning_the_thing('"srv/app" in call.file') == below


def test_the_text_of_an_element_of_a_list_is_a_value_of_its_kind() -> None:
    """“x@corp.example.evil.example” contains the domain, and goes elsewhere."""
    outside = 'any("@corp.example" not in one for one in call.copies)'
    assert meaning_the_thing(outside) == 'any(one.domain != "corp.example" for one in call.copies)'


def test_a_host_after_two_slashes_is_a_host() -> None:
    assert meaning_the_thing('"//evil.example" in call.page') == '"evil.example" in call.page.domains'


def test_of_a_url_that_lets_a_call_pass_the_scheme_is_meant_too() -> None:
    begins = 'call.page.startswith("https://a.example/x")'
    host = 'call.page.host == "a.example" and "/x" in call.page.inside'
    assert meaning_the_thing(begins) == host
    assert meaning_the_thing(f"not {begins}") == f'not (call.page.scheme == "https" and {host})'


@pytest.mark.parametrize(
    "condition",
    [
        "call.to.text.lower() != call.to.address",
        "call.to.text != call.to.text.strip()",
        "call.file.strip() == ''",
        "any(c.to.text.lower() != c.to.address for c in run.earlier(Send))",
    ],
)
def test_a_text_compared_with_itself_in_another_form_is_no_test_of_a_thing(condition: str) -> None:
    terms = policy_of(condition).terms
    assert not terms.file.text_tests
    assert not asked_of(condition, terms)


@pytest.mark.parametrize(
    ("condition", "is_offered"),
    [
        ('call.note == "a"', True),
        ('call.note == "a" and call.note == "b"', False),
        ('call.note == "a" or call.note != "a"', False),
        ("call.to.address != call.to.address", False),
        ("any(c.note != c.note for c in run.earlier(Send))", False),
        ("any(c.note != call.note for c in run.earlier(Send))", True),
    ],
)
def test_no_answer_is_offered_whose_rule_holds_on_no_call_or_on_every_one(
    condition: str, is_offered: bool
) -> None:
    raw = 'call.to == "ann@corp.example"'
    (asked,) = asked_of(raw)
    book = Book(language_of(POLICY.format(condition=raw), AGENT), AGENT, policy_of(raw).terms, ())
    language = language_of(POLICY.format(condition=condition), AGENT)
    (node,) = (one for one in ast.parse(language.source).body if isinstance(one, ast.FunctionDef))
    ((tree, _),) = language.trees(node)
    found = offered(book, replace(asked, effects={"value": Effect({"forbid_send": tree})}))
    assert (found is not None) is is_offered
