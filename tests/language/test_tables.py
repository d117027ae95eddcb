"""Tables as sentences: of role and columns, of thing and value, of rules; read, written and kept."""

from __future__ import annotations

import ast
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.language.kept_sentence import with_sentence
from workbench.language.language import Language
from workbench.language.tables import Columns, read_entries, sentences_in, table_text
from workbench.language.trees import Tree, canonical, text_of
from workbench.language.words import number_text
from workbench.model import AgentSpec, ArgumentType, ContextField, Json, Kind, Tool, WorkbenchError

PROPERTIES: dict[str, Json] = {
    "role": {"type": "string"},
    "post": {"type": "string", "enum": ["nurse", "clerk"]},
    "column": {"type": "string"},
    "columns": {"type": "array", "items": {"type": "string"}},
    "amount": {"type": "number"},
}
TOOL = Tool(
    "read_table", parameters={"type": "object", "properties": PROPERTIES, "required": list(PROPERTIES)}
)
SPEC = AgentSpec("reads", tools=(TOOL,), context={"role": ContextField(ArgumentType(Kind.STR), "")})
POLICY = """\
from agent import ReadTable, Run

DEFAULT = "allow"
READABLE = {"nurse": {"lab.name", "lab.time"}, "clerk": {"cost.sum"}}
LIMITS = {"nurse": 5, "clerk": 10}


def forbid_it(call: ReadTable, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return BODY
"""


def language(body: str = "False", policy: str = POLICY) -> Language:
    return Language(agent_types(SPEC), policy.replace("BODY", body))


LANGUAGE = language()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("call.column not in READABLE[call.post]",
         "the column is not in the row of the table “readable” for the post"),
        ("call.column in READABLE.get(call.role, frozenset())",
         "the column is in the table “readable” for the role"),
        ('all(c in READABLE.get("nurse", frozenset()) for c in call.columns)',
         "for every column called column B, column B is in the table “readable” for “nurse”"),
        ("any(c not in READABLE.get(run.context.role, frozenset()) for c in call.columns)",
         "there is a column called column B for which column B is not in the table “readable” for the "
         "session's role"),
        ("any(c == call.column for c in READABLE.get(call.role, frozenset()))",
         "there is an entry of the table “readable” for the role for which the entry is the column"),
        ("LIMITS.get(call.role, 0) > 3", "the entry of the table “limits” for the role or, without one, 0 is "
         "more than 3"),
    ],
)  # fmt: skip
def test_what_a_table_has_is_said(body: str, words: str) -> None:
    own = language(body)
    said = next(one for one in own.aloud() if one.name == "forbid_it")
    assert said.text == f"The agent must not read a table if {words}."
    assert [canonical(one) for one in own.read(said.text)] == [canonical(said.tree)]


def test_a_table_is_read_aloud_in_rows() -> None:
    texts = {one.name: one.text for one in language().aloud()}
    assert texts["READABLE"] == (
        "The table “readable” says:\n| for | entries |\n| --- | --- |\n| nurse | lab.name, lab.time |\n"
        "| clerk | cost.sum |"
    )
    assert texts["LIMITS"].endswith("| nurse | 5 |\n| clerk | 10 |")


def kept(text: str, policy: str = POLICY) -> Language:
    """The language of the policy with what a table says."""
    own = language(policy=policy)
    (tree,) = own.read(text)
    return Language(own.types, with_sentence(own, tree, text).policy)


def test_a_new_table_is_a_constant_that_rules_may_speak_of() -> None:
    own = kept(
        "The table “roles” says:\n| role | columns |\n|---|---|\n| physician | lab.name |\n"
        "| nurse | lab.name, lab.result |\n"
    )
    assert 'ROLES = {"physician": {"lab.name"}, "nurse": {"lab.name", "lab.result"}}\n' in own.source
    (tree,) = own.read(
        "The agent must not read a table if the column is not in the table “roles” for the role."
    )
    assert text_of(tree[2]) == "call.column not in ROLES.get(call.role, frozenset())"


def test_columns_between_are_beginnings_of_the_entries() -> None:
    own = kept(
        "The table “roles” says:\n| role | database | columns |\n|---|---|---|\n"
        "| nurse | lab | name, time |\n| nurse | cost | sum |\n| clerk | cost | sum |"
    )
    assert 'ROLES = {"nurse": {"lab.name", "lab.time", "cost.sum"}, "clerk": {"cost.sum"}}\n' in own.source


