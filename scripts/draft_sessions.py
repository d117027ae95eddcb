"""Write policy and cases of the shipped sessions as the offline author drafts them.

``python scripts/draft_sessions.py [folder of sessions]``: from each session's request, agent
spec and assumptions. A test compares the result with what is committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.author.choosing import RULES
from workbench.author.rules import RulesAuthor
from workbench.check.cases import generate_cases
from workbench.policy.check import check
from workbench.policy.render import format_policy
from workbench.session import Session, find_sessions
from workbench.session.records import write_cases

SESSIONS = Path(__file__).resolve().parent.parent / "sessions"


def drafted(session: Session) -> tuple[str, str]:
    """The texts of ``policy.py`` and ``cases.toml`` that follow from the rest of the session."""
    draft = RulesAuthor().draft(session.request, session.spec, session.choices)
    cases = generate_cases(check(draft.policy), draft.requirements, assumptions=session.assumptions)
    return format_policy(draft.policy), write_cases(cases)


def main(folder: Path) -> None:
    """Draft every session in a folder that the offline author drafts."""
    for path in find_sessions(folder):
        with Session.open(path, read_only=True) as session:
            if session.info.author != RULES:
                continue
            policy, cases = drafted(session)
        (path / "policy.py").write_text(policy, encoding="utf-8")
        (path / "cases.toml").write_text(cases, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
