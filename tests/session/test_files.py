"""The files of a session: exact round trips, preserved comments, and errors with their places."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.session.hospital_spec import HOSPITAL
from workbench.files.file_error import FileError
from workbench.model import (
    Accepted,
    AgentSpec,
    ArgumentType,
    Assumption,
    Case,
    Demonstration,
    Extraction,
    Json,
    Kind,
    MadeBy,
    TextReading,
    Tool,
    Value,
    Verdict,
)
from workbench.redact import ASSIGNED, PATTERNS, redact, redact_json
from workbench.session import Session, SessionInfo, session_files
from workbench.session.accepted_version import read_accepted_version
from workbench.session.agent_file import read_agent, write_agent
from workbench.session.merged_draft import read_drafted
from workbench.session.session_files import read_accepted, write_accepted

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
DATETIMES = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])) | (
    st.datetimes()
)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9),
    TEXTS,
    st.frozensets(TEXTS, max_size=5),
    st.dates(),
    st.times(),
    DATETIMES.filter(lambda moment: 2 < moment.year < 9998),
)
NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
CASES = st.builds(
    Case,
    id=TEXTS,
    arguments=st.dictionaries(NAMES, VALUES, max_size=4),
    expected=st.sampled_from(Verdict),
    reason=TEXTS,
    requirements=st.lists(TEXTS, max_size=3).map(tuple),
    origin=st.sampled_from(["generated", "human", "log", "counterexample", "mutant"]),
)
JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


TOOLS = st.builds(
    Tool,
    name=TEXTS,
    description=TEXTS,
    parameters=st.dictionaries(TEXTS, JSON, max_size=3),
    class_name=st.just("Act"),
)


def typed(cases: tuple[Case, ...]) -> list[object]:
    """The cases with the type of every value, which equality ignores (``True == 1``)."""
    return [
        (case, [(name, type(value).__name__) for name, value in sorted(case.arguments.items())])
        for case in cases
    ]


@settings(deadline=None)
@given(st.lists(CASES, max_size=4, unique_by=lambda case: case.id).map(tuple))
def test_every_value_survives_the_round_trip_through_cases_toml(cases: tuple[Case, ...]) -> None:
    text = session_files.write_cases(cases)
    assert typed(session_files.read_cases(text)) == typed(cases)
    assert session_files.write_cases(cases, text) == text


@settings(deadline=None)
@given(*[st.lists(CASES, max_size=4, unique_by=lambda case: case.id).map(tuple)] * 2)
def test_updating_cases_in_place_gives_what_writing_them_afresh_means(
    before: tuple[Case, ...], after: tuple[Case, ...]
) -> None:
    text = session_files.write_cases(after, session_files.write_cases(before))
    assert typed(session_files.read_cases(text)) == typed(after)


SIX = tuple(Case(f"c{number}", {"total": number}, Verdict.ALLOW, "why") for number in range(6))


@settings(deadline=None, max_examples=examples(40))
@given(
    st.lists(
        st.sampled_from([*SIX, Case("new", {"total": 9}, Verdict.DENY, "new")]),
        max_size=7,
        unique_by=lambda case: case.id,
    ),
    st.sets(st.integers(0, 5)),
    st.booleans(),
)
def test_what_stands_between_cases_that_stay_stays_byte_for_byte(
    after: list[Case], commented: set[int], changed: bool
) -> None:
    text = session_files.write_cases(SIX)
    for number in commented:
        line = f'id = "c{number}"'
        text = text.replace(line, f"{line}   # about {number}\n# and more of it")
    if changed and after:
        after[0] = replace(after[0], reason="another")
    written = session_files.write_cases(after, text)
    assert session_files.read_cases(written) == tuple(after)
    ids = {case.id for case in after}
    for number in range(6):
        stays = number in commented and f"c{number}" in ids
        assert (f'id = "c{number}"   # about {number}\n# and more of it\n' in written) is stays


def test_what_looks_like_a_case_in_a_text_is_none() -> None:
    cases = [replace(case, reason="a\n[[case]]\nid = 1") for case in SIX]
    text = session_files.write_cases(cases).replace('id = "c1"', 'id = "c1"  # mine')
    assert "\n[[case]]\nid = 1" in text
    cases[4] = replace(cases[4], expected=Verdict.DENY)
    written = session_files.write_cases(cases, text)
    assert session_files.read_cases(written) == tuple(cases)
    assert "# mine" in written
    # As many headings as there are cases, but the first of them is in a text.
    odd = re.sub(r"^\[\[case\]\](?=\nid = .c)", "[[ case ]]", text, flags=re.MULTILINE)
    written = session_files.write_cases(cases, odd)
    assert session_files.read_cases(written) == tuple(cases)
    assert "# mine" in written


@settings(deadline=None, max_examples=examples(50))
@given(
    st.lists(TOOLS, max_size=3, unique_by=lambda tool: tool.name).map(tuple),
    st.dictionaries(TEXTS, st.lists(TEXTS, max_size=3).map(tuple), max_size=3),
    st.dictionaries(TEXTS, TEXTS, max_size=3),
)  # fmt: skip
def test_any_agent_spec_survives_the_round_trip(
    tools: tuple[Tool, ...], lists: dict[str, tuple[str, ...]], synonyms: dict[str, str]
) -> None:
    type_, extraction = ArgumentType(Kind.DECIMAL, places=3), Extraction("regex", {"deep": [1, {"a": 0.5}]})
    reading = TextReading("years", type_, extraction, "x")
    spec = AgentSpec("a", "b", tools, (), lists, synonyms, readings=(reading,))
    text = write_agent(spec)
    assert read_agent(text) == spec
    assert write_agent(spec, text) == text


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=4, max_size=4), TEXTS, st.booleans())
def test_demonstrations_survive_the_round_trip(plan: list[str], text: str, enabled: bool) -> None:
    item = Demonstration("d1", text, text, (plan[0], plan[1], plan[2], plan[3]), text, enabled)
    assert session_files.read_memory(session_files.write_memory([item])) == (item,)


ASSUMPTIONS = st.builds(
    Assumption,
    id=TEXTS,
    question=TEXTS,
    value=TEXTS,
    statement=TEXTS,
    when=st.sampled_from(["", "2026-01-05T10:00:00Z"]),
    requirements=st.lists(TEXTS, max_size=3).map(tuple),
    why=TEXTS,
    made_by=st.sampled_from(MadeBy),
)


@settings(deadline=None)
@given(ASSUMPTIONS, st.builds(Accepted, mutant=st.just("0123456789ab"), what=TEXTS, reason=TEXTS, when=TEXTS))
def test_every_field_of_what_a_person_decides_survives_the_round_trip(
    assumption: Assumption, accepted: Accepted
) -> None:
    assert session_files.read_assumptions(session_files.write_assumptions([assumption])) == (assumption,)
    accepted = replace(accepted, reason=f"why {accepted.reason}")
    assert read_accepted(write_accepted([accepted])) == (accepted,)


def test_what_is_always_in_a_file_is_written_though_it_has_its_default() -> None:
    assumption = Assumption("A1", "q", "v", made_by=MadeBy.DEFAULT)
    written = session_files.write_assumptions([assumption]).partition("[[assumption]]\n")[2]
    assert (
        written == 'id = "A1"\nquestion = "q"\nvalue = "v"\nstatement = ""\nmade_by = "default"\nwhen = ""\n'
    )
    accepted = write_accepted([Accepted("0123456789ab", reason="why")]).partition("[[accepted]]\n")[2]
    assert accepted == 'mutant = "0123456789ab"\nwhat = ""\nreason = "why"\n'
    demonstration = Demonstration("d", "in", "out", ("a", "b", "c", "d"), "code")
    assert json.loads(session_files.write_memory([demonstration]))["enabled"] is True
    info = SessionInfo(session_files.FORMAT, "s")
    assert session_files.write_info(info) == 'format = 1\nname = "s"\ntitle = ""\nauthor = "written"\n'


def test_a_persons_comments_survive_a_change_of_values() -> None:
    text = """# what we agreed with the ward
