"""What is proved of settings and their session, against both as they decide; and the languages in it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from tests.examples import examples
from tests.settings.test_carried import CLAUDE, OPENCODE, VERDICTS, spec, verdicts
from tests.settings.test_matching import claude, read
from workbench.dialect.call_types import agent_types
from workbench.model import Verdict
from workbench.settings.carried import carried
from workbench.settings.languages import Language, Languages
from workbench.settings.proved_difference import ToolDifference, proved_difference
from workbench.settings.rules import Settings

LEVELS = [Verdict.ALLOW, Verdict.ASK, Verdict.DENY]
ATOMS = st.sampled_from(["a", "b", "(?:a|b)", "[^a]"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        inner.map("(?:{})*".format),
    ),
    max_leaves=5,
)


def difference(settings: Settings, tool: str, old: str = "", new: str = "") -> ToolDifference:
    """What is proved of a tool, maybe of a policy in which a text is replaced."""
    made = carried(settings, spec(), "Settings")
    assert old in made.policy
    class_ = next(name for name, call in agent_types(made.spec).calls.items() if call.tool == tool)
    return proved_difference(settings, made.policy.replace(old, new), class_, tool)


def language(languages: Languages, pattern: str) -> Language:
    """The language of an expression of the random ones."""
    compiled = re.sub(r"\(\?:", "(", pattern)
    found, rest = _alternatives(languages, compiled)
    assert rest == ""
    return found


def _alternatives(languages: Languages, text: str) -> tuple[Language, str]:
    parts, one = list[Language](), languages.empty
    while text and text[0] != ")":
        if text[0] == "|":
            parts, one, text = [*parts, one], languages.empty, text[1:]
            continue
        if text[0] == "(":
            inner, text = _alternatives(languages, text[1:])
            text = text[1:]
        elif text[0] == "[":
            inner, text = languages.sign(text[2], but=True), text[4:]
        else:
            inner, text = languages.literal(text[0]), text[1:]
        if text[:1] == "*":
            inner, text = languages.repeated(inner), text[1:]
        one = languages.joined(one, inner)
    return languages.any_of([*parts, one]), text


@given(PATTERNS, PATTERNS)
@settings_of(max_examples=examples(150), deadline=None)
def test_a_language_without_another_is_empty_or_has_such_a_text(one: str, other: str) -> None:
    """Independent: Python's expressions on all short texts."""
    languages = Languages()
    rest = languages.all_of((language(languages, one), languages.without(language(languages, other))))
    text = languages.shortest(rest)
    texts = [""] + [a + b + c for a in "abx" for b in ("", *"abx") for c in ("", *"abx")]
    expected = [each for each in texts if re.fullmatch(one, each) and not re.fullmatch(other, each)]
    if text is None:
        assert expected == []
    else:
        assert re.fullmatch(one, text) and not re.fullmatch(other, text)
        assert all(len(each) >= len(text) for each in expected)


RULES = st.sampled_from(
    [
        ".env",
        "*.pem",
        ".env*",
        "a*a",
        "secrets/**",
        "src/gen",
        "//etc/**",
        "/docs/**",
        "~/x",
        "*",
        "**",
        "**/k",
        "d/*.x",
        "?",
    ]
)
NAMES = st.sampled_from(
    ["repo", ".env", "a.pem", "secrets", "src", "gen", "etc", "docs", "k", "a", "aba", "x"]
)
PATHS = st.lists(NAMES, max_size=4).map(lambda names: "/" + "/".join(names))


@given(
    st.lists(st.tuples(st.sampled_from(["deny", "ask", "allow"]), RULES), min_size=1, max_size=4),
    PATHS,
    PATHS,
    st.booleans(),
)
@settings_of(max_examples=examples(60), deadline=None)
def test_what_is_proved_of_random_settings_holds_on_random_files(
    rules: list[tuple[str, str]], path: str, project: str, of_claude: bool
) -> None:
    by_word = {
        word: [f"Edit({glob})" for own, glob in rules if own == word] for word in ("deny", "ask", "allow")
    }
    last = {glob.removesuffix("/**"): word for word, glob in rules if glob.strip("*")}
    opencode = json.dumps({"permission": {"edit": {"*": "ask", **last}}})
    settings = claude(**by_word) if of_claude else read("opencode.json", opencode)
    found = difference(settings, "Edit")
    if found.unproved or carried(settings, spec(), "Settings").lost:
        return
    assert no_other(settings, path, project, stricter=bool(found.stricter), laxer=bool(found.laxer))
    for one in found.stricter.values():
        assert no_other(settings, one.text, one.project, stricter=True, laxer=False)
    for one in found.laxer.values():
        assert no_other(settings, one.text, one.project, stricter=False, laxer=True)


def no_other(settings: Settings, path: str, project: str, *, stricter: bool, laxer: bool) -> bool:
    """Whether the session decides an edit as the settings do, or otherwise as is said."""
    call = ("Edit", {"file_path": path, "old_string": "", "new_string": ""})
    (verdict,) = verdicts(settings, spec(), [call], project, project=project)
    more = LEVELS.index(verdict) - LEVELS.index(VERDICTS[settings.decide("Edit", path, project)[0]])
    return more == 0 or (stricter if more > 0 else laxer)


def test_the_session_of_settings_is_laxer_about_no_file_page_or_tool() -> None:
    for settings in (claude(**CLAUDE), read("opencode.json", json.dumps({"permission": OPENCODE}))):
        for tool in ("Read", "Edit", "Write", "WebFetch", "Glob"):
            found = difference(settings, tool)
            assert (found.laxer, found.unproved) == ({}, "")
    assert difference(claude(deny=["WebFetch(domain:a.test)", "mcp__hub__x"]), "WebFetch") == ToolDifference()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name == ".env"', 'name == ".env."'),
        ('any(name == ".env" for name in path.names)', 'path.name == ".env"'),
        (' or run.context.project == "/" and "/secrets" in path.inside', ""),
        ('name.endswith(".pem")', 'name.endswith("x.pem")'),
        ('return denies_1(call)', 'return False'),
    ],
)  # fmt: skip
def test_a_session_that_closes_less_is_found_with_a_call(old: str, new: str) -> None:
    settings = claude(deny=["Read(.env)", "Read(*.pem)", "Read(secrets/**)"])
    found = difference(settings, "Read", old, new)
    (rule, call), *_ = found.laxer.items()
    assert settings.decide("Read", call.text, call.project)[1] is not None and rule.startswith("Read(")


def test_of_a_path_that_is_too_long_nothing_is_proved() -> None:
    assert difference(claude(deny=[f"Read(/{'a' * 3000})"]), "Read") == ToolDifference(
        unproved="there are too many cases"
    )


def test_cedar_policies_are_the_same_in_the_session() -> None:
    settings = read(
        "p.cedar",
        'permit(principal, action == Action::"pay", resource) '
        "when { context.input.amount < 100 && !(context.rush) };\n"
        'forbid(principal, action == Action::"pay", resource) when { context.currency == "RUB" };',
    )
    assert difference(settings, "pay") == ToolDifference()
    assert difference(settings, "pay", "call.amount < 100", "call.amount < 200").laxer
