"""An exported policy decides like the session's, without the workbench, and cannot be changed unseen."""

from __future__ import annotations

import io
import json
import os
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
from workbench.guard.exported_text import disclosed, enclosed
from workbench.guard.policy_file import PolicyFile, read_policy_file
from workbench.logs.calls import live_step
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    ClauseProof,
    Engine,
    Extraction,
    Json,
    Kind,
    Proof,
    ProofStatus,
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


NAMES_OF_ELSEWHERE = [
    "decide",
    "type",
    "isinstance",
    "list",
    "sorted",
    "abs",
    "min",
    "max",
    "sum",
    "map",
    "filter",
    "tuple",
    "range",
    "zip",
    "object",
    "bytes",
    "repr",
    "hash",
    "id",
    "iter",
    "next",
    "open",
    "exec",
    "eval",
    "compile",
    "globals",
    "vars",
    "getattr",
    "setattr",
    "super",
    "property",
    "staticmethod",
    "classmethod",
    "Exception",
    "TypeError",
    "KeyError",
    "OverflowError",
    "values",
    "value",
    "reasons",
    "reason",
    "arguments",
    "names",
    "violations",
    "permitted",
    "rule",
    "message",
    "items",
    "elements",
    "given",
    "found",
    "text",
    "kind",
    "wanted",
    "digits",
    "exponent",
    "places",
    "module",
    "spec",
    "sys",
    "math",
    "json",
    "importlib",
    "Policy",
    "name",
    "error",
    "answer",
]
OF_THE_RUNTIME = [
    "_ARGUMENTS",
    "_RULES",
    "_DEFAULT_ALLOW",
    "_policy",
    "_allow",
    "_decide",
    "_taken",
    "_misfit",
    "_because",
    "_datetime",
]
OF_THE_DIALECT = [
    "any",
    "all",
    "len",
    "frozenset",
    "set",
    "dict",
    "bool",
    "int",
    "str",
    "float",
    "print",
    "Decimal",
    "date",
    "time",
    "datetime",
    "Literal",
]
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


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
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


def file_of(folder: Path, text: str) -> Path:
    path = folder / "policy.py"
    path.write_text(text, encoding="utf-8")
    return path


@settings(max_examples=200, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), character=st.sampled_from("\n #aZ9_\"'\\(\u00e9"))
def test_no_character_of_an_exported_file_can_be_changed(place: float, character: str) -> None:
    text = export_policy(check(SOURCE), {"session": "bank", "proof": "not proved: 0 of 1 clauses proved"})
    at = int(place * len(text))
    changed = text[:at] + character + text[at + 1 :]
    with TemporaryDirectory() as folder:
        path = file_of(Path(folder), changed)
        if changed == text:
            assert read_policy_file(path).header["session"] == "bank"
        else:
            with pytest.raises(WorkbenchError):
                read_policy_file(path)


def forged(text: str) -> str:
    """The text with a hash that fits it."""
    rest = text.split("\n", 2)[2]
    return f"{TITLE}\n{HASH}{fingerprint(rest)}\n{rest}"


