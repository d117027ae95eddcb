"""The versions of a session's policy by name: its history, its draft, a file, a commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import WorkbenchError
from workbench.session.atomic import inside, read_text

if TYPE_CHECKING:
    from workbench.model import Draft, DraftRound
    from workbench.session import Session

POLICY_FILE = "policy.py"


ROUND = "round:"
ACCEPTED = "accepted"
# A repository may name a program that brings objects which it lacks; git would start it.
_FETCHES_NOTHING = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}


def version_text(session: Session, name: str, draft: Draft) -> str:
    """The policy that ``name`` denotes.

    ``current`` is the session's policy. ``accepted`` is the one that guards enforce. ``before`` is the policy
    before its last change (the draft if it was never changed). ``draft`` is the author's draft for the
    request. ``round:N`` is the version after that round of a model's refinement (0: its first). A number is
    the version after that change of the session's history (0: before the first). ``git:REF`` is the version
    in that commit. Any other name is a policy file or a session's folder. Raises WorkbenchError if there is
    none.
    """
    if name == "current":
        return session.written
    if name == ACCEPTED:
        return _accepted(session)
    if name == "draft":
        return _draft(session, draft)
    if name == "before":
        changes = _policy_changes(session)
        return _draft(session, draft) if not changes else changes[-1][1] or ""
    if name.startswith(ROUND):
        return round_of(draft, name.removeprefix(ROUND)).policy
    if name.isdigit():
        return _after_change(session, int(name))
    if name.startswith("git:"):
        return _in_commit(session.path, name.removeprefix("git:"))
    return _in_file(Path(name))


def _accepted(session: Session) -> str:
    version = session.accepted_version
    if version is None or not version.unchanged:
        was = "was accepted" if version is None else "is accepted: accepted.toml was changed since"
        raise WorkbenchError(
            f"No version of {session.path} {was}; `workbench check {session.path} --accept` accepts one."
        )
    return version.texts[POLICY_FILE]


def _draft(session: Session, draft: Draft) -> str:
    if not session.is_drafted:
        raise WorkbenchError(
            "The policy of this session is written, so there is no draft of it: "
            "name a file, a change, current, accepted or git:REF."
        )
    return draft.policy


def version_words(session: Session, name: str) -> str:
    """The words for the version that ``name`` denotes: its number, and the change that it comes from."""
    if name == "draft":
        return "the author's draft"
    if name == ACCEPTED and session.accepted_version is not None:
        return f"the version accepted {session.accepted_version.when}"
    labels = {change.id: change.label for change in session.history}
    if name == "before":
        changes = _policy_changes(session)
        last = changes[-1][0] if changes else 0
        return f"version {last - 1}, before “{labels[last]}”" if changes else "the author's draft"
    if name.isdigit():
        return f"version {name}, “{labels[int(name)]}”" if int(name) in labels else f"version {name}"
    return name


def round_of(draft: Draft, number: str) -> DraftRound:
    """The round with this number; raises WorkbenchError if the draft had none."""
    count = len(draft.rounds)
    if number.isdigit() and int(number) < count:
        return draft.rounds[int(number)]
    had = f"it had the rounds 0 to {count - 1}" if count else "only the author that asks a model has rounds"
    raise WorkbenchError(f"The draft has no round {number[:20]!r}; {had}.")


def _policy_changes(session: Session) -> list[tuple[int, str | None, str | None]]:
    """The changes of the policy file: change id, text before and text after."""
    return [
        (change.id, file.old, file.new)
        for change in session.history
        for file in change.files
        if file.name == POLICY_FILE
    ]


def _after_change(session: Session, number: int) -> str:
    changes = _policy_changes(session)
    earlier_changes = [change for change in changes if change[0] <= number]
    if earlier_changes:
        return earlier_changes[-1][2] or ""
    return session.written if not changes else changes[0][1] or ""


def _in_commit(folder: Path, ref: str) -> str:
    try:
        completed = subprocess.run(
            ["git", "cat-file", "blob", "--end-of-options", f"{ref}:./{POLICY_FILE}"],
            cwd=folder,
            env={**os.environ, **_FETCHES_NOTHING},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise WorkbenchError("git cannot be run; name a file instead of a commit.", exit_code=3) from error
    if completed.returncode:
        raise WorkbenchError(f"git has no {POLICY_FILE} of {folder} at {ref!r}; check the commit's name.")
    return completed.stdout.decode("utf-8", errors="replace")


def _in_file(path: Path) -> str:
    if path.is_dir():
        text = read_text(inside(path, POLICY_FILE), POLICY_FILE)
        if text is None:
            raise WorkbenchError(f"{path} has no {POLICY_FILE}; name a session's folder, or a file.")
        return text
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise WorkbenchError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    except OSError as error:
        raise WorkbenchError(
            f"{path} cannot be read ({error.strerror}); name a file, a folder, a change, "
            "current, accepted, before, draft, round:N or git:REF."
        ) from error
