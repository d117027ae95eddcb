"""EHRAgent's text logs: sections between lines of dashes, the code in ``{"cell": ...}`` objects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.model import ImportProblem, Run
from workbench.runs.logs.importer import LoggedCall, build_run, stem
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import BadJson, parse_json

_RULE = re.compile(r"-{20,}\s*")
_CELL = re.compile(r'\A\s*\{(?=.*"cell"\s*:)', re.DOTALL)


class EhrAgent:
    """Reads each file as one run: every attempt to run code is a call, in order."""

    name = "ehragent"

    def matches(self, sample: Sample) -> float:
        """High for dashed sections with code cells, lower without cells, which a cut-off file may lack."""
        rules = sum(1 for line in sample.head.splitlines() if _RULE.fullmatch(line))
        if rules < 2 or sample.head.lstrip().startswith(("{", "[")):
            return 0.0
        cells = any(_CELL.match(part) for part in re.split(r"^-{20,}\s*$", sample.head, flags=re.MULTILINE))
        return 0.95 if cells else 0.55

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run; the result of a cell is the section after it."""
        sections = list(_sections(source))
        question = sections[0][1].strip() if sections else ""
        calls: list[LoggedCall] = []
        awaiting: LoggedCall | None = None
        for line, text in sections[1:]:
            if _CELL.match(text):
                call = LoggedCall(tool="python", raw=text.strip(), texts={"agent_input": question})
                try:
                    value = parse_json(text)
                    cell = value.get("cell") if isinstance(value, dict) else None
                except BadJson as error:
                    cell = None
                    yield ImportProblem(str(source.path), line, f"the code cell cannot be read: {error}")
                if isinstance(cell, str):
                    call.texts["code"] = cell
                calls.append(call)
                awaiting = call
            elif awaiting is not None:
                awaiting.result = text.strip()
                awaiting = None
        if not calls:
            yield ImportProblem(str(source.path), 1, "the log holds no code cell")
            return
        context = {"question": question}
        yield build_run(stem(source.path), calls, {**context}, self.name, source, "line 1")


def _sections(source: LogSource) -> Iterator[tuple[int, str]]:
    start = 1
    lines: list[str] = []
    for number, line in source.lines():
        if _RULE.fullmatch(line):
            yield start, "\n".join(lines)
            start, lines = number + 1, []
        else:
            lines.append(line)
    yield start, "\n".join(lines)
