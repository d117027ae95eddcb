"""Loading a policy that ``workbench export`` wrote: one file without dependencies.

The file says in its header which session it comes from, the hash of the policy and what was
proved of it. Its body is code of the dialect; loading it runs it, so load only files that you
exported yourself. A changed body no longer fits the hash and is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import cast

from workbench.model import Decision, Value, Verdict, Violation, WorkbenchError

HEADER_END = "# ---- policy ----\n"


@dataclass(frozen=True, slots=True)
class ExportedPolicy:
    """A loaded policy file: what its header says, and its decisions."""

    path: Path
    header: Mapping[str, str]
    decide_function: Callable[[Mapping[str, Value]], Mapping[str, object]]

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The decision on an argument vector; whatever goes wrong cannot be evaluated."""
        try:
            found = self.decide_function(arguments)
            verdict = Verdict(cast(str, found["verdict"]))
            violations = tuple(
                Violation(
                    cast(str, item["rule"]), cast(str, item["message"]), tuple(cast(list[str], item["items"]))
                )
                for item in cast(list[Mapping[str, object]], found["violations"])
            )
            reasons = tuple(cast(list[str], found["reasons"]))
        except Exception as error:  # a guard must refuse, whatever an input made of the policy
            return Decision(Verdict.CANNOT_EVALUATE, (), arguments, (f"the policy failed: {error}",))
        return Decision(verdict, violations, arguments, reasons)


def load_policy(path: Path | str) -> ExportedPolicy:
    """Load an exported policy; raises WorkbenchError if the file is none or was changed."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbenchError(f"{file} cannot be read: {error}. Export the policy again.") from error
    head, mark, body = text.partition(HEADER_END)
    header = {
        name.strip(): value.strip()
        for name, _, value in (line[2:].partition(":") for line in head.splitlines() if line.startswith("# "))
        if value
    }
    if not mark or "sha256" not in header:
        raise WorkbenchError(f"{file} is not an exported policy. Write one with `workbench export`.")
    if hashlib.sha256(body.encode()).hexdigest() != header["sha256"]:
        raise WorkbenchError(f"{file} was changed after its export. Change the session and export again.")
    namespace: dict[str, object] = {"__name__": "exported_policy"}
    code: CodeType = compile(body, str(file), "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102  the body is what was exported: its hash has just been checked
    decide = cast(Callable[[Mapping[str, Value]], Mapping[str, object]], namespace["decide"])
    return ExportedPolicy(file, header, decide)
