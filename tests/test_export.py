"""An exported policy decides like the session's, without the workbench, and cannot be changed unseen."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.policy_strategies import TYPES, arguments_for, policies
from workbench.check.boundary_inputs import boundary_inputs
from workbench.extract import Extractor
from workbench.guard import Guard, ToolCall
from workbench.guard.export import HASH, TITLE, export_policy, fingerprint, proof_summary
from workbench.guard.export_trial import answer_of, run_exported, tried_export
from workbench.guard.policy_file import PolicyFile, read_policy_file
from workbench.logs.calls import live_step
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.compile import CompiledPolicy, compile_policy
from workbench.policy.problems import PolicyError
from workbench.replay.decide import DecisionCache

SPEC = AgentSpec(
    "bank",
    arguments=(
        Argument(
            "amount", ArgumentType(Kind.DECIMAL), "", Extraction("jsonpath", {"path": "$.arguments.amount"})
        ),
        Argument("count", ArgumentType(Kind.INT), "", Extraction("jsonpath", {"path": "$.arguments.count"})),
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


NAMES_OF_ELSEWHERE = (
    "decide type isinstance list sorted abs min max sum map filter tuple range zip object bytes repr "
    "hash id iter next open exec eval compile globals vars getattr setattr super property staticmethod "
    "classmethod Exception TypeError KeyError OverflowError values value reasons reason arguments names "
    "violations permitted rule message items elements given found text kind wanted digits exponent places "
    "module spec sys math json importlib Policy name error answer"
).split()
OF_THE_RUNTIME = (
    "_ARGUMENTS _RULES _DEFAULT_ALLOW _policy _allow _decide _taken _misfit _because _datetime".split()
)
OF_THE_DIALECT = (
    "any all len frozenset set dict bool int str float print Decimal date time datetime Literal".split()
)
WITH_HELPER = '''"""A policy with a name of its own."""


def NAME(number: int) -> bool:
    return number < 21


def forbid_young(age: int) -> bool:
    """R1: Nobody under 21."""
    return NAME(age)


def allow(age: int) -> bool:
    return not forbid_young(age)
'''
WITH_ARGUMENT = '''"""A policy with a name of its own."""

KNOWN = {"a", "b"}


def listed(NAME: frozenset[str]) -> bool:
    return all(word in KNOWN for word in NAME)


def forbid_other(NAME: frozenset[str]) -> bool:
    """R1: Only what is listed."""
    return not listed(NAME)


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


def read_back(text: str) -> CompiledPolicy:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.py"
        path.write_text(text, encoding="utf-8")
        policy = Guard.from_file(path, lambda _call, _past: {}).policy
    assert isinstance(policy, PolicyFile)
    return policy.policy


def decide_alike(source: str) -> None:
    terms = check(source)
    inputs = tuple(boundary_inputs(terms))
    text = tried_export(terms, {"session": "s"}, inputs)
    session = answers(compile_policy(terms), inputs)
    assert {answer["verdict"] for answer in session} >= {"allow", "deny", "cannot-evaluate"}
    assert answers(read_back(text), inputs) == session


def rules(make: Callable[[int, str], str], before: Callable[[int, str], str], parameters: str) -> str:
    """One policy with a rule for each of the names: ``before`` defines it, ``make`` is the rule's body."""
    names = list(enumerate(NAMES_OF_ELSEWHERE))
    given = ", ".join(part.split(":")[0] for part in parameters.split(", "))
    parts = ['"""A policy with names of elsewhere."""\n', *(before(number, name) for number, name in names)]
    parts += [
        f'\n\ndef forbid_{number}({parameters}) -> bool:\n    """R{number}: Rule {number}."""\n{make(number, name)}\n'
        for number, name in names
    ]
    called = " or ".join(f"forbid_{number}({given})" for number, _ in names)
    return "".join([*parts, f"\n\ndef allow({parameters}) -> bool:\n    return not ({called})\n"])


OF_MANY_NAMES = {
    "helpers": rules(
        lambda number, name: f"    return {name}(age)",
        lambda number, name: f"\n\ndef {name}(age: int) -> bool:\n    return age == {number}\n",
        "age: int",
    ),
    "constants": rules(
        lambda number, name: f"    return any(word in {name} for word in words)",
        lambda number, name: f'\n{name} = {{"w{number}", "x{number}"}}',
        "words: frozenset[str]",
    ),
    "locals": rules(
        lambda number, name: f"    {name} = age == {number}\n    return {name} and age in {{1, {number}}}",
        lambda number, name: "",
        "age: int",
    ),
    "elements": rules(
        lambda number, name: f'    return any({name} == "w{number}" for {name} in words)',
        lambda number, name: "",
        "words: frozenset[str]",
    ),
}


