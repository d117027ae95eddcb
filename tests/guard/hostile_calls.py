"""Hostile accepted versions of policies of calls, each opened under a limit of memory.

Run as a program with a folder, it opens all of them and prints what came of each as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.accepting import accepted
from tests.app.written_desk import POLICY, written_desk
from workbench.app.workbench import Workbench
from workbench.guard import Mode, Strategy, ToolCall
from workbench.model import WorkbenchError
from workbench.session.accepted_version import AcceptedVersion, accepted_version, write_accepted_version

if TYPE_CHECKING:
    from workbench.app.policy import Policy

MEMORY = 1_000_000_000
MARK = "mark"
_RUNS = f"open({MARK!r}, 'w').close()"
_DEEP = 20_000

TEXTS: Mapping[str, str] = {
    "a call of a builtin": _RUNS,
    "an import": f"__import__('pathlib').Path({MARK!r}).touch()",
    "attributes of the class": "call.__class__.__mro__",
    "a dunder of the run": "run.__init__.__globals__",
    "a builtin by its name": "open",
    "eval": f"eval({_RUNS!r})",
    "an f-string": f"f'{{{_RUNS}}}'",
    "a lambda": f"(lambda: {_RUNS})()",
    "a walrus": f"(mark := {_RUNS})",
    "a comprehension": f"any({_RUNS} for c in run.earlier(PayInvoice))",
    "an awaited value": "(await call.total)",
    "a statement": f"import os\n{_RUNS}",
    "an assignment": "x = call.total",
    "two expressions": "call.total\ncall.total",
    "nothing": "",
    "a comment": "# call.total",
    "no Python": "call.total >",
    "a null character": "call.total\0",
    "an invisible character": "call.total\u200b",
    "deep brackets": "(" * _DEEP + "call.total" + ")" * _DEEP,
    "deep negations": "not " * _DEEP + "call.total",
    "deep signs": "-" * _DEEP + "call.total",
    "a long path": "call" + ".total" * _DEEP,
    "a long sum": " + ".join(["call.total"] * _DEEP),
    "deep conditions": "call.total if True else (" * _DEEP,
    "a huge number": "9" * 1_000_000,
    "a huge hexadecimal number": "0x" + "f" * 1_000_000,
    "a huge exponent": "Decimal('1e999999999')",
    "a power": "10 ** 10 ** 10",
    "a shift": "1 << 10 ** 10",
    "a long text": "'" + "a" * 5_000_000 + "'",
    "a repeated text": "'a' * 10 ** 10",
    "an unknown record": "run.no_such(call.total)",
    "an unknown tool": "run.earlier(NoSuch)",
    "records in records": "run.trip(" * _DEEP + "call.trip_id" + ")" * _DEEP,
}
"""Texts in the place of an expression."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What came of a hostile file: the sentence that refuses it, or the error that nobody expected."""

    sentence: str
    unexpected: str = ""
    ran: bool = False


def opened(open_file: Callable[[], str]) -> Opened:
    """The sentence of a file that is opened in this folder."""
    mark = Path(MARK)
    try:
        sentence, unexpected = open_file(), ""
    except WorkbenchError as error:
        sentence, unexpected = str(error), ""
    except BaseException as error:
        sentence, unexpected = "", f"{type(error).__name__}: {error}"[:500]
    ran = mark.exists()
    mark.unlink(missing_ok=True)
    return Opened(sentence, unexpected, ran)


# --- accepted versions --------------------------------------------------------------

_PAID = "return paid(call, run) > LIMIT"
_SCHEMA = "[tools.deep]\nparameters = {parameters}\n"


def _nested(depth: int) -> str:
    return '{type = "object", properties = {a = ' * depth + '{type = "string"}' + "}}" * depth


