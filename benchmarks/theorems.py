"""Theorems of sessions: their verdicts, the runs that refute wrong versions of the policies, and the times.

Run: python benchmarks/theorems.py [--edit "SESSION: OLD => NEW"]...

The wrong versions are those of tests/session/theorem_mistakes.toml. Each verdict is that on a policy of which
nothing was decided before: it is read, its steps are made and decided by the preview, and runs are searched
for. Its seconds are those of the processor. Each edit replaces the first occurrence of a text in the policy
of a session. After it the verifier, which is warm, proves the steps of the theorems, and then the clauses.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from time import monotonic, process_time

from workbench.check.proof.prover import Prover
from workbench.check.theorems.verdicts import TheoremVerdicts
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.smt.preview import preview
from workbench.language.language import Language
from workbench.model import AgentSpec, ProofStatus, Run, TheoremVerdict
from workbench.runs.logs import load_runs
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).resolve().parents[1]
MISTAKES = ROOT / "tests/session/theorem_mistakes.toml"


@cache
def session_of(path: str) -> tuple[str, AgentSpec, Sequence[Run]]:
    """The policy, the agent and the recorded runs of a session."""
    folder = ROOT / path
    logs = folder / "logs"
    runs = load_runs(sorted(logs.iterdir())).runs if logs.is_dir() else ()
    return (folder / "policy.py").read_text(), read_agent((folder / "agent.toml").read_text()), runs


def decided(path: str, text: str, theorem: str) -> tuple[TheoremVerdict, float]:
    """The preview's verdict on a theorem of a version of a policy, and its seconds of the processor."""
    _, spec, runs = session_of(path)
    began = process_time()
    verdicts = TheoremVerdicts(lowered_policy(text, spec).terms, spec, runs).all(only=(theorem,))
    found = next(one for one in verdicts if one.name == theorem)
    return found, process_time() - began


def changed(text: str, old: str, new: str) -> str:
    """The text with the first occurrence of another one replaced."""
    if old not in text:
        raise SystemExit(f"the policy has no text {old!r}")
    return text.replace(old, new, 1)


def refutations(mistakes: Sequence[dict[str, str]], path: str, theorem: str) -> list[tuple[int, float]]:
    """For each wrong version that a run refutes: the number of its calls, and the seconds."""
    found: list[tuple[int, float]] = []
    for wrong in mistakes:
        text = session_of(path)[0]
        for old, new in wrong.items():
            text = changed(text, old, new)
        verdict, seconds = decided(path, text, theorem)
        if verdict.status is ProofStatus.REFUTED and verdict.breaking is not None:
            found.append((len(verdict.breaking.calls), seconds))
    return found


def theorem_lines() -> Iterator[str]:
    """A table of the theorems, and what their verdicts assume."""
    mistakes = tomllib.loads(MISTAKES.read_text())["mistakes"]
    assumed: dict[str, str] = {}
    slowest = (0.0, 0.0)
    yield "| theorem | right version | seconds | assumed | wrong ones refuted | by runs of calls | slowest |"
    yield "|---|---|---|---|---|---|---|"
    for path, name in dict.fromkeys((one["session"], one["theorem"]) for one in mistakes):
        theorem = f"theorem_{name}"
        verdict, seconds = decided(path, session_of(path)[0], theorem)
        letters = [assumed.setdefault(one, chr(ord("a") + len(assumed))) for one in verdict.assumed]
        wrong = [one["wrong"] for one in mistakes if (one["session"], one["theorem"]) == (path, name)]
        runs = refutations(wrong, path, theorem)
        longest = max((one for _, one in runs), default=0.0)
        slowest = max(slowest[0], seconds), max(slowest[1], longest)
        status = verdict.status.value + (f" ({verdict.why})" if verdict.why else "")
        calls = ", ".join(str(number) for number, _ in runs)
        yield (
            f"| {Path(path).name}: {name} | {status} | {seconds:.2f} | {' '.join(letters)} "
            f"| {len(runs)} of {len(wrong)} | {calls} | {longest:.2f} |"
        )
    yield ""
    yield from (f"{letter}: {one}" for one, letter in assumed.items())
    yield from sentence_lines(dict.fromkeys(one["session"] for one in mistakes))
    yield f"slowest verdict on a right version: {slowest[0]:.2f} s"
    yield f"slowest refutation: {slowest[1]:.2f} s"


def sentence_lines(paths: Iterable[str]) -> Iterator[str]:
    """What the theorems of sessions say in the language of sentences, as far as they are read back."""
    for path in paths:
        text, spec, _ = session_of(path)
        language = Language(agent_types(spec), text)
        for one in language.aloud():
            if one.name.startswith("theorem_") and one.text and len(language.read(one.text)) == 1:
                yield f"* {Path(path).name}: {one.name.removeprefix('theorem_')}: {one.text}"


def edit_lines(path: str, edit: str) -> Iterator[str]:
    """The seconds of the verifier on the theorems and on the clauses of a policy after an edit."""
    text, spec, runs = session_of(path)
    old, new = edit.split(" => ")
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)
        for version in (text, changed(text, old, new)):
            terms = lowered_policy(version, spec).terms
            began = monotonic()
            deciding = TheoremVerdicts(terms, spec, runs)
            verdicts = deciding.all(prover.prove)
            theorems, began = monotonic() - began, monotonic()
            clauses = preview(terms).clauses
            previewed, began = monotonic() - began, monotonic()
            proof = prover.prove(terms)
            proved = monotonic() - began
        prover.close()
    good = sum(one.status is ProofStatus.PROVED for one in verdicts)
    each = ", ".join(f"{one.name.removeprefix('theorem_')} {one.seconds:.2f} s" for one in verdicts)
    done = sum(one.status is ProofStatus.PROVED for one in proof.clauses)
    yield f"{Path(path).name}, {edit}:"
    yield f"  theorems, preview and verifier: {theorems:.2f} s, {good} of {len(verdicts)} proved ({each})"
    yield f"  clauses, preview: {previewed:.2f} s, {len(clauses)} clauses"
    yield f"  clauses, verifier: {proved:.2f} s, {done} of {len(proof.clauses)} proved"


def main() -> None:
    """Decide, refute and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--edit", action="append", default=[], metavar="SESSION: OLD => NEW")
    options = parser.parse_args()
    for line in theorem_lines():
        print(line)
    print(f"load {os.getloadavg()[0]:.1f}")
    for edit in options.edit:
        path, _, replaced = edit.partition(": ")
        for line in edit_lines(path, replaced):
            print(line)


if __name__ == "__main__":
    main()
