"""An exported policy decides like the session's, without the workbench."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.guard.exported_files import imported
from tests.policy.policy_strategies import TYPES, arguments_for, policies
from workbench.check.boundary_inputs import boundary_inputs
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.guard.export import export_policy, proof_summary
from workbench.guard.export_check import answer_of, run_exported, tried_export
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    CallExpression,
    ClauseProof,
    Engine,
    Json,
    Kind,
    Proof,
    ProofStatus,
    RecordValue,
    Tool,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.problems import PolicyError
from workbench.runs.calls.live_call import live_call
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import DecisionCache

PAYMENT: Json = {
    "properties": {"amount": {"type": "number", "multipleOf": 0.01}, "count": {"type": "integer"}},
    "required": ["amount", "count"],
}
SPEC = AgentSpec(
    "bank",
    tools=(Tool("pay", "", PAYMENT),),
    arguments=(
        Argument("amount", ArgumentType(Kind.DECIMAL), "", CallExpression("call.amount", "pay")),
        Argument("count", ArgumentType(Kind.INT), "", CallExpression("call.count", "pay")),
    ),
)
SOURCE = '''"""Transfers."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result


def forbid_large(amount: Decimal) -> bool:
    """R1: No transfer above 100."""
    return amount > 100


def forbid_unknown(payees: frozenset[str]) -> bool:
    """R2: Only known payees."""
    return any(payee not in {"alice", "bob"} for payee in payees)


def allow(amount: Decimal, payees: frozenset[str]) -> bool:
    Requires(amount >= 0)
    # R1: No transfer above 100.
    Ensures(Implies(amount > 100, not Result()))
    return not (forbid_large(amount) or forbid_unknown(payees))
'''


# fmt: off
NAMES_OF_ELSEWHERE = [
    "decide", "type", "isinstance", "list", "sorted", "abs", "min", "max", "map", "filter",
    "range", "zip", "object", "bytes", "repr", "hash", "id", "iter", "next", "open", "exec", "eval",
    "compile", "globals", "vars", "getattr", "setattr", "super", "property", "staticmethod", "classmethod",
    "Exception", "TypeError", "KeyError", "OverflowError", "values", "value", "reasons", "reason",
    "arguments", "names", "violations", "permitted", "rule", "message", "items", "elements", "rule_arguments",
    "all_elements",
    "text", "kind", "wanted", "digits", "exponent", "places", "module", "spec", "sys", "math", "json",
    "importlib", "Policy", "name", "error", "answer",
]
OF_THE_RUNTIME = [
    "_ARGUMENTS", "_RULES", "_DEFAULT_ALLOW", "_policy", "_allow", "_decide", "_exact", "_misfit", "_because",
    "_datetime",
]
OF_THE_DIALECT = [
    "any", "all", "len", "frozenset", "set", "dict", "bool", "int", "str", "float", "print", "Decimal",
    "date", "time", "datetime", "timedelta", "Literal", "sum", "tuple", "dataclass",
]
# fmt: on
WITH_ARGUMENT = '''"""A policy with a name of its own."""

KNOWN = {"a", "b"}


def forbid_other(NAME: frozenset[str]) -> bool:
    """R1: Only what is listed."""
    return any(word not in KNOWN for word in NAME)


def allow(NAME: frozenset[str]) -> bool:
    return not forbid_other(NAME)
'''
WITH_CONSTANT = '''"""A policy with a name of its own."""

NAME = {"low": {"a"}, "high": {"a", "b"}}


def forbid_other(level: str, words: frozenset[str]) -> bool:
    """R1: Only what is listed."""
    return any(word not in NAME.get(level, frozenset()) for word in words)


def allow(level: str, words: frozenset[str]) -> bool:
    return not forbid_other(level, words)
'''
WITH_LOCAL = '''"""A policy with a name of its own."""


def forbid_young(age: int) -> bool:
    """R1: Nobody under 21."""
    NAME = age < 21
    if NAME:
        return True
    return any(NAME == other for other in {True})


def allow(age: int) -> bool:
    # R1: Nobody under 21.
    return not forbid_young(age)