def accepted_texts(version: AcceptedVersion) -> dict[str, AcceptedVersion]:
    """Hostile accepted versions by name, made of a good one, each with a hash that is right for it."""
    agent = version.texts["agent.toml"]
    changes = {
        f"policy: {name}": {"policy.py": POLICY.replace(_PAID, f"return {hostile} > LIMIT")}
        for name, hostile in TEXTS.items()
    }
    run = f"_ = {_RUNS}"
    changes |= {
        "policy: a statement at the top": {"policy.py": POLICY.replace("DEFAULT =", f"{run}\nDEFAULT =")},
        "policy: a decorator": {"policy.py": POLICY.replace("def paid(", f"@{_RUNS}\ndef paid(")},
        "policy: a default": {"policy.py": POLICY.replace("run: Run)", f"run: Run = {_RUNS})", 1)},
        "policy: an annotation": {"policy.py": POLICY.replace("run: Run)", f"run: {_RUNS})", 1)},
        "policy: a class": {"policy.py": POLICY.replace("DEFAULT =", f"class A:\n    {run}\nDEFAULT =")},
        "policy: a constant": {"policy.py": POLICY.replace('Decimal("5000")', _RUNS, 1)},
        "policy: a dunder from agent": {"policy.py": POLICY.replace("PayInvoice, Run", "__loader__, Run")},
        "policy: a fact of itself": {
            "policy.py": POLICY.replace("return call.total +", "return paid(call, run) +")
        },
        "policy: empty but for its import": {"policy.py": "from agent import Run\n"},
        "agent: a deep schema": {"agent.toml": agent + _SCHEMA.format(parameters=_nested(300))},
        "agent: a very deep schema": {"agent.toml": agent + _SCHEMA.format(parameters=_nested(5_000))},
        "agent: a schema of itself": {
            "agent.toml": agent
            + _SCHEMA.format(parameters='{type = "object", properties = {a = {"$ref" = "#"}}}')
        },
        "agent: no table": {"agent.toml": "tools = 7\n"},
        "agent: arguments of its own": {
            "agent.toml": agent + f"[arguments.own]\ntype = 'str'\nextract = {{of = {json.dumps(_RUNS)}}}\n"
        },
        "policy: over plain arguments": {
            "policy.py": 'def allow(total: str) -> bool:\n    return total == "1"\n'
        },
        "agent: a hostile class name": {
            "agent.toml": agent + f"[tools.own]\nclass_name = {json.dumps(_RUNS)}\n"
        },
    }
    return {name: replace(version, texts={**version.texts, **texts}) for name, texts in changes.items()}


def store(version: AcceptedVersion, folder: Path) -> None:
    """Write a version with a right hash, as somebody else's session has it."""
    hashed = accepted_version(version.when, version.by, version.texts, version.files, version.anyway)
    (folder / "accepted.toml").write_text(write_accepted_version(hashed), encoding="utf-8")


def open_accepted(folder: Path, version: AcceptedVersion) -> str:
    """Guard by an accepted version; the sentence by which it denies, or the verdict of a call."""
    store(version, folder)
    bench = Workbench.open(folder, read_only=True)
    try:
        return _denial(bench.policy)
    finally:
        bench.close()


def _denial(policy: Policy) -> str:
    guard = policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, note=lambda _sentence: None)
    decision = guard.check(ToolCall("pay_invoice", {"total": 1})).decision
    rules = {violation.rule: violation.message for violation in decision.violations}
    return rules.get("not_accepted") or f"opened: {decision.verdict}"


def main(folder: Path) -> None:
    """Open every hostile file in this folder, and print what came of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    desk = written_desk(folder)
    bench = accepted(Workbench.open(desk))
    version = bench.session.accepted_version
    bench.close()
    assert version is not None
    results: dict[str, Opened] = {}
    for name, changed in accepted_texts(version).items():
        results[name] = opened(lambda changed=changed: open_accepted(desk, changed))
    came_of = {name: (one.sentence, one.unexpected, one.ran) for name, one in results.items()}
    sys.stdout.write(json.dumps(came_of))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
