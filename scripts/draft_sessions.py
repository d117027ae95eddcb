"""Write policy, cases and stored draft of the shipped sessions as their authors draft them.

``python scripts/draft_sessions.py [folder of sessions]`` drafts from each session's request, agent spec and
assumptions; if a model drafts, its recorded calls answer. For such a session, and for a policy that a person
partly wrote, only the stored draft is written. A test compares the result with the committed files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.author.choice_of_author import RULES
from workbench.check.cases_generate import generate_cases
from workbench.model import Draft
from workbench.policy.check import check
from workbench.policy.render import format_policy
from workbench.session import Session, find_sessions
from workbench.session.merged_draft import NAME as DRAFT
from workbench.session.merged_draft import drafted_of, write_drafted
from workbench.session.session_files import write_cases

SESSIONS = Path(__file__).resolve().parent.parent / "sessions"


def drafted(session: Session, draft: Draft, *, edited: bool) -> dict[str, str]:
    """The texts of the session's drafted files, by name; ``edited`` if a person edited the policy."""
    texts = {DRAFT: write_drafted(drafted_of(draft.policy, draft.requirements))}
    if session.info.author == RULES and not edited:
        cases = generate_cases(check(draft.policy), draft.requirements, assumptions=session.assumptions)
        texts |= {"policy.py": format_policy(draft.policy), "cases.toml": write_cases(cases)}
    return texts


def main(folder: Path) -> None:
    """Draft every session in a folder."""
    for path in find_sessions(folder):
        bench = Workbench.open(path, read_only=True, replay_calls=True)
        texts = drafted(bench.session, bench.request.draft(), edited=bench.request.policy_edited)
        for name, text in texts.items():
            (path / name).write_text(text, encoding="utf-8")
        bench.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
