"""What decides the calls of a session's subagents beside what decides every call: sessions that extend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.app.enforced import Enforced, denying
from workbench.app.extended import Baselines
from workbench.guard.several_policies import NamedPolicy
from workbench.guard.subagents import concerns
from workbench.model import CallDecision, WorkbenchError


@dataclass(frozen=True, slots=True)
class Subagents:
    """What decides only the calls of subagents: the sessions by their folders, each with its kinds.

    ``broken`` has a name, a kind and a reason where what should decide cannot: each call of it is denied.
    """

    deciding: Mapping[Path, tuple[Baselines[Enforced], frozenset[str]]]
    broken: Sequence[tuple[str, str, str]] = ()

    @classmethod
    def of(cls, parents: Mapping[Path, tuple[str, Mapping[str, Baselines[Enforced]]]]) -> Subagents:
        """The subagents of sessions that decide every call, by their folders, each with its name."""
        deciding: dict[Path, tuple[Baselines[Enforced], frozenset[str]]] = {}
        broken: list[tuple[str, str, str]] = []
        for name, of_kinds in parents.values():
            for kind, these in of_kinds.items():
                if these.broken:
                    broken.append((f"{name}-{kind}".replace(":", "-"), kind, these.broken))
                for folder in these.by_folder.keys() - parents.keys():
                    kinds = deciding[folder][1] if folder in deciding else frozenset[str]()
                    deciding[folder] = these, kinds | {kind}
        return cls(dict(sorted(deciding.items())), broken)

    @property
    def every(self) -> Sequence[tuple[Enforced, frozenset[str]]]:
        """The sessions that decide, each with the kinds of subagents whose calls it decides."""
        return [(these.by_folder[folder], kinds) for folder, (these, kinds) in self.deciding.items()]

    def named(self) -> list[NamedPolicy]:
        """Their policies, each for the calls of its kinds of subagents."""
        found = [
            replace(these.named(folder), agents=kinds) for folder, (these, kinds) in self.deciding.items()
        ]
        return found + [
            replace(denying(name, f"{why}."), agents=frozenset({kind})) for name, kind, why in self.broken
        ]

    def replayed(
        self, paths: Sequence[Path], database: Path | None = None
    ) -> Iterator[tuple[str, Sequence[CallDecision | None]]]:
        """The decisions of each on the calls of logs; None for a call that it does not decide.

        Raises WorkbenchError where one cannot decide.
        """
        for _, _, why in self.broken:
            raise WorkbenchError(why)
        for enforced, kinds in self.every:
            logs, decided = enforced.replayed(paths, database)
            yield (
                enforced.name,
                [
                    decision if concerns(kinds, call.context) else None
                    for call, decision in zip(logs.calls, decided, strict=True)
                ],
            )