[[assumption]]
id = "A1"  # kept
question = "vocabulary:x"
value = "y"
# said by Dr. B. on the phone
statement = "x means y"
made_by = "human"
when = "2026-01-05T10:00:00Z"
"""
    (assumption,) = session_files.read_assumptions(text)
    more = Assumption("A2", "q", "v", "s", "2026-01-06T10:00:00Z", ("R1",), made_by=MadeBy.DEFAULT)
    changed = Assumption("A1", "vocabulary:x", "z", "x means z", "2026-01-05T10:00:00Z", made_by=MadeBy.HUMAN)
    result = session_files.write_assumptions([changed, more], text)
    for comment in ("# what we agreed with the ward", "# kept", "# said by Dr. B. on the phone"):
        assert comment in result
    assert session_files.read_assumptions(result) == (changed, more)
    assert assumption.value == "y"


def test_values_are_written_as_a_person_would_write_them() -> None:
    values: dict[str, Value] = {
        "price": Decimal("12.50"),
        "whole": Decimal(5),
        "columns": frozenset({"b.c", "a.b"}),
        "day": date(2026, 1, 31),
        "at": time(9, 0),
        "moment": datetime(2026, 1, 31, 9, 0, tzinfo=UTC),
        "nobody": None,
    }
    text = session_files.write_cases([Case("c", values, Verdict.DENY, "why")])
    for line in (
        "price = 12.50",
        "whole = 5.0",
        'columns = ["a.b", "b.c"]',
        "day = 2026-01-31",
        "at = 09:00:00",
        "moment = 2026-01-31T09:00:00Z",
        "nobody = {none = true}",
    ):
        assert line in text.splitlines()
    assert tomllib.loads(text)["case"][0]["expected"] == "deny"


AGE = {"age": ArgumentType(Kind.INT), "price": ArgumentType(Kind.DECIMAL)}


def case_text(argument: str, expected: str = "deny") -> str:
    return f'[[case]]\nid = "a"\nexpected = "{expected}"\norigin = "human"\n[case.arguments]\n{argument}\n'


def test_a_whole_number_is_a_decimal_where_one_is_declared() -> None:
    (case,) = session_files.read_cases(case_text("price = 5"), AGE)
    assert type(case.arguments["price"]) is Decimal


def test_a_value_of_the_wrong_type_is_a_mistake_unless_the_case_is_about_it() -> None:
    with pytest.raises(FileError, match=r'cases.toml:6: the argument "age" must be a whole number'):
        session_files.read_cases(case_text("age = true"), AGE)
    (case,) = session_files.read_cases(case_text("age = true", "cannot-evaluate"), AGE)
    assert case.arguments["age"] is True


MISTAKES = [
    ("agent.toml", 'name = "a"\ndescripton = "b"\n',
     'agent.toml:2: unknown key "descripton". Did you mean "description"?'),
    ("agent.toml", 'name = "a"\n[arguments.age]\ntype = "int"\n', 'agent.toml:2: unknown key "arguments".'),
    ("agent.toml", 'name = "a"\n[readings.years]\ntype = "integer"\nextract.method = "field"\n',
     'agent.toml:3: "type" cannot be "integer". Did you mean "int"?'),
    ("agent.toml", 'name = "a"\n[readings.years]\ntype = "int"\n[readings.years.extract]\npath = "x"\n',
     'agent.toml:4: the key "method" in [readings.years.extract] is missing.'),
    ("agent.toml", 'name = 3\n', 'agent.toml:1: "name" must be a string, not a whole number.'),
    ("agent.toml", 'name = "a"\n[readings.role]\ntype = "enum"\nextract.method = "field"\n',
     'agent.toml:2: the enum "role" needs'),
    ("agent.toml", 'name = "a"\n[schema]\nroles = ["a", 1]\n', 'agent.toml:3: "roles" in [schema]'),
    ("agent.toml", 'name = "a\n', "agent.toml:1: is not valid TOML"),
    ("agent.toml", 'name = "a"\nschem = 1\n', 'agent.toml:2: unknown key "schem". Did you mean "schema"?'),
    ("agent.toml", 'name = "a"\nschema = 1\n', 'agent.toml:2: "schema" must be a table, not a whole number.'),
    ("agent.toml", 'name = "a"\n[schema]\nx = "a"\n',
     'agent.toml:3: "x" in [schema] must be a list of strings, not a string.'),
    ("agent.toml", 'name = "a"\n[tools]\nsend = 1\n', '"send" in [tools] must be a table, not a whole'),
    ("agent.toml", 'name = "a"\n[tools.send]\nparameters = 1\n',
     'agent.toml:3: "parameters" must be a table or the JSON text of an object.'),
    ("agent.toml", 'name = "a"\n[tools.send.parameters]\nday = 2026-01-31\n',
     'agent.toml:3: "day" holds a date or time; write it as a string.'),
    ("agent.toml", 'name = "a"\n[readings.years]\ntype = "int"\noptional = 1\nextract.method = "field"\n',
     'agent.toml:4: "optional" in [readings.years] must be true or false, not a whole number.'),
    ("agent.toml", 'name = "a"\n[readings.years]\ntype = "decimal"\nplaces = -1\nextract.method = "field"\n',
     '"places" in [readings.years] must be a whole number of at least 0'),
    ("agent.toml", 'name = "a"\n[readings.years]\ntype = "int"\nextract = 1\n',
     'agent.toml:4: "extract" in [readings.years] must be a table, not a whole number.'),
    ("agent.toml", 'name = "a"\n[synonyms]\nill = 1\n', '"ill" in [synonyms] must be a string'),
    ("cases.toml", 'case = 1\n', 'cases.toml:1: "case" must be written as [[case]] tables.'),
    ("cases.toml", 'case = [1]\n', 'cases.toml:1: "case" must be written as [[case]] tables.'),
    ("cases.toml", '[[case]]\nid = "a"\nexpected = 1\n', '"expected" in [case] must be a string, not'),
    ("session.toml", 'format = true\nname = "a"\n', '"format" must be a whole number of at least 0, not'),
    ("session.toml", 'format = 0\nname = "a"\n', "has format 0, which does not exist"),
    ("cases.toml", '[[case]]\nid = "a"\nexpected = "denied"\n',
     'cases.toml:3: "expected" cannot be "denied". Did you mean "deny"?'),
    ("cases.toml", '[[case]]\nid = "a"\nexpected = "deny"\n\n[[case]]\nid = "a"\nexpected = "deny"\n',
     'cases.toml:6: the id "a" is used twice.'),
    ("cases.toml", '[[case]]\nid = "a"\nexpected = "deny"\norigin = "generate"\n',
     'Did you mean "generated"?'),
    ("assumptions.toml", '[[assumptions]]\nid = "a"\n', 'Did you mean "assumption"?'),
    ("assumptions.toml", '[[assumption]]\nid = "a"\nquestion = "q"\nvalue = "v"\nmade_by = "me"\n',
     'assumptions.toml:5: "made_by" cannot be "me".'),
    ("session.toml", 'format = 2\nname = "a"\nshiny = 1\n', "newer than this workbench reads (up to 1)"),
    ("session.toml", 'name = "a"\n', 'the key "format" is missing'),
    ("session.toml", 'format = 1\nname = "a"\ntitel = "b"\n',
     'session.toml:3: unknown key "titel". Did you mean'),
    ("memory.jsonl", '\n{"id": "a"\n', "memory.jsonl:2: is not one JSON object."),
    ("memory.jsonl", '{"id": "a", "agent_input": "", "agent_output": "", "plan": ["one"], "code": ""}\n',
     'memory.jsonl:1: "plan" must have four steps, not 1.'),
    ("memory.jsonl", '{"id": "", "agent_input": "", "agent_output": "", "plan": ["", "", "", 4], "code": ""}',
     'memory.jsonl:1: "plan" must be a list of strings.'),
    ("memory.jsonl",
     '{"id": "", "agent_input": "", "agent_output": "", "plan": ["", "", "", ""], "code": "", "enabled": 1}',
     'memory.jsonl:1: "enabled" must be true or false, not a whole number.'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), MISTAKES)
def test_a_mistake_in_a_file_is_one_sentence_with_its_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    Session.create(tmp_path / "s", "request", HOSPITAL).close()
    (tmp_path / "s" / name).write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        Session.open(tmp_path / "s")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@settings(deadline=None, max_examples=examples(200))
@given(
    st.text(st.characters(codec="utf-8"), max_size=60)
    | st.from_regex(r'(\[\[?[a-z.]+\]\]?\n|[a-z]+ = ("a"|\[|1e9|\{\})\n){1,6}')
)
def test_any_text_in_a_file_is_read_or_refused_with_a_session_error(text: str) -> None:  # fmt: skip
    readers = (
        read_agent,
        session_files.read_info,
        session_files.read_assumptions,
        session_files.read_cases,
        session_files.read_memory,
    )
    for reader in readers:
        try:
            reader(text)
        except FileError as error:
            assert "\n" not in str(error)


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    Session.create(tmp_path / "s", "request", HOSPITAL).close()
    (tmp_path / "s" / "request.md").write_bytes(b"first\nsecond \xff\n")
    with pytest.raises(FileError, match=r"request.md:2: is not UTF-8 text"):
        Session.open(tmp_path / "s")


def test_half_a_character_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s", "request", HOSPITAL) as session:
        with pytest.raises(FileError, match="lone surrogate"):
            session.set_policy("x = '\ud800'")
        assert session.written == ""
        assert session.history == ()


def test_a_folder_that_is_no_session_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no session at"):
        Session.open(tmp_path / "nowhere")
    (tmp_path / "request.md").write_text("x", encoding="utf-8")
    with pytest.raises(FileError, match=r"session\.toml, agent\.toml are missing"):
        Session.open(tmp_path)


def test_the_information_of_a_session_survives_the_round_trip() -> None:
    info = SessionInfo(
        session_files.FORMAT, "hospital", "Who may read what?", "openai", "2026-01-05T10:00:00+00:00"
    )
    assert session_files.read_info(session_files.write_info(info)) == info
    own = session_files.GuardAgentInfo(("limits.py",), 2, 1, beside=True)
    both = replace(info, guardagent=own, guard=("policy", "guardagent"))
    assert session_files.read_info(session_files.write_info(both)) == both


BLANK = st.sampled_from(["", "\n", "\n\n", "  \n\n"])
HEADINGS = st.sampled_from(["", "# mine\n", "# mine\n\n# more\n\n"])
ENDS = st.sampled_from(["\n", " # why\n", "\n# below\n", "\n\n# after a gap\n"])


@given(HEADINGS, st.lists(st.tuples(BLANK, ENDS), min_size=1, max_size=4), BLANK, st.integers(1, 3))
def test_an_answer_that_is_stored_and_taken_back_leaves_the_same_bytes(
    heading: str, tables: list[tuple[str, str]], below: str, more: int
) -> None:
    before = heading
    for number, (blank, end) in enumerate(tables):
        before += f"{blank}[[assumption]]\nid = 'A:{number}'\nquestion='{number}'\nvalue='v'\n"
        before += f'statement = ""\nmade_by="human"\nwhen = ""{end}'
    before += below
    assumptions = session_files.read_assumptions(before)
    added = [replace(assumptions[0], id=f"A:new{number}", question=f"new{number}") for number in range(more)]
    text = before
    for _ in range(2):
        text = session_files.write_assumptions([*assumptions, *added], text)
        assert session_files.read_assumptions(text) == (*assumptions, *added)
        text = session_files.write_assumptions(assumptions, text)
        assert text == before


def test_the_first_answer_taken_back_leaves_the_heading_as_it_was() -> None:
    before = session_files.write_assumptions([])
    assumption = Assumption(
        "A1", "vocabulary:x", "z", "x means z", "2026-01-05T10:00:00Z", made_by=MadeBy.HUMAN
    )
    answered = session_files.write_assumptions([assumption], before)
    assert session_files.write_assumptions([], answered) == before


SECRETS = [
    "sk-proj-AbCdEfGhIjKlMnOp1234",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.abc123",
    'api_key = "0123456789abcdef"',
    "ghp_0123456789abcdefghij0123",
    "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
]
HARMLESS = [
    'forbid if text.startswith("sk-")',
    "The bearer of bad news may not enter the room.",
    "Users must not send an api key.",
    "task-management-system-for-hospitals",
    "api_key: str",
]


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_removed_and_removing_them_twice_changes_nothing(text: str) -> None:
    once = redact(f"before {text} after")
    assert "[redacted]" in once
    assert once.startswith("before")
    assert redact(once) == once
    assert redact_json({"text": [text]}) != {"text": [text]}


@pytest.mark.parametrize("text", HARMLESS)
def test_texts_that_only_talk_about_secrets_stay_as_they_are(text: str) -> None:
    assert redact(text) == text


_SIGNS = st.sampled_from(
    [
        "sk-",
        "ghp_",
        "xoxb-",
        "hf-",
        "AKIA",
        "Bearer ",
        "api_key",
        "ſecret-key",
        "access-toKen",
        "=",
        ": ",
        " ",
    ]
)


@settings(max_examples=examples(400))
@given(st.lists(_SIGNS | st.sampled_from(["A1b2C3d4E5f6G7h8I9j0", "\n", "x"]), max_size=8), st.booleans())
def test_a_text_without_the_words_of_a_pattern_has_nothing_that_it_matches(
    parts: list[str], upper: bool
) -> None:
    text = "".join(parts).upper() if upper else "".join(parts)
    expected = text
    for _, pattern in PATTERNS:
        expected = re.sub(pattern, "[redacted]", expected)
    expected = re.sub(ASSIGNED, lambda found: f"{found['name']}[redacted]", expected)
    assert redact(text) == expected


def test_fields_named_like_secrets_are_removed_from_calls() -> None:
    assert redact_json({"Authorization": "abc", "n": 1}) == {"Authorization": "[redacted]", "n": 1}


def test_the_examples_of_the_format_page_can_be_read() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    page = (docs / "reference" / "session-format.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    with_notes, with_records = (examples.pop(2) for _ in range(2))
    readers = (
        session_files.read_info,
        read_agent,
        session_files.read_assumptions,
        session_files.read_cases,
        session_files.read_cases,
        read_accepted_version,
        read_drafted,
        read_accepted,
    )
    assert len(examples) == len(readers)
    for reader, example in zip(readers, examples, strict=True):
        assert reader(example)
    assert [reading.name for reading in read_agent(examples[1]).readings] == ["role"]
    with_fields = read_agent(f'name = "desk"\n{with_notes}')
    assert [*with_fields.tools[0].fields, *with_fields.context] == [
        "total", "legs[].start", "größe", "seats", "refunds_today",
    ]  # fmt: skip
    records_of_desk = read_agent(f'name = "desk"\n{with_records}').records
    assert [record.name for record in records_of_desk] == ["flight", "reservation"]