'''


def answers(policy: CompiledPolicy, inputs: Sequence[Arguments]) -> list[dict[str, object]]:
    return [answer_of(policy.decide(arguments)) for arguments in inputs]


def decide_alike(source: str) -> None:
    terms = check(source)
    inputs = tuple(boundary_inputs(terms))
    tried_export(terms, {"session": "s"}, inputs)
    session = answers(compile_policy(terms), inputs)
    assert {answer["verdict"] for answer in session} >= {"allow", "deny", "cannot-evaluate"}


def rules(body: str, before: str, parameters: str) -> str:
    """One policy with a rule for each of the names; in its texts NAME is the name, NUMBER its place."""
    names = ", ".join(part.split(":")[0] for part in parameters.split(", "))
    rule = f'\n\ndef forbid_NUMBER({parameters}) -> bool:\n    """R1: No NAME."""\n{body}\n'
    places = [*enumerate(NAMES_OF_ELSEWHERE)]
    parts = [
        text.replace("NAME", name).replace("NUMBER", str(number))
        for text in (before, rule)
        for number, name in places
    ]
    called = " or ".join(f"forbid_{number}({names})" for number, _ in places)
    return "".join([*parts, f"\n\ndef allow({parameters}) -> bool:\n    return not ({called})\n"])


OF_MANY_NAMES = {
    "constants": rules(
        "    return any(word in NAME for word in words)",
        '\nNAME = {"wNUMBER", "xNUMBER"}',
        "words: frozenset[str]",
    ),
    "locals": rules("    NAME = age == NUMBER\n    return NAME and age in {1, NUMBER}", "", "age: int"),
    "elements": rules('    return any(NAME == "wNUMBER" for NAME in words)', "", "words: frozenset[str]"),
}


@pytest.mark.parametrize("kind", OF_MANY_NAMES)
def test_a_policy_with_many_names_of_elsewhere_decides_alike(kind: str) -> None:
    decide_alike(OF_MANY_NAMES[kind])


@pytest.mark.parametrize("name", ["decide", "type", "isinstance", "list", "sorted", "abs", "values", "repr"])
def test_an_argument_with_a_name_of_elsewhere_decides_alike(name: str) -> None:
    decide_alike(WITH_ARGUMENT.replace("NAME", name))


OPEN_FIRST = '''\
"""Words."""

from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_word(subject: frozenset[str], body: frozenset[str], urgent: bool) -> bool:
    """R1: No word."""
    return any(word != "x" for word in subject) or (
        any(word == "y" for word in body) and (urgent or "z" in body)
    )


def allow(subject: frozenset[str], body: frozenset[str], urgent: bool) -> bool:
    return not forbid_word(subject, body, urgent)
