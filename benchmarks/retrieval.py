"""Exact retrieval of demonstrations: CPU time per query over 100,000, compared with scanning them all.

Run: python benchmarks/retrieval.py [COUNT]
"""

from __future__ import annotations

import random
import statistics
import sys
import time

from workbench.likeness import edit_distance
from workbench.memory.retrieval import DemonstrationIndex
from workbench.model import Demonstration

ROLES = ("physician", "nursing", "general administration")
NOUNS = (
    "drug",
    "lab value",
    "allergy",
    "cost",
    "diagnosis",
    "treatment",
    "weight",
    "culture",
    "dose",
    "ward",
)
TABLES = ("medication", "lab", "allergy", "cost", "diagnosis", "treatment", "patient", "microlab")


def texts(chance: random.Random) -> tuple[str, str]:
    """The input and output of an invented agent call, about 100 and 400 characters long."""
    noun, table = chance.choice(NOUNS), chance.choice(TABLES)
    patient = f"{chance.randrange(1000):03d}-{chance.randrange(100000):05d}"
    question = f"Identity: {chance.choice(ROLES)}\nQuestion: what was the {noun} of patient {patient} "
    question += chance.choice(("in the last visit?", "since 2103?", "on the first day of the current stay?"))
    lines = [f"{table}_db = LoadDB('{table}')", f"rows = FilterDB({table}_db, 'patientunitstayid={patient}')"]
    lines += [
        f"value_{n} = GetValue(rows, '{noun}_{chance.randrange(30)}')" for n in range(chance.randrange(1, 9))
    ]
    return question, "\n".join(lines) + "\nanswer = value_0"


def main() -> None:
    """Measure and print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    chance = random.Random(7)
    known = [Demonstration(str(n), *texts(chance), ("", "", "", ""), "") for n in range(count)]
    started = time.process_time()
    index = DemonstrationIndex(known)
    indexed = time.process_time() - started
    queries = [texts(chance) for _ in range(15)]
    ours: list[float] = []
    scans: list[float] = []
    for question, output in queries:
        started = time.process_time()
        nearest = index.nearest(question, output, 3)
        ours.append(time.process_time() - started)
        started = time.process_time()
        scanned = sorted(
            edit_distance(question, item.agent_input) + edit_distance(output, item.agent_output)
            for item in known
        )[:3]
        scans.append(time.process_time() - started)
        assert scanned == [item.distance for item in nearest]
    median, scan = statistics.median(ours), statistics.median(scans)
    print(f"demonstrations {count}, indexed in {indexed:.2f} s of CPU")
    print(f"median query {median * 1000:.1f} ms, worst {max(ours) * 1000:.1f} ms")
    print(f"scan of all {scan * 1000:.1f} ms, ratio {scan / median:.1f}; results identical")


if __name__ == "__main__":
    main()