RUNS = "open('MARK', 'w').close()"
FORGERIES: dict[str, Callable[[str], str]] = {
    "before the policy": lambda text: text.replace("\n\ndef _policy", f"\n{RUNS}\n\ndef _policy", 1),
    "after everything": lambda text: f"{text}{RUNS}\n",
    "an import in the header": lambda text: text.replace("# session", f"import os; {RUNS}\n# session", 1),
    "in the policy, at the top": lambda text: text.replace(
        "    def forbid_large", f"    {RUNS}\n\n    def forbid_large"
    ),
    "in the policy, in the first column": lambda text: text.replace(
        "    def forbid_large", f"{RUNS}\n    def forbid_large"
    ),
    "in a rule": lambda text: text.replace("return amount > 100", f"{RUNS}\n        return amount > 100"),
    "in a condition": lambda text: text.replace("return amount > 100", f"return {RUNS} or amount > 100"),
    "a default": lambda text: text.replace("(amount: Decimal) ->", f"(amount: Decimal = {RUNS}) ->", 1),
    "a decorator": lambda text: text.replace("    def forbid_large", f"    @{RUNS}\n    def forbid_large"),
    "an annotation": lambda text: text.replace("(amount: Decimal) ->", f"(amount: {RUNS}) ->", 1),
    "a class": lambda text: text.replace(
        "    def forbid_large", f"    class A:\n        {RUNS}\n\n    def forbid_large"
    ),
    "the contract as code": lambda text: text.replace("#|    Ensures(", f"    {RUNS}; (", 1),
    "in the contract": lambda text: text.replace("Implies(amount", f"Implies({RUNS} or amount", 1),
    "a constant": lambda text: text.replace(
        "    def forbid_large", f"    A = {RUNS}\n\n    def forbid_large"
    ),
    "an end of the policy inside it": lambda text: text.replace(
        "    def forbid_unknown", f"# ---- the end of the policy ----\n{RUNS}\n    def forbid_unknown"
    ),
    "in the tables": lambda text: text.replace("_arguments = {", f"_arguments = {RUNS} or {{", 1),
    "in the runtime": lambda text: text.replace(
        "def decide(arguments):", f"{RUNS}\n\n\ndef decide(arguments):"
    ),
    "another decision": lambda text: text.replace('"deny" if violations', '"allow" if violations'),
    "another type": lambda text: text.replace("('decimal', (), False, 2)", "('str', (), False, 2)"),
    "another message": lambda text: text.replace("'No transfer above 100.'", "'Anything.'"),
    "another precondition": lambda text: text.replace("(amount >= 0,", "(True,", 1),
    "nothing but a program": lambda text: "\n".join(["", "", f"import os\n{RUNS}\n"]),
    "no policy": lambda text: "\n\n",
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_file_with_a_fitting_hash_that_is_no_export_is_refused_and_not_run(
    what: str, tmp_path: Path
) -> None:
    text = export_policy(check(SOURCE), {"session": "bank"})
    mark = tmp_path / "mark"
    changed = FORGERIES[what](text).replace("MARK", str(mark))
    assert changed != text
    path = file_of(tmp_path, forged(changed))
    with pytest.raises(WorkbenchError, match="was not run"):
        Guard.from_file(path, lambda _call, _past: {})
    assert not mark.exists()
    assert read_policy_file(file_of(tmp_path, forged(text))).header == {"session": "bank"}


def test_a_guard_of_a_file_decides_calls() -> None:
    with TemporaryDirectory() as folder:
        path = file_of(Path(folder), export_policy(check(SOURCE), {}))
        guard = Guard.from_file(path, lambda call, _past: cast("Arguments", call.arguments))
    payees = cast("Json", frozenset({"alice", "eve"}))
    outcome = guard.check(ToolCall("pay", {"amount": 500, "payees": payees}))
    assert [one.rule for one in outcome.decision.violations] == ["forbid_large", "forbid_unknown"]
    assert outcome.decision.violations[1].items == ("eve",)
    assert guard.check(ToolCall("pay", {"amount": 5, "payees": cast("Json", frozenset({"bob"}))})).runs


@pytest.mark.parametrize("kind", ["fifo", "folder", "absent", "device", "binary", "dangling", "loop"])
def test_what_is_no_file_is_refused_as_a_policy_and_never_waits(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "binary":
            path.write_bytes(b"\xff\xfe")
        case "dangling":
            path.symlink_to(tmp_path / "nowhere")
        case "loop":
            path.symlink_to(path)
        case "device":
            path = Path("/dev/zero")
        case _:
            pass
    with pytest.raises(WorkbenchError):
        read_policy_file(path)


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
    assert [one["verdict"] for one in run_exported(text, inputs)] == ["deny", "deny", "allow"]
    assert read_back(text).terms.source == terms.source


@settings(max_examples=100, deadline=None)
@given(policies())
def test_the_file_holds_the_whole_text_of_the_policy(source: str) -> None:
    terms = check(source)
    assert disclosed(enclosed(terms.source)) == terms.source


@pytest.mark.parametrize(
    "line",
    [
        "Ensures(Result()); return not forbid_a(x)",
        "Ensures(Result()); Ensures(Result())\n    return not forbid_a(x)",
    ],
)
def test_a_contract_that_shares_a_line_is_exported_or_refused_with_a_sentence(line: str) -> None:
    source = f'''from nagini_contracts.contracts import Ensures, Result


def forbid_a(x: int) -> bool:
    """R1: Not this."""
    return x > 3


def allow(x: int) -> bool:
    {line}
'''
    terms = check(source)
    if "; return" in line:
        with pytest.raises(WorkbenchError, match="policy.py:10: the contract shares a line"):
            export_policy(terms, {})
    else:
        tried_export(terms, {}, list(boundary_inputs(terms)))


def proof_of(*statuses: ProofStatus) -> Proof:
    clauses = (
        ClauseProof(f"C{place}", (), status, Engine.NAGINI) for place, status in enumerate(statuses, 1)
    )
    return Proof(tuple(clauses))


@settings(max_examples=100)
@given(st.lists(st.sampled_from(ProofStatus), max_size=6))
def test_the_file_names_every_clause_that_is_not_proved(statuses: list[ProofStatus]) -> None:
    said = proof_summary(proof_of(*statuses))
    assert said.startswith("proved") == (set(statuses) == {ProofStatus.PROVED})
    assert said.startswith("REFUTED") == (ProofStatus.REFUTED in statuses)
    for status in set(ProofStatus) - {ProofStatus.PROVED}:
        names = [f"C{place}" for place, one in enumerate(statuses, 1) if one is status]
        assert (f"{status.value}: {', '.join(names)}" in said) == bool(names)


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