def test_a_table_that_the_policy_has_keeps_what_it_holds() -> None:
    own = kept("The table “readable” says:\n| nurse | 5 |\n| clerk |  |")
    assert 'READABLE = {"nurse": {"5"}, "clerk": frozenset()}\n' in own.source
    assert kept("The table “limits” says:\n| nurse | 1,000 |").policy.tables["LIMITS"].entries == {
        "nurse": 1000
    }


def test_a_new_list_is_a_constant() -> None:
    own = kept("The list “known roles” has “nurse” or “clerk”.")
    assert 'KNOWN_ROLES = {"nurse", "clerk"}\n' in own.source


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The table “read_table” says:\n| a | b |", "cannot be called"),
        ("The table “fün” says:\n| a | b |", "cannot be called"),
        ("The table “x” says:\n| a |", "Each row"),
        ("The table “x” says:\n| a | b |\n| c |", "Each row"),
        ("The table “x” says:\n| a | b |\nc | d", "is no row"),
        ("The table “x” says:\n| a | b |\n| a | c |", "two rows for a"),
        ("The table “limits” says:\n| a | b |", "is no value"),
        ("The table “limits” says:\n| a | 5, 6 |", "one entry"),
        ("The table “x” says:\n" + "| a | b |\n" * 3_000, "is not read"),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        LANGUAGE.read(text)


_LINE = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), max_size=12)
_TEXT = _LINE | st.sampled_from(("5", "a, b", "a;b", "|", "“x”", "---", "`", "yes", "9:00", "", " x "))
_SETS = st.frozensets(_TEXT, min_size=1)
_TABLES = st.one_of(
    st.tuples(st.just(Columns("text", "text", many=True)), st.dictionaries(_TEXT, _SETS, min_size=1)),
    st.tuples(st.just(Columns("text", "int", many=False)), st.dictionaries(_TEXT, st.integers(), min_size=1)),
    st.tuples(st.just(Columns("int", "text", many=False)), st.dictionaries(st.integers(), _TEXT, min_size=1)),
    st.tuples(
        st.just(Columns("text", "dec", many=False)),
        st.dictionaries(_TEXT, st.decimals(-(10**9), 10**9, places=3), min_size=1),
    ),
)


type Value = str | int | Decimal | frozenset[str]


def literal(value: Value) -> Tree:
    """The tree of a value; the texts of a set are sorted."""
    if isinstance(value, frozenset):
        return ("set", *(("lit", "text", one) for one in sorted(value)))
    return ("lit", "text" if isinstance(value, str) else "int" if isinstance(value, int) else "dec", value)


@settings(max_examples=examples(150), deadline=None)
@given(_TABLES)
def test_what_a_table_says_is_read_as_the_table(table: tuple[Columns, dict[str | int, Value]]) -> None:
    columns, entries = table
    made: Tree = ("dict", *(("tuple", literal(key), literal(value)) for key, value in entries.items()))
    text = table_text("other", made, lambda value: number_text(value[2]))
    assert canonical(read_entries(text, columns, LANGUAGE.reader.literal)) == canonical(made)


def test_a_table_with_a_text_of_several_lines_has_no_sentence() -> None:
    own = language(policy=POLICY.replace('"cost.sum"', '"cost\\nsum"'))
    assert [one.name for one in own.aloud() if not one.text] == ["READABLE"]


CARDS = """\
| The agent must not | unless |
|---|---|
| read a table | the role is “nurse” |
| make any call | the present hour is at least 9 |
"""


def test_a_table_of_rules_is_a_sentence_for_each_row() -> None:
    assert sentences_in(CARDS) == (
        "The agent must not read a table unless the role is “nurse”.",
        "The agent must not make any call unless the present hour is at least 9.",
    )
    own = language()
    assert all(len(own.read(one)) == 1 for one in sentences_in(CARDS))
    assert sentences_in("The agent must never read a table.") == ()
    assert sentences_in("| role | columns |\n|---|---|\n| a | b |") == ()


def test_a_long_table_is_laid_out_in_lines() -> None:
    rows = "\n".join(
        f"| role {number} | {', '.join(f'lab.column_{n}' for n in range(20))} |" for number in range(20)
    )
    own = kept(f"The table “wide” says:\n| role | columns |\n|---|---|\n{rows}")
    assert max(map(len, own.source.split("\n"))) <= 110
    assert ast.parse(own.source)
    check_calls(own.source, own.types)