'''


def test_elements_are_named_beside_conditions_that_are_not_determined() -> None:
    terms = check(OPEN_FIRST)
    inputs: list[Arguments] = [
        {"body": frozenset({"y", "z"})},
        {"body": frozenset({"y", "a"}), "urgent": True},
        {"subject": frozenset({"a"}), "urgent": True},
        {"subject": frozenset({"x"}), "body": frozenset({"y", "z"}), "urgent": False},
    ]
    decisions = [compile_policy(terms).decide(arguments) for arguments in inputs]
    named = [decision.violations[0].items for decision in decisions]
    assert named == [("y", "z"), ("y",), ("a",), ("y", "z")]
    session = [answer_of(decision) for decision in decisions]
    assert run_exported(tried_export(terms, {"session": "s"}, inputs), inputs) == session


@pytest.mark.parametrize("name", [*OF_THE_RUNTIME, *OF_THE_DIALECT])
@pytest.mark.parametrize("source", [WITH_ARGUMENT, WITH_CONSTANT, WITH_LOCAL])
def test_names_of_the_runtime_and_of_the_dialect_are_refused_by_the_checker(name: str, source: str) -> None:
    with pytest.raises(PolicyError):
        check(source.replace("NAME", name))


# fmt: off
RENAMED = (
    "holds", "score", "suits", "known", *TYPES, "LIMIT", "RATE", "NAMES", "READABLE", "COST", "LABEL", "Role",
)
# fmt: on


def renamed(source: str, names: dict[str, str]) -> str:
    """The text with other names; strings and comments stay as they are."""
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token in reversed(tokens):
        if token.type == tokenize.NAME and token.string in names:
            row, start = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:start] + names[token.string] + line[token.end[1] :]
    return "\n".join(lines)


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.data())
def test_random_policies_with_names_of_elsewhere_decide_alike_in_session_and_file(
    data: st.DataObject,
) -> None:
    names = data.draw(st.lists(st.sampled_from(NAMES_OF_ELSEWHERE), min_size=4, max_size=12, unique=True))
    places = data.draw(st.permutations(RENAMED))
    source = data.draw(policies(records=data.draw(st.booleans())))
    try:
        terms = check(renamed(source, dict(zip(places, names, strict=False))))
    except PolicyError:
        return  # two of the policy's own names collided
    some = data.draw(st.lists(arguments_for(terms), min_size=1, max_size=30))
    inputs = [*some, *boundary_inputs(terms)]
    text = export_policy(terms, {"session": "s"})
    session = answers(compile_policy(terms), inputs)
    assert run_exported(text, inputs) == session


NUMBERS = st.one_of(
    st.integers(-1000, 1000),
    st.integers(),
    st.floats(),
    st.integers(-100_000, 100_000).map(lambda cents: cents / 100),
    st.integers(-1000, 1000).map(float),
    st.sampled_from([True, None, 1e22, 1e30, 2.0**53, 100.0, 100.01, 99.999, -0.0, "100", [100], {}]),
)
LIMITS = '''"""Limits."""

from decimal import Decimal


def forbid_large(amount: Decimal) -> bool:
    """R1: No more than 100."""
    return amount > 100


def forbid_many(count: int) -> bool:
    """R2: No more than 3."""
    return count > 3


def allow(amount: Decimal, count: int) -> bool:
    return not (forbid_large(amount) or forbid_many(count))
'''


@pytest.fixture(scope="module")
def limits(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompiledPolicy, Any]:
    terms = check(LIMITS)
    path = tmp_path_factory.mktemp("limits") / "policy.py"
    path.write_text(export_policy(terms, {}), encoding="utf-8")
    return compile_policy(terms), imported(path)


@settings(deadline=None, max_examples=examples(500))
@given(NUMBERS, NUMBERS)
def test_numbers_of_json_are_decided_alike_by_guard_file_and_replay(
    limits: tuple[CompiledPolicy, Any], amount: Json, count: Json
) -> None:
    policy, exported = limits
    given_raw = cast("Arguments", {"amount": amount, "count": count})
    guarded = policy.decide(given_raw)
    assert exported.decide(given_raw) == answer_of(guarded)
    call = json.dumps({"amount": amount, "count": count})
    recorded_call = live_call("pay", call, "{}", run="t", index=0)
    replayed = DecisionCache(policy).decide(Extractor(SPEC.arguments, SPEC).extract(recorded_call))
    texts = isinstance(amount, str) or isinstance(count, str)
    if not texts:  # extraction reads a number in a text; for a policy the text is no number
        assert replayed.verdict is guarded.verdict
        if guarded.verdict is not Verdict.CANNOT_EVALUATE:
            assert {**replayed.arguments} == {**guarded.arguments}


def test_the_file_runs_alone_with_only_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {"session": "bank", "proof": "proved by nagini"}))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import policy; from decimal import Decimal as D;"
        "print([policy.decide({'amount': D(a), 'payees': frozenset({p})})['verdict'] for a, p in"
        " [('5', 'bob'), ('500', 'bob'), ('-1', 'bob')]], 'nagini_contracts' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "['allow', 'deny', 'cannot-evaluate'] False"


TEXTS_OF_STRINGS = '''"""A policy whose
strings go over lines.
    Even this one,
"""

from nagini_contracts.contracts import (
    Ensures,
    Implies,
    Result,
)

WORD = """one
    two
#|three
"""
QUOTED = "\\u00e9\\x41\\n\\\\"


def forbid_word(word: str) -> bool:
    """R1: Not
        this word."""
    #| a comment that looks like a contract
    return word == WORD or word == QUOTED  # or this


