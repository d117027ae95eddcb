"""Trial of an exported file before it is written: it must decide like the policy it was made from."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from workbench.engines.compiled.compile import compile_policy
from workbench.guard.export import ExportedPart, export_policies
from workbench.guard.several_policies import named, together
from workbench.model import Arguments, RecordValue, Value, WorkbenchError
from workbench.policy.deciding import answer_of

_SECONDS = 120
_CHILD = """
import importlib.util, json, pickle, sys
sys.dont_write_bytecode = True
inputs = pickle.load(sys.stdin.buffer)
spec = importlib.util.spec_from_file_location("exported_policy", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
json.dump([module.decide(arguments) for arguments in inputs], sys.stdout)
"""


def tried_export(parts: Mapping[str, ExportedPart], inputs: Mapping[str, Sequence[Arguments]]) -> str:
    """The text of the exported file of policies, after it decided their inputs as their sessions do together.

    Inputs are taken in turn, by the policy's name; a policy with fewer inputs starts again from its first.
    Raises WorkbenchError, naming the first input, if the file decides otherwise or does not run.
    """
    policies = {name: compile_policy(part.terms) for name, part in parts.items()}
    length = max(map(len, inputs.values()))
    turns = [{name: _input_of_turn(inputs[name], turn) for name in parts} for turn in range(length)]
    if len(parts) == 1:
        ((name, policy),) = policies.items()
        text = export_policies(parts, f"{length} inputs, each decided as in the session")
        given = inputs[name]
        decisions = [policy.decide(arguments) for arguments in given]
    else:
        text = export_policies(
            parts, f"{length} inputs of all policies, each decided as by the sessions together"
        )
        given = [
            {named(name, key): value for name, own in turn.items() for key, value in own.items()}
            for turn in turns
        ]
        decisions = [
            together({name: policies[name].decide(own) for name, own in turn.items()}) for turn in turns
        ]
    for arguments, answer, decision in zip(given, run_exported(text, given), decisions, strict=True):
        expected = answer_of(decision)
        if answer != expected:
            raise WorkbenchError(
                f"The policy was not exported: its file decides {answer['verdict']} "
                f"where the session decides {expected['verdict']}, on {_shown(arguments)}. "
                "Please report this."
            )
    return text


def _input_of_turn(inputs: Sequence[Arguments], turn: int) -> Arguments:
    """The input of a policy in a turn; empty if the policy has no inputs."""
    return inputs[turn % len(inputs)] if inputs else {}


def _plain_arguments(arguments: Arguments) -> dict[str, object]:
    """The arguments as an exported file takes them: records as dicts."""
    return {name: _plain(value) for name, value in arguments.items()}


def _plain(value: Value) -> object:
    if isinstance(value, RecordValue):
        return {name: _plain(held) for name, held in value.fields}
    return tuple(_plain(element) for element in value) if isinstance(value, tuple) else value


def run_exported(text: str, inputs: Sequence[Arguments]) -> list[Mapping[str, object]]:
    """The decisions of an exported file, run alone by an isolated Python process.

    Raises WorkbenchError if it does not run.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-export-") as folder:
        path = Path(folder) / "exported_policy.py"
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-I", "-S", "-c", _CHILD, str(path)]
        try:
            run = subprocess.run(
                command,
                input=pickle.dumps([_plain_arguments(arguments) for arguments in inputs]),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                cwd=folder,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorkbenchError(
                f"The policy was not exported: its file could not be tried ({type(error).__name__})."
            ) from error
    if run.returncode:
        last = run.stderr.decode("utf-8", "replace").strip().split("\n")[-1][:200]
        raise WorkbenchError(
            f"The policy was not exported: its file does not run ({last}). Please report this."
        )
    return cast("list[Mapping[str, object]]", json.loads(run.stdout))


def _shown(arguments: Arguments) -> str:
    return ", ".join(f"{name} = {value!r:.60}" for name, value in arguments.items())
