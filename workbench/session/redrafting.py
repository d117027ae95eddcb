"""A new draft taken into a session: its policy is merged with a person's edits, its answers are renamed.

Requirements are numbered in the order of the request. So a sentence that is added, is removed or becomes
readable changes the numbers of the later ones. Answers and edits belong to sentences, not to numbers:
questions are named by words, and before a merge, ids are replaced by the ids of the same words in the new
draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from workbench.author.doubts import SENTENCE_KINDS, short_hash
from workbench.check.narrowed_clauses import as_written, narrowed
from workbench.model import AgentSpec, Assumption, Draft, Sentence
from workbench.policy.merge import Merged, merge, merge_calls
from workbench.policy.render import format_policy
from workbench.policy.renumber import renumber
from workbench.session import Session
from workbench.session.agent_file import NAME as AGENT
from workbench.session.agent_file import read_agent
from workbench.session.merged_draft import MergedDraft, drafted_of
from workbench.session.session import POLICY, REQUEST
from workbench.session.session_files import ASSUMPTIONS, read_assumptions


@dataclass(frozen=True, slots=True)
class MovedAnswers:
    """A map of the requirements of one draft to those of another.

    ``ids`` maps each old id to an id of the new draft, or to one that the new draft does not have. ``same``
    are the old ids whose words are still there. ``present`` are the ids of the new draft. ``unused`` is an id
    that neither draft has.
    """

    ids: Mapping[str, str]
    same: frozenset[str]
    present: frozenset[str]
    unused: str

    def assumptions(
        self, assumptions: Iterable[Assumption], sentences: Iterable[Sentence], *, gone: bool = False
    ) -> tuple[Assumption, ...]:
        """The assumptions with the ids of the new draft, which has these sentences.

        Assumptions about removed words are left out; with ``gone`` they are kept under ids that no question
        has. A sentence that states nothing for now is not removed.
        """
        named = frozenset(short_hash(sentence.text) for sentence in sentences)
        return tuple(
            self._assumption(assumption)
            for assumption in assumptions
            if gone or self._is_there(assumption, named)
        )

    def _is_there(self, assumption: Assumption, named: frozenset[str]) -> bool:
        """Whether the sentence that an answer is about still exists; both, if it is about two sentences."""
        kind, *about = assumption.question.split(":")
        if kind not in SENTENCE_KINDS:
            return True
        pair = kind == "conflict" or (kind == "contradiction" and len(about) > 1)
        if {part for joined_ids in about[: 1 + pair] for part in joined_ids.split("+")} <= named:
            return True
        requirements_stay = [
            set(requirement.split(", ")) <= self.same
            for requirement in assumption.requirements
            if requirement
        ]
        return (all(requirements_stay) if pair else any(requirements_stay)) if requirements_stay else True

    def _assumption(self, assumption: Assumption) -> Assumption:
        ids = {part: self._id(part) for part in assumption.question.split(":")[1:] if part in self.ids}
        question = ":".join(ids.get(part, part) for part in assumption.question.split(":"))
        return replace(
            assumption.about(question),
            value=ids.get(assumption.value, assumption.value),
            requirements=tuple(
                self.ids.get(requirement, requirement) for requirement in assumption.requirements
            ),
        )

    def _id(self, old: str) -> str:
        """The new id if the words still exist; otherwise an id that no question has."""
        new = self.ids[old]
        return self.unused if old not in self.same and new in self.present else new


def moved(before: Mapping[str, str], after: Mapping[str, str]) -> MovedAnswers:
    """Match the requirements of two drafts, ``id: quote`` each, by their words, then by their order."""
    old, new = list(before.items()), list(after.items())
    matcher = SequenceMatcher(None, [quote for _, quote in old], [quote for _, quote in new], autojunk=False)
    opcodes = matcher.get_opcodes()
    ids = {
        old_pair[0]: new_pair[0]
        for tag, first, end, start, stop in opcodes
        if tag == "equal"
        for old_pair, new_pair in zip(old[first:end], new[start:stop], strict=True)
    }
    for id_, quote in old:  # the same words at another place
        free_ids = (candidate for candidate, words in new if words == quote and candidate not in ids.values())
        if id_ not in ids and (new_id := next(free_ids, None)) is not None:
            ids[id_] = new_id
    same_ids = set(ids)
    for tag, first, end, start, stop in opcodes:
        changed = [id_ for id_, _ in old[first:end] if id_ not in ids]
        free_ids = [id_ for id_, _ in new[start:stop] if id_ not in ids.values()]
        if tag == "replace" and len(changed) == len(free_ids):
            ids |= dict(zip(changed, free_ids, strict=True))
    taken_ids = {*after, *ids.values()}
    for id_, _ in old:
        if id_ not in ids:
            ids[id_] = id_ if id_ not in taken_ids else _free({*taken_ids, *before})
            taken_ids.add(ids[id_])
    return MovedAnswers(ids, frozenset(same_ids), frozenset(after), _free({*taken_ids, *before}))


def _free(taken_ids: set[str]) -> str:
    number = len(taken_ids)
    while f"R{number}" in taken_ids:
        number += 1
    return f"R{number}"


def quotes_of(draft: Draft) -> Mapping[str, str]:
    """The words of the request for each requirement of a draft."""
    return drafted_of(draft.policy, draft.requirements).quotes


def carried(before: Draft, after: Draft, assumptions: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    """Assumptions about ``before`` as assumptions about ``after``, without those about removed words."""
    return moved(quotes_of(before), quotes_of(after)).assumptions(assumptions, after.sentences)


@dataclass(frozen=True, slots=True)
class Held:
    """The inputs of a draft."""

    request: str
    spec: AgentSpec
    assumptions: tuple[Assumption, ...]


def before_outside(session: Session) -> Held | None:
    """The inputs of the draft before other programs first changed them; None if none was changed.

    Raises WorkbenchError if one of these texts cannot be read.
    """
    before: dict[str, str] = {}
    for change in session.history:
        for file in change.files if change.outside else ():
            before.setdefault(file.name, file.old or "")
    if not before.keys() & {REQUEST, AGENT, ASSUMPTIONS}:
        return None
    return Held(
        before.get(REQUEST, session.request),
        read_agent(before[AGENT]) if AGENT in before else session.spec,
        read_assumptions(before[ASSUMPTIONS]) if ASSUMPTIONS in before else session.assumptions,
    )


def as_drafted(draft: Draft) -> Merged:
    """The policy file of a draft, if no earlier file is kept."""
    return Merged(format_policy(draft.policy), ())


def replaced_outside(session: Session) -> tuple[str, ...]:
    """The texts of the policy that other programs replaced since the workbench wrote it, newest first."""
    text, replaced = session.policy, list[str]()
    for change in reversed(session.history):
        for file in change.files:
            if file.name != POLICY:
                continue
            if file.new != text:  # an edit that is not in the journal, since nothing may be written
                replaced.append(file.new or "")
            if not change.outside:
                return tuple(replaced)
            text = file.old
            replaced.append(file.old or "")
    return tuple(replaced)


def merged_calls(base: MergedDraft | None, ours: str, draft: Draft) -> Merged:
    """A policy of calls ``ours`` merged with the draft; the draft's own file if there is no file.

    ``base`` is the draft that the file was last merged with; without it, what differs is a person's.
    """
    if not ours.strip():
        return as_drafted(draft)
    return merge_calls(draft.policy if base is None else base.policy, ours, draft.policy)


def merged_policy(
    base: MergedDraft, ours: str, draft: Draft, replaced: Iterable[str] = (), *, guessed: bool = False
) -> Merged:
    """The policy file ``ours`` merged with the draft; the draft's own file if there is no file.

    ``base`` is the draft that the file was last merged with; with ``guessed`` it is only probably that draft.
    The clauses that the program wrote are merged as it wrote them, and narrowed by the rules of the result;
    ``replaced`` are the texts that other programs replaced by ``ours``.
    """
    if not ours.strip():
        return as_drafted(draft)
    ids = moved(base.quotes, quotes_of(draft)).ids
    written = as_written(ours, (ours, *replaced), base.policy)
    merged = merge(renumber(base.policy, ids), renumber(written, ids), draft.policy, guessed=guessed)
    return replace(merged, text=narrowed(merged.text, draft.policy))
