"""Agents with nested records whose fields may be absent: check, measurement and questions do not crash."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.workbench import Workbench
from workbench.session import Session
from workbench.session.agent_file import read_agent

POLICY = "policy.py"
TYPES = {
    "str": "str",
    "int": "int",
    "decimal": "Decimal",
    "bool": "bool",
    "date": "date",
    "set": "frozenset[str]",
}
VALUES = {"str": '"ab"', "int": "3", "decimal": 'Decimal("2.50")', "date": "date(2026, 1, 31)"}
HEAD = '''"""A policy over nested records."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result
'''
NAMES = ("alpha", "beta", "gamma", "delta")

type Fields = Mapping[str, tuple[str, bool]]
"""The kind of each field of a record, and whether it may be absent."""


@st.composite
def fields(draw: st.DrawFn) -> Fields:
    """The fields of one record."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    return {
        name: (kind, kind != "set" and draw(st.booleans()))
        for name in names
        for kind in (draw(st.sampled_from(list(TYPES))),)
    }


def declared(field: tuple[str, bool]) -> str:
    """A field in agent.toml."""
    kind, optional = field
    return f'{{type = "{kind}", optional = {str(optional).lower()}}}'


def typed(field: tuple[str, bool]) -> str:
    """A field in the class of the policy."""
    kind, optional = field
    return TYPES[kind] + (" | None" if optional else "")


def class_of(name: str, record: Fields, *more: str) -> str:
    """The class of a record."""
    lines = [*(f"{field}: {typed(of)}" for field, of in record.items()), *more]
    return f"@dataclass(frozen=True)\nclass {name}:\n" + "".join(f"    {line}\n" for line in lines)


@st.composite
def conditions(draw: st.DrawFn, path: str, record: Fields) -> str:
    """A condition on one field of a record at a path, which is false where the field is absent."""
    name = draw(st.sampled_from(sorted(record)))
    kind, optional = record[name]
    at = f"{path}.{name}"
    if kind == "bool":
        test = draw(st.sampled_from([at, f"not {at}"]))
    elif kind == "set":
        test = f'"ab" {draw(st.sampled_from(["in", "not in"]))} {at}'
    else:
        sign = draw(st.sampled_from(["==", "!="] if kind == "str" else ["==", "!=", "<", "<=", ">", ">="]))
        test = f"{at} {sign} {VALUES[kind]}"
    guard = draw(st.sampled_from(["is not None and {}", "is None"]))
    return f"{at} {guard.format(test)}" if optional else test


def compared(path: str, record: Fields, other: str, others: Fields) -> list[str]:
    """The comparisons of fields of one record with those of another, false where one of them is absent."""
    found: list[str] = []
    for name, (kind, optional) in record.items():
        for other_name, (other_kind, other_optional) in others.items():
            if kind != other_kind or kind not in ("int", "decimal", "date"):
                continue
            left, right = f"{path}.{name}", f"{other}.{other_name}"
            guards = ((left, optional), (right, other_optional))
            known = "".join(f"{at} is not None and " for at, may_lack in guards if may_lack)
            found.append(f"{known}{left} < {right}")
    return found


@st.composite
def sums(draw: st.DrawFn, record: Fields) -> str:
    """A condition on a sum over the lines, or on their number."""
    numbers = [name for name, (kind, _) in record.items() if kind in ("int", "decimal")]
    some = draw(conditions("line", record))
    if not numbers:
        return f"sum(1 for line in lines if {some}) > 2"
    name = draw(st.sampled_from(numbers))
    kind, optional = record[name]
    known = f"line.{name} is not None and " if optional else ""
    return f"sum(line.{name} for line in lines if {known}({some})) > {VALUES[kind]}"


@st.composite
def agents(draw: st.DrawFn) -> tuple[str, str, str]:
    """The agent file, the policy and the request of a small session."""
    line, order = draw(fields()), draw(fields())
    optional = draw(st.booleans())
    agent = "\n".join(
        [
            'name = "desk"',
            '[tools.pay]\nparameters = {type = "object", properties = {id = {type = "string"}}}',
            "[records.line]",
            *(f"fields.{name} = {declared(of)}" for name, of in line.items()),
            '[records.order]\nkey = "id"\nresults.get_order = "$"',
            *(f"fields.{name} = {declared(of)}" for name, of in order.items()),
            'fields.lines = {type = "list", of = "line"}',
            f"[arguments.order]\noptional = {str(optional).lower()}",
            'extract = {method = "record", record = "order", key = "$.arguments.id"}',
            '[arguments.lines]\ntype = "list"\nof = "line"',
            'extract = {method = "jsonpath", path = "$.arguments.lines"}',
            "",
        ]
    )
    about = draw(conditions("order", order))
    if optional:
        about = f"order is not None and {about}"
    some = draw(st.one_of(conditions("line", line), *map(st.just, compared("line", line, "line", line))))
    lines = draw(st.sampled_from(["lines", "order.lines"]))
    how = draw(st.sampled_from(["any", "all"]))
    each = f"{how}({some} for line in {lines})"
    if optional and lines != "lines":
        each = f"order is not None and {each}"
    total = draw(sums(line))
    across = [f"any({item} for line in lines)" for item in compared("line", line, "order", order)]
    if optional:
        across = [f"order is not None and {item}" for item in across]
    whole = draw(st.sampled_from([each, about, total, f"({about}) and ({each})", *across]))
    clause = draw(st.sampled_from([about, each, total, f"not ({about})", *across]))
    policy = f'''{HEAD}

{class_of("Line", line)}

{class_of("Order", order, "lines: tuple[Line, ...]")}

def forbid_it(order: Order{" | None" if optional else ""}, lines: tuple[Line, ...]) -> bool:
    """R1: Not so."""
    return {whole}


def allow(order: Order{" | None" if optional else ""}, lines: tuple[Line, ...]) -> bool:
    Ensures(Implies({clause}, not Result()))  # R1: Not so.
    return not forbid_it(order, lines)
'''
    name = draw(st.sampled_from(sorted({*order, *line})))
    request = (
        f"# Rules\n\nThe {name} of an order must be at most 3.\n\nOrders without a {name} may not be paid.\n"
    )
    return agent, policy, request


@given(agents())
@settings(max_examples=examples(60), deadline=None)
def test_a_policy_over_nested_records_is_checked_measured_and_asked_about(made: tuple[str, str, str]) -> None:
    agent, policy, request = made
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "desk"
        session = Session.create(folder, request, read_agent(agent))
        with closing(Workbench(session)) as bench, mock.patch("os.cpu_count", return_value=1):
            assert bench.questions.understand().draft.sentences
            session.set_text(POLICY, policy)
            terms = bench.policy.terms()
            assert len(bench.proof.preview(terms).clauses) == len(terms.clauses)
            report = bench.strength.measure(terms)
            assert report.results
            bench.in_force.understand()
            assert bench.state().clauses
