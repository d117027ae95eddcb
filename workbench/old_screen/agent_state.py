"""The agent spec as the screen shows and edits it, with what a change of it would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.model import AgentSpec, Argument, Extracted, Proposal, Step, Verdict


@dataclass(frozen=True, slots=True)
class MethodOption:
    """An option of an extraction method. ``kind`` is text, texts, number, flag, words or value."""

    name: str
    kind: str
    meaning: str
    choices: tuple[str, ...] = ()
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """A method of extraction with its own options."""

    name: str
    meaning: str
    options: tuple[MethodOption, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentView:
    """The agent spec with all that its forms need.

    ``common`` are the options of every method; ``valued`` says for each argument in how many of
    ``steps`` loaded steps it has a value; ``proposals`` are what the tools' schemas and the logs suggest.
    """

    spec: AgentSpec = field(default_factory=lambda: AgentSpec(""))
    methods: tuple[Method, ...] = ()
    common: tuple[MethodOption, ...] = ()
    valued: Mapping[str, int] = field(default_factory=dict[str, int])
    steps: int = 0
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True, slots=True)
class SpecEdit:
    """A changed agent spec and what to call the change.

    ``argument`` is the argument that was edited or added, ``replaces`` its name before.
    """

    spec: AgentSpec
    label: str
    argument: Argument | None = None
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class ArgumentEffect:
    """What reading an argument otherwise changes on the loaded steps.

    ``seen`` of ``steps`` were read so far, ``valued`` of them give a value; ``gained``, ``lost`` and
    ``changed`` count the steps whose value differs, ``reasons`` why others have none, ``examples`` names
    some of the steps that differ with the values before and after, and ``flips`` counts the decisions
    that turn. ``step`` is the step selected in the replay and ``here`` what it gives. ``note`` says
    why nothing was tried.
    """

    name: str
    steps: int = 0
    seen: int = 0
    valued: int = 0
    gained: int = 0
    lost: int = 0
    changed: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict[str, int])
    examples: tuple[tuple[Step, Extracted | None, Extracted], ...] = ()
    flips: Mapping[tuple[Verdict, Verdict], int] = field(default_factory=dict[tuple[Verdict, Verdict], int])
    step: Step | None = None
    here: Extracted | None = None
    note: str = ""