@pytest.mark.parametrize("kind", OF_MANY_NAMES)
def test_a_policy_with_many_names_of_elsewhere_decides_alike(kind: str) -> None:
    decide_alike(OF_MANY_NAMES[kind])


@pytest.mark.parametrize("source", [WITH_HELPER, WITH_ARGUMENT, WITH_CONSTANT, WITH_LOCAL])
@pytest.mark.parametrize("name", ["decide", "type", "isinstance", "list", "sorted", "abs", "values", "repr"])
def test_a_policy_with_a_name_of_elsewhere_decides_alike(source: str, name: str) -> None:
    decide_alike(source.replace("NAME", name))


@pytest.mark.parametrize("name", [*OF_THE_RUNTIME, *OF_THE_DIALECT])
@pytest.mark.parametrize("source", [WITH_HELPER, WITH_ARGUMENT, WITH_CONSTANT, WITH_LOCAL])
def test_names_of_the_runtime_and_of_the_dialect_are_refused_by_the_checker(name: str, source: str) -> None:
    with pytest.raises(PolicyError):
        check(source.replace("NAME", name))


RENAMED = (
    "holds",
    "score",
    "suits",
    "known",
    *TYPES,
    "LIMIT",
    "RATE",
    "NAMES",
    "READABLE",
    "COST",
    "LABEL",
    "Role",
)


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


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_policies_with_names_of_elsewhere_decide_alike_in_session_file_and_guard(
    data: st.DataObject,
) -> None:
    drawn = data.draw(st.lists(st.sampled_from(NAMES_OF_ELSEWHERE), min_size=4, max_size=12, unique=True))
    places = data.draw(st.permutations(RENAMED))
    try:
        terms = check(renamed(data.draw(policies()), dict(zip(places, drawn, strict=False))))
    except PolicyError:
        return  # two names met in the policy itself
    some = data.draw(st.lists(arguments_for(terms), min_size=1, max_size=30))
    inputs = [*some, *boundary_inputs(terms)]
    text = export_policy(terms, {"session": "s"})
    session = answers(compile_policy(terms), inputs)
    assert run_exported(text, inputs) == session
    assert answers(read_back(text), inputs) == session


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
def limits(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompiledPolicy, PolicyFile]:
    terms = check(LIMITS)
    path = tmp_path_factory.mktemp("limits") / "policy.py"
    path.write_text(export_policy(terms, {}), encoding="utf-8")
    return compile_policy(terms), read_policy_file(path)


@settings(deadline=None, max_examples=500)
@given(NUMBERS, NUMBERS)
def test_numbers_of_json_are_decided_alike_by_guard_file_and_replay(
    limits: tuple[CompiledPolicy, PolicyFile], amount: Json, count: Json
) -> None:
    policy, exported = limits
    given_raw = cast("Arguments", {"amount": amount, "count": count})
    guarded = policy.decide(given_raw)
    from_file = exported.decide(given_raw)
    assert (from_file.verdict, from_file.violations) == (guarded.verdict, guarded.violations)
    assert from_file.reasons == guarded.reasons
    call = json.dumps({"amount": amount, "count": count})
    step = live_step("pay", call, "{}", trace="t", index=0)
    replayed = DecisionCache(policy).decide(Extractor(SPEC.arguments, SPEC).extract(step))
    texts = isinstance(amount, str) or isinstance(count, str)
    if not texts:  # a text that says a number is read by extraction, and no number to a policy
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


def test_loading_gives_decisions_with_items_and_the_facts_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {"session": "bank", "proof": "proved"}))
    loaded = read_policy_file(path)
    decision = loaded.decide({"amount": Decimal(5), "payees": frozenset({"alice", "eve"})})
    assert (decision.verdict, decision.violations[0].items) == (Verdict.DENY, ("eve",))
    assert loaded.header["proof"] == "proved"
    assert loaded.decide({"amount": "5", "payees": frozenset[str]()}).verdict is Verdict.CANNOT_EVALUATE


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {}).replace("amount > 100", "amount > 900"))
    with pytest.raises(WorkbenchError, match="changed after its export"):
        read_policy_file(path)


def test_a_file_that_is_no_export_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text("print('hello')\n")
    with pytest.raises(WorkbenchError, match="not an exported policy"):
        read_policy_file(path)
