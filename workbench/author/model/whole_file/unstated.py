"""What a drafting leaves out: requirements that neither policy nor contract states."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import short_hash
from workbench.author.model.whole_file.critics import Judged
from workbench.author.model.whole_file.design import CONTEXT, Design, open_sentence
from workbench.model import Option, Question, Requirement
from workbench.policy.terms import PolicyTerms


def unstated(judged: Judged, design: Design, request: str) -> Iterator[Question]:
    """A blocking question for each requirement that no rule and no clause names.

    Where the model read no requirement at all, it is one for each sentence that it took for context.
    """
    if not design.requirements:
        for span in design.context:
            yield open_sentence(
                request,
                span,
                "The model found no rule in the whole request, so everything is denied. If this states one, "
                "say it.",
            )
    elif judged.terms is not None:
        said = stated(judged.terms)
        yield from (_unstated(one) for one in design.requirements if one.id not in said)


def stated(terms: PolicyTerms) -> frozenset[str]:
    """The requirements that a rule or a clause names."""
    return frozenset(id_ for one in (*terms.rules, *terms.clauses) for id_ in one.requirements)


def _unstated(requirement: Requirement) -> Question:
    quote = " ".join(requirement.quote.split())
    return Question(
        id=f"empty:{short_hash(requirement.quote)}",
        kind="unreadable",
        text="The model read a requirement in this, and no rule and no clause states it. Does it decide "
        "anything by itself? If so, say what.",
        quote=requirement.quote,
        span=requirement.span,
        options=(
            Option(
                CONTEXT,
                "It decides nothing by itself",
                "Nothing changes.",
                f"“{quote}” decides nothing that other sentences do not.",
            ),
        ),
        default="",
        requirements=(requirement.id,),
        blocking=True,
        free_text=True,
    )
