"""A change, an undo or a redo that ended before all its files were written.

A crash leaves one, and so may somebody else who hands a session on. Therefore nothing is written by itself:
the session is read with the files as they are, and a person says with ``redo`` or ``undo`` which texts count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.clean_text import one_line
from workbench.session.journal import FileChange, JournaledChange, fingerprint


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A change of which some files have the texts from before it; ``written`` have those from after it.

    A file with any other text is in neither list: it was edited since, and stays as it is.
    """

    label: str
    time: str
    unwritten: tuple[str, ...]
    written: tuple[str, ...]

    @property
    def state(self) -> str:
        """What was interrupted, and which files have which texts, as a sentence without its stop."""
        sides = (("before", self.unwritten), ("after", self.written))
        told = " and ".join(f"{', '.join(names)} as {side} it" for side, names in sides if names)
        return one_line(f"The change “{self.label}” of {self.time} was interrupted and left {told}")

    def sentence(self, session: str) -> str:
        """What was interrupted, and the commands by which a person completes or drops it."""
        return (
            f"{self.state}. Redo ('workbench redo {session}') completes it, "
            f"undo ('workbench undo {session}') drops it; until then nothing else is changed."
        )


def interrupted(
    change: JournaledChange, texts: Mapping[str, str | None], *, forward: bool
) -> Interrupted | None:
    """What a change, or its undo (not ``forward``), left unwritten; None if no file lacks its text."""
    new = tuple(file.name for file in change.files if has_text(file, texts[file.name], new=True))
    old = tuple(file.name for file in change.files if has_text(file, texts[file.name], new=False))
    lacking = set(old) - set(new) if forward else set(new) - set(old)
    return Interrupted(change.label, change.time, old, new) if lacking else None


def has_text(file: FileChange, text: str | None, *, new: bool) -> bool:
    """Whether a text is that of the file after the change (``new``) or before it, with or without secrets."""
    journaled, sha = (file.new, file.new_sha) if new else (file.old, file.old_sha)
    return fingerprint(text) in (fingerprint(journaled), sha)
