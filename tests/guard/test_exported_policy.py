"""An exported file is read without being run, and must be exactly as an export writes it."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.guard import Guard, ToolCall
from workbench.guard.export import END, HASH, START, TITLE, export_policy, file_hash
from workbench.guard.exported_policy import read_policy_files
from workbench.model import (
    Arguments,
    Json,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check

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


def test_loading_gives_decisions_with_items_and_the_facts_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {"session": "bank", "proof": "proved"}))
    loaded = read_policy_files(path)[""]
    decision = loaded.policy.decide({"amount": Decimal(5), "payees": frozenset({"alice", "eve"})})
    assert (decision.verdict, decision.violations[0].items) == (Verdict.DENY, ("eve",))
    assert loaded.header["proof"] == "proved"
    assert (
        loaded.policy.decide({"amount": "5", "payees": frozenset[str]()}).verdict is Verdict.CANNOT_EVALUATE
    )


def file_of(folder: Path, text: str) -> Path:
    path = folder / "policy.py"
    path.write_text(text, encoding="utf-8")
    return path


@settings(max_examples=examples(200), deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), character=st.sampled_from("\n #aZ9_\"'\\(\u00e9"))
def test_no_character_of_an_exported_file_can_be_changed(place: float, character: str) -> None:
    text = export_policy(check(SOURCE), {"session": "bank", "proof": "not proved: 0 of 1 clauses proved"})
    at = int(place * len(text))
    changed = text[:at] + character + text[at + 1 :]
    with TemporaryDirectory() as folder:
        path = file_of(Path(folder), changed)
        if changed == text:
            assert read_policy_files(path)[""].header["session"] == "bank"
        else:
            with pytest.raises(WorkbenchError):
                read_policy_files(path)[""]


def forged(text: str) -> str:
    """The text with a matching hash."""
    rest = text.split("\n", 2)[2]
    return f"{TITLE}\n{HASH}{file_hash(rest)}\n{rest}"


RUNS = "open('MARK', 'w').close()"
RULE = "    def forbid_large"
# The replaced texts of an exported file, and their replacements.
FORGERIES: dict[str, tuple[str, str]] = {
    "before the policy": ("\n\ndef _policy", f"\n{RUNS}\n\ndef _policy"),
    "after everything": ("_policy()\n", f"_policy()\n{RUNS}\n"),
    "an import in the header": ("# session", f"import os; {RUNS}\n# session"),
    "in the policy, at the top": (RULE, f"    {RUNS}\n\n{RULE}"),
    "in the policy, in the first column": (RULE, f"{RUNS}\n{RULE}"),
    "in a rule": ("return amount > 100", f"{RUNS}\n        return amount > 100"),
    "in a condition": ("return amount > 100", f"return {RUNS} or amount > 100"),
    "a default": ("(amount: Decimal) ->", f"(amount: Decimal = {RUNS}) ->"),
    "a decorator": (RULE, f"    @{RUNS}\n{RULE}"),
    "an annotation": ("(amount: Decimal) ->", f"(amount: {RUNS}) ->"),
    "a class": (RULE, f"    class A:\n        {RUNS}\n\n{RULE}"),
    "the contract as code": ("#|    Ensures(", f"    {RUNS}; ("),
    "in the contract": ("Implies(amount", f"Implies({RUNS} or amount"),
    "a constant": (RULE, f"    A = {RUNS}\n\n{RULE}"),
    "an end of the policy inside it": (RULE, f"{END}\n{RUNS}\n{RULE}"),
    "in the tables": ("_arguments = {", f"_arguments = {RUNS} or {{"),
    "in the runtime": ("def decide(arguments):", f"{RUNS}\n\n\ndef decide(arguments):"),
    "another decision": ('"deny" if denied', '"allow" if denied'),
    "another type": ("('decimal', (), False, 2, None)", "('str', (), False, 2, None)"),
    "another message": ("'No transfer above 100.'", "'Anything.'"),
    "another precondition": ("(amount >= 0,", "(True,"),
    "no start": (START, "# ----"),
    "no end": (END, "# ----"),
}


def refused_without_running(text: str, folder: Path) -> None:
    mark = folder / "mark"
    path = file_of(folder, forged(text.replace("MARK", str(mark))))
    with pytest.raises(WorkbenchError, match="was not run"):
        Guard.from_file(path, lambda _call, _past: {})
    assert not mark.exists()


@pytest.mark.parametrize("name", FORGERIES)
def test_a_file_with_a_fitting_hash_that_is_no_export_is_refused_and_not_run(
    name: str, tmp_path: Path
) -> None:
    text = export_policy(check(SOURCE), {"session": "bank"})
    changed = text.replace(*FORGERIES[name], 1)
    assert changed != text
    refused_without_running(changed, tmp_path)
    assert read_policy_files(file_of(tmp_path, forged(text)))[""].header == {"session": "bank"}


@pytest.mark.parametrize(
    "rest", [f"import os\n{RUNS}\n", "", "\n", f"{START}\n{RUNS}\n{END}\n", f"\n{START}\n{END}\n"]
)
def test_a_program_with_a_fitting_hash_is_refused_and_not_run(rest: str, tmp_path: Path) -> None:
    refused_without_running(f"\n\n{rest}", tmp_path)


def test_a_guard_of_a_file_decides_calls() -> None:
    with TemporaryDirectory() as folder:
        path = file_of(Path(folder), export_policy(check(SOURCE), {}))
        guard = Guard.from_file(path, lambda call, _past: cast("Arguments", call.arguments))
    payees = cast("Json", frozenset({"alice", "eve"}))
    outcome = guard.check(ToolCall("pay", {"amount": 500, "payees": payees}))
    assert [violation.rule for violation in outcome.decision.violations] == ["forbid_large", "forbid_unknown"]
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
        read_policy_files(path)[""]


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {}).replace("amount > 100", "amount > 900"))
    with pytest.raises(WorkbenchError, match="changed after its export"):
        read_policy_files(path)[""]


def test_a_file_that_is_no_export_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text("print('hello')\n")
    with pytest.raises(WorkbenchError, match="not an exported policy"):
        read_policy_files(path)[""]
