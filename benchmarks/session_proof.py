"""Seconds until Nagini has proved a session's clauses: from cold, all stored, and after edits of one rule.

Run: python benchmarks/session_proof.py SESSION [--edit "OLD => NEW"]...

Each edit replaces the first occurrence of a text in the policy. Verdicts are stored in an empty folder, and
the verifier is a process of its own. Processor seconds are those of this process and, from cold, of the
verifier.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic

from workbench.check.proof.prover import Prover
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.policy.terms import PolicyTerms
from workbench.session import Session


def processor(who: int) -> float:
    """Processor seconds of this process, or of its children that ended."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def terms_of(source: str, session: Session) -> PolicyTerms:
    """The terms of a policy file, over the session's generated arguments."""
    return lowered_policy(source, session.agent).terms


def measured(prover: Prover, terms: PolicyTerms) -> dict[str, object]:
    """The time of a proof, and its verdicts."""
    clock, own = monotonic(), processor(resource.RUSAGE_SELF)
    proof = prover.prove(terms)
    return {
        "seconds": round(monotonic() - clock, 2),
        "processor_seconds_of_this_process": round(processor(resource.RUSAGE_SELF) - own, 2),
        "verdicts": dict(Counter(verdict.status.value for verdict in proof.clauses)),
        "not_proved": {
            clause.clause: clause.why for clause in proof.clauses if clause.status.value != "proved"
        },
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("session", type=Path)
    parser.add_argument("--edit", action="append", default=[], metavar="OLD => NEW")
    namespace = parser.parse_args()
    session = Session.open(namespace.session, read_only=True)
    source = session.written
    with tempfile.TemporaryDirectory() as folder:
        prover = Prover(cache=VerdictCache(Path(folder)), share=False)
        terms = terms_of(source, session)
        measurements = {"cold": measured(prover, terms), "all stored": measured(prover, terms)}
        for edit in namespace.edit:
            old, new = edit.split(" => ")
            if old not in source:
                parser.error(f"the policy has no text {old!r}")
            measurements[edit] = measured(prover, terms_of(source.replace(old, new, 1), session))
        prover.close()
    print(json.dumps(measurements, indent=2))
    print("processor seconds of the verifier:", round(processor(resource.RUSAGE_CHILDREN), 2))


if __name__ == "__main__":
    main()
