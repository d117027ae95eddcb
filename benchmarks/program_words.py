"""Random command lines of the programs that are in the tables, run and compared with what their records say.

Run: python benchmarks/program_words.py --lines N [--seed 1] [--data DATA]

Each line runs for real, traced, in a folder of its own without a network. An effect is hidden if a program
started, or a file of the folder was read or changed, and the record does not say so. Prints the lines that
hide one, and for each program the share of its lines of which programs and files are all told. DATA is a
folder of recordings: of its shell commands the share is printed that is told so. Exits with 1 if an effect
is hidden.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.runs.kinds.shell.program_judge import Judged, judged
from tests.runs.kinds.shell.program_lines import git_programs, programs_here
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.found_value import Missing

_BATCH = 1_000
_PARTS = ("programs", "calls", "reads", "writes", "paths", "hosts")


def history_of(root: Path) -> Path:
    """The ``.git`` of a repository with a file that is no more."""
    for command in (
        "git init -q -b main .",
        "echo old > .e; echo a > f; git add -f .",
        "git -c user.name=a -c user.email=a@b.example commit -qm one",
        "git rm -q .e; git -c user.name=a -c user.email=a@b.example commit -qm two",
        "rm .git/hooks/*",
    ):
        subprocess.run(["/bin/sh", "-c", command], cwd=root, check=True)
    return root / ".git"


def lines(count: int, seed: int) -> Iterator[Judged]:
    """So many judged lines, one in five of them of git."""
    with tempfile.TemporaryDirectory() as folder:
        history = history_of(Path(folder))
        for first in range(0, count, _BATCH):
            rng = random.Random(f"{seed}:{first}")
            here, git = programs_here(), git_programs()
            names = [
                rng.choice(git if rng.random() < 0.2 else here) for _ in range(min(_BATCH, count - first))
            ]
            with tempfile.TemporaryDirectory() as root:
                yield from judged(rng, names, len(names), Path(root), history)


def told(texts: list[str]) -> str:
    """Of how many texts each part is complete."""
    reader = KINDS["command"].reader({"folder": "/workspace", "home": "/root"})
    complete = Counter[str]()
    for text in texts:
        try:
            parts = reader.parts(text)
        except Missing:
            continue
        known = [name for name in _PARTS if not isinstance(parts[name], Missing)]
        complete.update(known)
        complete["all"] += len(known) == len(_PARTS)
    return ", ".join(f"{name} {complete[name]}" for name in (*_PARTS, "all")) + f" of {len(texts)}"


def main() -> int:
    """Print the lines that hide an effect, then the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    run, decided, hiding = Counter[str](), Counter[str](), 0
    for line in lines(options.lines, options.seed):
        run[line.program] += 1
        decided[line.program] += line.decided
        if line.hidden:
            hiding += 1
            print(f"{line.text}\n  {'; '.join(line.hidden)}")
    shares = {name: f"{decided[name]}/{count}" for name, count in sorted(run.items())}
    print(
        json.dumps({"lines": run.total(), "hidden": hiding, "decided": decided.total(), "by program": shares})
    )
    if options.data is not None:
        recorded = options.data / "shell_commands" / "commands.jsonl"
        read = [json.loads(line) for line in recorded.read_text("utf-8").splitlines()]
        print("recorded:", told([line["text"] for line in read if line["language"] == "shell"]))
    return 1 if hiding else 0


if __name__ == "__main__":
    sys.exit(main())
