"""Write the stored draft of the shipped sessions as their authors draft them.

``python scripts/draft_sessions.py [folder of sessions]`` drafts from each session's request, agent spec and
assumptions; if a model drafts, its recorded calls answer. A test compares the result with committed files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.model import Draft
from workbench.session import find_sessions
from workbench.session.merged_draft import NAME as DRAFT
from workbench.session.merged_draft import drafted_of, write_drafted

SESSIONS = Path(__file__).resolve().parent.parent / "sessions"


def drafted(draft: Draft) -> str:
    """The text of the stored draft."""
    return write_drafted(drafted_of(draft.policy, draft.requirements))


def main(folder: Path) -> None:
    """Draft every session in a folder."""
    for path in find_sessions(folder):
        bench = Workbench.open(path, read_only=True, replay_calls=True)
        (path / DRAFT).write_text(drafted(bench.request.draft()), encoding="utf-8")
        bench.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
