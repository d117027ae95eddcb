"""The value of the authoring dialogue: requests authored offline from answers in a file, against labels.

Run: python benchmarks/authoring.py [--keep FOLDER] [--answers FOLDER] [--list] DATA

DATA has a folder for each request: ``request.md``, ``tools.json``, ``runs.jsonl`` (a log), and
``labels.jsonl`` as ``benchmarks/verdicts.py`` reads it. The answers to each request are in ``NAME.toml`` of
the folder of answers (``benchmarks/answers`` unless another is given): texts of options and plain values in
the words of a user. Each request becomes a session as by ``new`` and ``answer --file``; a call that cannot be
evaluated counts as denied. With --keep the sessions stay, as FOLDER/NAME. --list shows the calls whose
decision differs from their label.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from verdicts import Label, decided, labels_of, report

from workbench.app.answer_file import read_answers
from workbench.app.new_session import new_session
from workbench.model import CallDecision, SentenceRole, Verdict

ANSWERS = Path(__file__).parent / "answers"


@dataclass(frozen=True, slots=True)
class Authored:
    """One request after its answers: the amount of answers, and the decisions on the recorded calls."""

    name: str
    roles: Mapping[SentenceRole, int]
    choices: int
    refused: tuple[tuple[str, str], ...]
    decisions: tuple[CallDecision, ...]
    labels: Mapping[tuple[str, int], Label]
    seconds: float

    @property
    def counts(self) -> Counter[tuple[bool, bool]]:
        """The number of calls by two flags: whether allowed, and whether labelled allow."""
        verdict_counts = Counter[tuple[bool, bool]]()
        for call_decision in self.decisions:
            wanted = self.labels[call_decision.run, call_decision.index]["label"] == "allow"
            verdict_counts[call_decision.decision.verdict is Verdict.ALLOW, wanted] += 1
        return verdict_counts

    @property
    def row(self) -> str:
        """A row of the table."""
        counts, sentences = self.counts, sum(self.roles.values())
        total = counts.total()
        right = counts[True, True] + counts[False, False]
        roles = ", ".join(str(self.roles.get(role, 0)) for role in SentenceRole)
        stated = max(sentences - self.roles.get(SentenceRole.CONTEXT, 0), 1)
        return (
            f"| {self.name} | {sentences}: {roles} | {self.choices} | {self.choices / stated:.1f} | {total} "
            f"| {right} ({100 * right / max(total, 1):.1f} %) | {counts[True, False]} "
            f"| {counts[False, True]} | {self.seconds:.0f} s |"
        )


def authored(data: Path, answers: Path, folder: Path) -> Authored:
    """Author the request of a folder by its answers; the session is left in ``folder``."""
    started = perf_counter()
    log = data / "runs.jsonl"
    session = new_session(folder, data / "request.md", agent=data / "tools.json", logs=[log], author="rules")
    with closing(session.workbench) as bench:
        bench.request.redraft()
        entries, settings = read_answers(answers.read_text(encoding="utf-8"), str(answers))
        answers_taken = bench.answers.take(entries, settings, None)
        roles = Counter(sentence.role for sentence in bench.request.draft().sentences)
    decisions = decided(folder, log)
    return Authored(
        data.name,
        roles,
        sum(entry.choices for entry in answers_taken.taken),
        tuple((entry.about, why) for entry, why in answers_taken.refused),
        decisions,
        labels_of(data / "labels.jsonl"),
        perf_counter() - started,
    )


def main() -> int:
    """Author every request that has answers, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--answers", type=Path, metavar="FOLDER", default=ANSWERS)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        results = [
            authored(options.data / path.stem, path, folder / path.stem)
            for path in sorted(options.answers.glob("*.toml"))
            if (options.data / path.stem / "request.md").is_file()
        ]
    if not results:
        print(f"{options.data} has no request of which {options.answers} has answers.", file=sys.stderr)
        return 1
    print("| request | sentences: requirement, context, open | choices | for each that is no context | calls "
          "| decided as labelled | allowed, labelled deny | denied, labelled allow | time |")  # fmt: skip
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for result in results:
        print(result.row)
    for result in results:
        for about, why in result.refused:
            print(f"\n{result.name}: the answer about “{about}” was not taken: {why}")
        if options.list:
            print(f"\n{result.name}")
            print("\n".join(report(result.decisions, result.labels)[4:]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
