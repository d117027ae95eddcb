"""The stored drafting in the style ``file`` of a session: ``drafting.json``.

Drafts are read from it until the request or a person's part of the agent file changes, or a new draft is
asked for. Its content is not trusted: the policy is checked whenever it is read.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field

from workbench.author.model.whole_file.model_cases import ModelCaseForm
from workbench.model import Json, Option


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeptQuestion(_Kept):
    """A question of the drafting; ``example`` in the JSON of its arguments' types.

    ``run`` is a run whose last call has the example, if the question is about one input.
    """

    id: str
    kind: str
    text: str
    quote: str
    start: int
    end: int
    options: tuple[Option, ...]
    requirements: tuple[str, ...] = ()
    blocking: bool = False
    free_text: bool = False
    example: dict[str, Json] | None = None
    run: ModelCaseForm | None = None


class KeptRequirement(_Kept):
    """A requirement with its place in the request."""

    id: str
    text: str
    start: int
    end: int


class KeptPlace(_Kept):
    """Words of the request."""

    start: int
    end: int


class StoredCase(_Kept):
    """A case of the model: a run with the expected decision on its last call."""

    id: str
    form: ModelCaseForm
    reason: str
    requirements: tuple[str, ...] = ()


class KeptRound(_Kept):
    """A version on the way: the parts as the model wrote them, and what was found against it."""

    agent: str
    policy: str
    score: str
    found: tuple[str, ...] = ()


class KeptReplies(_Kept):
    """The model's last usable replies, from which the next draft goes on."""

    design: str = ""
    policy: str = ""
    contract: str = ""
    cases: str = ""


class KeptDrafting(_Kept):
    """``drafting.json``: the parts that a model drafted, and the steps that led to them.

    ``key`` is the hash of what it was drafted from; ``agent`` are the parts of ``agent.toml`` that the model
    wrote, ``former_agent`` those of the drafting before, which ``agent.toml`` may contain until this one is
    taken over; ``choices`` are the answers that the model has been told.
    """

    format: Annotated[int, Field(ge=1, le=1)] = 1
    key: str
    model: str = ""
    title: str = ""
    agent: str = ""
    former_agent: str = ""
    requirements: tuple[KeptRequirement, ...] = ()
    context: tuple[KeptPlace, ...] = ()
    questions: tuple[KeptQuestion, ...] = ()
    choices: dict[str, str] = {}
    policy: str = ""
    cases: tuple[StoredCase, ...] = ()
    rounds: tuple[KeptRound, ...] = ()
    best: int = 0
    stopped: str = ""
    calls: int = 0
    replies: KeptReplies = KeptReplies()


class KeepsDrafting(Protocol):
    """The store of a drafting; the session implements it, and an author does not know the session."""

    def read(self) -> KeptDrafting | None:
        """The stored drafting; None if there is none."""
        ...

    def write(self, drafting: KeptDrafting) -> None:
        """Store a drafting in place of the former one."""
        ...


def key_of(request: str, agent_text: str) -> str:
    """The key of a drafting: a hash of the request and of a person's part of the agent file."""
    return hashlib.sha256(f"{request}\0{agent_text}".encode()).hexdigest()
