"""CPU time of the travel desk's policy of calls.

Run: python benchmarks/calls_speed.py

A decision is one of the last of a run of many calls, each of which was answered: the arguments are
extracted and decided as a live guard does it. Reading is the way from the text of the policy to what the
engines see. An edit lets one rule never fire; of all rules, the median counts. The start of a guard is the
opening of an exported file, which has a size, in a new process. The commands are ``workbench request`` and
``workbench replay`` on the session's logs, as they run from stored bytecode. Nagini proves the clauses
that the preview does not refute, from cold. The best of a few measurements counts, but Nagini runs once.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic, process_time

from tests.plain_policies import check
from workbench.app.workbench import Workbench
from workbench.check.proof.prover import Prover
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.lowered_policy import lowered_calls
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.smt.preview import preview
from workbench.engines.smt.solved_queries import forget
from workbench.model import AgentSpec, ProofStatus, RecordedCall
from workbench.policy.terms import Constant, PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

ROOT = Path(__file__).resolve().parent.parent
DESK = ROOT / "sessions" / "travel-desk"
REPEATS = 3
LENGTHS = (100, 10_000)
COMMANDS = {"command_seconds": "request", "replay_command_seconds": "replay"}
LAST = 200
"""The number of last calls whose times are averaged."""
_WARM = '''\
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_large(amount: int) -> bool:
    """R1: No more than 10."""
    return amount > 10


def allow(amount: int) -> bool:
    Ensures(Implies(amount > 10, not Result()))
    return not forbid_large(amount)
'''


def best(measured: Callable[[], float]) -> float:
    """The smallest of a few measurements."""
    return min(measured() for _ in range(REPEATS))


def long_run(calls: Sequence[RecordedCall], length: int) -> list[RecordedCall]:
    """A run of this many calls, which repeats the calls of a log."""
    return [
        replace(calls[place % len(calls)], run="long", index=place, known_from=place + 1, look_ups=())
        for place in range(length)
    ]


def decision_milliseconds(terms: PolicyTerms, spec: AgentSpec, calls: Sequence[RecordedCall]) -> float:
    """CPU milliseconds of a decision among the last calls of a run."""
    names = {argument.name for argument in terms.arguments}
    arguments = [argument for argument in spec.arguments if argument.name in names]
    extractor, policy = Extractor(arguments, spec), compile_policy(terms)
    first = len(calls) - min(LAST, len(calls) // 2)
    for place in range(first):
        if place % 100 == 0 or place == first - 1:
            decision_on(policy, extractor.extract(calls[place], Earlier(calls, place)))
    start = process_time()
    for place in range(first, len(calls)):
        decision_on(policy, extractor.extract(calls[place], Earlier(calls, place)))
    return (process_time() - start) / (len(calls) - first) * 1000


def reading_milliseconds(source: str, agent: AgentSpec) -> float:
    """CPU milliseconds from the text of the policy to what the engines see."""
    start = process_time()
    lowered_calls(check_calls(source, agent_types(agent)))
    return (process_time() - start) * 1000


def preview_milliseconds(terms: PolicyTerms) -> float:
    """CPU milliseconds of the first preview per clause."""
    forget()
    start = process_time()
    preview(terms)
    return (process_time() - start) / len(terms.clauses) * 1000


def edit_milliseconds(terms: PolicyTerms) -> float:
    """CPU milliseconds of the preview per clause after an edit of one rule: the median of all rules."""
    return median(
        best(partial(_after_edit, terms, place)) / len(terms.clauses) for place in range(len(terms.rules))
    )


def _after_edit(terms: PolicyTerms, place: int) -> float:
    forget()
    preview(terms)
    rules = list(terms.rules)
    rules[place] = replace(rules[place], body=Constant(False))
    edited = replace(terms, interpreted=True, rules=tuple(rules))
    start = process_time()
    preview(edited)
    return (process_time() - start) * 1000


def nagini_seconds(terms: PolicyTerms) -> float:
    """Seconds of Nagini per clause that it can prove, from cold, in a verifier that has started."""
    refuted = {clause.clause for clause in preview(terms).clauses if clause.status is ProofStatus.REFUTED}
    terms = replace(terms, clauses=tuple(clause for clause in terms.clauses if clause.id not in refuted))
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)
        try:
            prover.prove(check(_WARM))
            start = monotonic()
            proof = prover.prove(terms)
            taken = monotonic() - start
        finally:
            prover.close()
    if proof.status is not ProofStatus.PROVED:
        raise SystemExit(f"Nagini does not prove a clause: {proof}")
    return taken / len(terms.clauses)


def process_seconds(command: Sequence[str], folder: Path) -> float:
    """CPU seconds of a command in a process of its own; its bytecode is in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def guard_start(session: Path, folder: Path) -> dict[str, float]:
    """CPU seconds from the start of Python to a guard of the session's exported file, and the file's MB."""
    workbench = str(Path(sys.executable).with_name("workbench"))
    file = folder / "policy.py"
    subprocess.run(
        [workbench, "export", str(session), "--output", str(file)], check=True, capture_output=True
    )
    command = [sys.executable, "-c", f"import runpy; runpy.run_path({str(file)!r})['guard']()"]
    return {
        "guard_start_seconds": best(partial(process_seconds, command, folder)),
        "guard_file_megabytes": file.stat().st_size / 1_000_000,
    }


def main() -> None:
    """Measure and print."""
    bench = Workbench.open(DESK, read_only=True)
    terms, spec = bench.policy.terms(), bench.session.spec
    calls = [call for call in bench.runs.recorded() if call.tool is not None]
    measured: dict[str, float] = {}
    for length in LENGTHS:
        run = long_run(calls, length)
        measured[f"decision_ms_of_{length}"] = best(partial(decision_milliseconds, terms, spec, run))
    measured["reading_ms"] = best(partial(reading_milliseconds, bench.session.written, bench.session.agent))
    measured["preview_ms_a_clause"] = best(partial(preview_milliseconds, terms))
    measured["preview_ms_a_clause_after_an_edit"] = edit_milliseconds(terms)
    measured["nagini_seconds_a_clause"] = nagini_seconds(terms)
    workbench = str(Path(sys.executable).with_name("workbench"))
    with tempfile.TemporaryDirectory() as folder:
        measured |= guard_start(DESK, Path(folder))
        for name, word in COMMANDS.items():
            command = [workbench, word, str(DESK)]
            measured[name] = best(partial(process_seconds, command, Path(folder)))
    print(json.dumps({name: round(value, 4) for name, value in measured.items()}, indent=2))


if __name__ == "__main__":
    main()
