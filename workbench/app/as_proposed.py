"""What a new session takes as true of the agent's results: assumptions by no person, each with its question.

They are stored as answers by default and hold as they are: a person says yes to one, or corrects agent.toml
and takes it back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.model import Assumption, Doubt, MadeBy, assumption_id
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.model import AgentSpec
    from workbench.runs.proposals.confirmations import Confirmation

PROPOSED = "as-proposed"
_MEANT = "meant"


def is_unconfirmed(assumption: Assumption) -> bool:
    """Whether an assumption about results was made by no person."""
    return assumption.made_by is MadeBy.DEFAULT and _is_proposed(assumption)


def is_moot(assumption: Assumption, spec: AgentSpec) -> bool:
    """Whether nobody confirmed an assumption, and the agent spec has no more of what it is about."""
    remedy = assumption.statement.rpartition("If not, ")[2]
    if not (is_unconfirmed(assumption) and (names := _RECORDS.findall(remedy))):
        return False
    records = [one for one in spec.records if one.name in names]
    changing = _OUT_OF_CHANGED_BY.match(remedy)
    tools = re.split(r", | and ", changing[1]) if changing else ()
    return not records or (bool(tools) and not any({*tools} & {*one.changed_by} for one in records))


_RECORDS = re.compile(r"\[records\.(\w+)\]")
_OUT_OF_CHANGED_BY = re.compile(r"take (.+) out of changed_by in ")


def taken_as_true(confirmations: Iterable[Confirmation]) -> tuple[Assumption, ...]:
    """The assumptions that are made where nobody answers."""
    when = timestamp()
    found: list[Assumption] = []
    for one in confirmations:
        text = one_line(f"{one.question} If not, {one.otherwise}.")
        question = f"{PROPOSED}:{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        found.append(
            Assumption(assumption_id(question), question, _MEANT, text, made_by=MadeBy.DEFAULT, when=when)
        )
    return tuple(found)


def doubts_of(assumptions: Iterable[Assumption]) -> tuple[Doubt, ...]:
    """The questions that these assumptions answer."""
    return tuple(
        Doubt(
            id=one.question,
            kind="as-proposed",
            values=(_MEANT,),
            default=_MEANT,
            facts={"asked": one.statement},
        )
        for one in assumptions
        if _is_proposed(one)
    )


def _is_proposed(assumption: Assumption) -> bool:
    return assumption.question.startswith(f"{PROPOSED}:")
