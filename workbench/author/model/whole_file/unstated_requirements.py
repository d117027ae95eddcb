"""The omissions of a drafting: requirements that neither policy nor contract states."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.model.context_questions import unread_sentence, unstated_requirement
from workbench.author.model.whole_file.critics import CheckedVersion
from workbench.author.model.whole_file.design import Design
from workbench.model import Question
from workbench.policy.terms import PolicyTerms


def unstated(judged: CheckedVersion, design: Design, request: str) -> Iterator[Question]:
    """A blocking question for each requirement that no rule and no clause names.

    If the model found no requirement at all, there is a question for each sentence that it took as context.
    """
    if not design.requirements:
        for span in design.context:
            yield unread_sentence(request[span.start : span.end], span, "no_rule_at_all")
    elif judged.terms is not None:
        stated_ids = stated(judged.terms)
        left = (requirement for requirement in design.requirements if requirement.id not in stated_ids)
        yield from (unstated_requirement(requirement, "not_written", blocking=True) for requirement in left)


def stated(terms: PolicyTerms) -> frozenset[str]:
    """The requirements that a rule or a clause names."""
    return frozenset(id_ for part in (*terms.rules, *terms.clauses) for id_ in part.requirements)
