"""The effect of tests and verification on the first replies of a recorded draft, against labelled calls.

Run: python benchmarks/one_round.py SESSION DATA

SESSION was drafted in forms by a model, and its model calls are recorded. It is drafted again from these
calls without a round of refinement, so that every reply that is asked for is recorded: with tests and
verification, with one of them, and with neither. DATA is the folder of the recordings.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from guard_comparison.guards.policy import SessionPolicy
from guard_comparison.readers import read_dataset
from stages import counted

from workbench.app.results import choices_of
from workbench.app.workbench import Workbench
from workbench.author.model.author import OpenAIAuthor
from workbench.author.model.draft_findings import Accuser
from workbench.model import WorkbenchError

_SILENT = {
    "both": frozenset[Accuser](),
    "verification, no tests": frozenset({Accuser.CASE}),
    "tests, no verification": frozenset({Accuser.CLAUSE}),
    "neither": frozenset(Accuser),
}
_HEAD = """\
| judged by | questions | as labelled | allowed, labelled deny | not allowed, labelled allow | undecided |
|---|---:|---:|---:|---:|---:|"""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("session", type=Path)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    try:
        dataset = read_dataset(options.data)
        with closing(Workbench.open(options.session, read_only=True, replay_calls=True)) as bench:
            author, session = bench.authorship.author, bench.session
            if not isinstance(author, OpenAIAuthor):
                raise WorkbenchError(f"{options.session} was not drafted in forms.")
            choices = choices_of(bench.request.assumptions)
            print(_HEAD)
            for name, silent in _SILENT.items():
                again = author.another(author.client, silent=silent, rounds=0)
                draft = again.draft(session.request, session.spec, choices)
                unanswered = sum(question.id not in choices for question in draft.questions)
                cells = counted(SessionPolicy(bench, draft.policy, name), dataset)
                print(f"| {' | '.join([name, str(unanswered), *cells])} |", flush=True)
    except (OSError, WorkbenchError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