def allow(word: str) -> bool:
    """The decision."""
    # R1: Not this word.
    Ensures(
        Implies(
            word == """one
    two
#|three
""",
            not Result(),
        )
    )
    return not forbid_word(word)
'''


def test_strings_over_several_lines_comments_and_escapes_survive() -> None:
    terms = check(TEXTS_OF_STRINGS)
    inputs: list[Arguments] = [{"word": word} for word in ("one\n    two\n#|three\n", "\xe9A\n\\", "one")]
    text = tried_export(terms, {}, [*inputs, *boundary_inputs(terms)])
    assert [decision["verdict"] for decision in run_exported(text, inputs)] == ["deny", "deny", "allow"]


@pytest.mark.parametrize("line", ["Ensures(Result());", "Ensures(Result()); Ensures(Result())\n   "])
def test_a_contract_that_shares_a_line_is_exported_or_refused_with_a_sentence(line: str) -> None:
    source = f'''from nagini_contracts.contracts import Ensures, Result


def forbid_a(x: int) -> bool:
    """R1: Not this."""
    return x > 3


def allow(x: int) -> bool:
    {line} return not forbid_a(x)
'''
    terms = check(source)
    if line.endswith(";"):
        with pytest.raises(WorkbenchError, match=r"policy\.py:10: the contract shares a line"):
            export_policy(terms, {})
    else:
        tried_export(terms, {}, list(boundary_inputs(terms)))


def proof_of(*statuses: ProofStatus) -> Proof:
    clauses = (
        ClauseProof(f"C{place}", (), status, Engine.NAGINI) for place, status in enumerate(statuses, 1)
    )
    return Proof(tuple(clauses))


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(ProofStatus), max_size=6))
def test_the_file_names_every_clause_that_is_not_proved(statuses: list[ProofStatus]) -> None:
    summary = proof_summary(proof_of(*statuses))
    assert summary.startswith("proved") == (set(statuses) == {ProofStatus.PROVED})
    assert summary.startswith("REFUTED") == (ProofStatus.REFUTED in statuses)
    for status in set(ProofStatus) - {ProofStatus.PROVED}:
        names = [f"C{place}" for place, proof_status in enumerate(statuses, 1) if proof_status is status]
        assert (f"{status.value}: {', '.join(names)}" in summary) == bool(names)


NAMED_AS_ITS_TYPE = '''"""Flights."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

Cabin = Literal["economy", "business"]


@dataclass(frozen=True)
class Flight:
    date: date
    Cabin: Cabin


def forbid_old(flight: Flight | None, today: date) -> bool:
    """R1: No flight of an earlier day."""
    return flight is not None and flight.date < today and flight.Cabin == "economy"


def allow(flight: Flight | None, today: date) -> bool:
    return not forbid_old(flight, today)
'''


def test_a_field_may_have_the_name_of_a_type() -> None:
    text = export_policy(check(NAMED_AS_ITS_TYPE), {"session": "s"})
    early, late = date(2026, 1, 1), date(2026, 1, 2)
    flight = RecordValue("Flight", (("date", early), ("Cabin", "economy")))
    (decided,) = run_exported(text, [{"flight": flight, "today": late}])
    assert decided["verdict"] == "deny"
    with pytest.raises(WorkbenchError, match="decide is a type"):
        export_policy(check(NAMED_AS_ITS_TYPE.replace("Cabin", "decide")), {"session": "s"})


SAME_NAMES = '''
"""Fields with names that Python uses."""

from dataclasses import dataclass

type = 5


@dataclass(frozen=True)
class Order:
    type: str
    list: int


def forbid_many(past: Order | None) -> bool:
    """R1: Few only."""
    return past is not None and past.list > type


def allow(past: Order | None) -> bool:
    return not forbid_many(past)
'''


def test_a_constant_with_the_name_of_a_field_and_of_python_is_the_policys_alone() -> None:
    terms = check(SAME_NAMES)
    order = RecordValue("Order", (("type", "a"), ("list", 6)))
    text = export_policy(terms, {"session": "s"})
    inputs: list[Arguments] = [{"past": None}, {"past": order}]
    assert run_exported(text, inputs) == answers(compile_policy(terms), inputs)
