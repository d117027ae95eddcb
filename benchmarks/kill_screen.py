"""Kill the screen at random moments of a scripted session and measure what is lost.

    python benchmarks/kill_screen.py [ROUNDS]

The script takes an answer back, answers, undoes, redoes, adds a case, switches a demonstration off, and
then types a key every 30 ms into the policy. Every round opens a copy of the hospital session in a
terminal of its own and does the acts before one, which is typing in every second round and random in the
others. It kills the process (SIGKILL) at a random moment in that act, of typing up to 5 s, and opens the
session again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.old_screen.kill_rounds import ACTS, Killed, killed_round

LONGEST = 5.0
SHORT = 1.0
"""An act other than typing takes about so long."""
LAST = len(ACTS) - 1


def main() -> int:
    """Do the rounds and print a table row for each, and the sum."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    found: list[Killed] = []
    for seed in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            one = killed_round(Path(folder), seed, LONGEST if seed % 2 else SHORT, LAST if seed % 2 else None)
        found.append(one)
        print(
            f"{seed:3}  {one.act:28}  typed {one.typed:3}  restored {one.restored:3}"
            f"  lost {one.lost:4.2f} s  {'intact' if one.intact and one.said else 'DAMAGED'}",
            flush=True,
        )
    losses = sorted(one.lost for one in found if one.typed) or [0.0]
    print(
        f"{rounds} rounds: {sum(one.intact for one in found)} sessions intact,"
        f" {sum(one.said for one in found)} said what was kept; lost at most {losses[-1]:.2f} s,"
        f" in the middle {losses[len(losses) // 2]:.2f} s of typing"
    )
    return 0 if all(one.intact and one.said for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
