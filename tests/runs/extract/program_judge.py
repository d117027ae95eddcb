"""The decisions of the shipped hospital session on calls, compared with what the calls really read.

A call is put into a log in OpenAI's format, once for each role, and the log is replayed as by ``workbench
replay``.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.runs.extract.program_oracle import Call
from tests.runs.extract.program_runner import Reads, Runner
from workbench.app.workbench import Workbench
from workbench.model import AgentSpec, Verdict

SESSION = Path(__file__).resolve().parents[3] / "sessions" / "hospital-access"
COLUMNS = "call.code.columns"
ROLES = {
    "nursing": "Nursing",
    "physician": "Physician",
    "general administration": "General administration",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A call, what it really read, and its decisions and extracted arguments."""

    call: Call
    reads: Reads
    verdicts: Mapping[str, Verdict]
    columns: frozenset[str] | None
    reason: str
    forbidden: Mapping[str, frozenset[str]]

    @property
    def forbidden_anywhere(self) -> bool:
        """Whether it read something that one of the roles may not read."""
        return any(self.forbidden.values())

    @property
    def decided(self) -> bool:
        """Whether its columns were determined."""
        return self.columns is not None

    @property
    def silent(self) -> tuple[str, ...]:
        """The roles for which the call was allowed although it read something that they may not read."""
        return tuple(role for role, items in self.forbidden.items() if items and self._allowed(role))

    def _allowed(self, role: str) -> bool:
        return self.verdicts[role] is Verdict.ALLOW

    @property
    def missed(self) -> frozenset[str]:
        """The columns and tables that were read and not determined."""
        if self.columns is None:
            return frozenset()
        tables = {column.rpartition(".")[0] for column in self.columns}
        spelled = {table.strip().lower() for table in tables}
        missing_names = {name for name in self.reads.unknown_tables if name.strip().lower() not in spelled}
        return frozenset((self.reads.columns - self.columns) | (self.reads.loaded - tables) | missing_names)

    @property
    def wrong(self) -> bool:
        """Whether a forbidden reading was allowed, or a reading was not determined."""
        return bool(self.silent or self.missed)

    def __str__(self) -> str:
        columns = "not determined: " + self.reason if self.columns is None else f"{sorted(self.columns)}"
        really = sorted(self.reads.columns) or sorted(self.reads.loaded) or sorted(self.reads.unknown_tables)
        return (
            f"{self.call}\n--- really read: {really}\n"
            f"--- determined: {columns}\n--- allowed for: {self.silent}"
        )


class Judge:
    """Runs calls and has the session decide them; use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        """Take a folder for the logs."""
        self._folder = folder
        self._bench = Workbench.open(SESSION, read_only=True)
        self._terms = self._bench.policy.terms()
        spec = self._bench.session.spec
        self._readable = _readable(self._bench.session.written)
        self._columns = _columns(spec)
        self._runner = Runner(spec.schema)

    @property
    def roles(self) -> Sequence[str]:
        """The roles of the session."""
        return tuple(ROLES)

    def __enter__(self) -> Judge:
        self._runner.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._runner.__exit__(None, None, None)
        self._bench.close()

    def judge(self, calls: Sequence[Call]) -> Iterator[Judged]:
        """Every call with what it read and its decisions."""
        path = self._folder / "calls.jsonl"
        path.write_text("".join(line + "\n" for call in calls for line in _records(call)), encoding="utf-8")
        logs = self._bench.runs.load([path])
        decisions = self._bench.runs.decide(self._terms, logs)
        if len(decisions) != len(calls) * len(ROLES):
            raise AssertionError(f"{len(decisions)} decisions on {len(calls)} calls: {logs.problems[:3]}")
        for position, call in enumerate(calls):
            call_decisions = decisions[position * len(ROLES) : (position + 1) * len(ROLES)]
            columns = call_decisions[0].extracted[self._columns[call.tool]]
            reads = self.run(call)
            yield Judged(
                call,
                reads,
                {
                    role: decision.decision.verdict
                    for role, decision in zip(ROLES, call_decisions, strict=True)
                },
                frozenset(map(str, columns.value)) if isinstance(columns.value, frozenset) else None,
                columns.missing or "",
                {role: self.forbidden(role, reads) for role in ROLES},
            )

    def run(self, call: Call) -> Reads:
        """The readings of the texts of a call."""
        readses = [
            self._runner.python(text) if language == "python" else self._runner.sql(text)
            for language, text in call.runs
        ]
        return Reads(
            frozenset(table for reads in readses for table in reads.loaded),
            frozenset(column for reads in readses for column in reads.columns),
            "; ".join(reads.ended for reads in readses),
            frozenset(name for reads in readses for name in reads.unknown_tables),
        )

    def forbidden(self, role: str, reads: Reads) -> frozenset[str]:
        """The columns that the role may not read, and the tables of which it may read nothing."""
        readable = self._readable[role]
        tables = {column.partition(".")[0] for column in readable}
        return frozenset((reads.columns - readable) | (reads.loaded - tables))


def _readable(policy: str) -> Mapping[str, frozenset[str]]:
    """The table of the shipped policy."""
    for node in ast.parse(policy).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "READABLE":
            table: dict[str, set[str]] = ast.literal_eval(node.value)
            return {role: frozenset(columns) for role, columns in table.items()}
    raise AssertionError("the policy has no table READABLE")


def _columns(spec: AgentSpec) -> Mapping[str, str]:
    """The argument of each tool that is what the policy calls ``call.code.columns``."""
    return {
        argument.expression.tool: argument.name
        for argument in spec.arguments
        if argument.expression is not None and argument.expression.text == COLUMNS
    }


def _records(call: Call) -> Iterator[str]:
    for role, shown in ROLES.items():
        function = {"name": call.tool, "arguments": call.arguments}
        yield json.dumps(
            {
                "id": f"{role}",
                "messages": [
                    {
                        "role": "system",
                        "content": "You answer questions of hospital staff from ten databases.",
                    },
                    {"role": "user", "content": f"Identity: {shown}\nQuestion: what was read?"},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
                    },
                ],
            }
        )
