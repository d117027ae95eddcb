"""Suggestions for a sentence that is not of the language: what each decides on the logs, which is chosen."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.clean_text import listed, one_line
from workbench.language.alone import ALONE
from workbench.model import FieldNote, WorkbenchError
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.policy import Policy
    from workbench.app.results import Logs
    from workbench.app.rewording import Rewordings
    from workbench.app.sentences import Sentences
    from workbench.language.language import Language
    from workbench.language.suggestion import Suggestion, Suggestions
    from workbench.language.trees import Tree
    from workbench.model import AgentSpec
    from workbench.session import Session


@dataclass(frozen=True, slots=True)
class Offered:
    """A sentence of the language that a foreign one may mean, with its number among those that are offered.

    ``left_out`` are the words of the foreign sentence that it says nothing of. ``turned`` is the number of
    recorded calls that it decides otherwise, by how (``newly-denied``), and ``example`` names the first of
    them. ``stands`` is whether the policy has it, ``proposed`` whether a model proposes it, and
    ``is_theorem`` whether it says something of whole runs, and decides no call.
    """

    number: int
    text: str
    left_out: tuple[str, ...]
    turned: tuple[tuple[str, int], ...] = ()
    stands: bool = False
    example: str = ""
    proposed: bool = False
    is_theorem: bool = False


def _turned_of(offered: Offered) -> dict[str, int]:
    return dict(offered.turned)


json_form(
    Offered,
    *("number", ("sentence", "text"), "left_out", ("turned", _turned_of), "stands", "proposed", "is_theorem"),
)


_OF_RESULTS = re.compile(
    r"\b(?:results?|returns?|returned|responses?|outputs?|(?:came|comes|coming) from|received from|says|said"
    r"|contains?|found (?:in|by))\b",
    re.IGNORECASE,
)
"""Words of a sentence that speaks of what a call gave."""
_OF_ZONE = re.compile(r"\btimes (?:are|count|mean)\b.*\b(?:time|zone|utc|gmt|clocks?)\b", re.IGNORECASE)
_ZONE_ADVICE = (
    "By which clocks times are read is no rule: write the zone into agent.toml, such as "
    'zone = "Europe/Berlin", and keep the sentence as context.'
)
_OF_FOLDER = re.compile(
    r"\b(?:in|inside|outside|within|out\s+of|below|under)\b.*?(?:\bfolder\b|\bdirector(?:y|ies)\b|\brepo(?:sitory)?\b"
    r"|(?<![\w./])(?:[~.]|\w[\w-]*)?/)",
    re.IGNORECASE,
)
"""A sentence about where files lie."""
_PARTS = re.compile(r"[,;]|\band\b")
"""What stands between the parts of a sentence that says several things."""
_MOST_BESIDE = 3
_SAYS_SOMETHING = 4
"""How many words a part of a sentence has at least that says something by itself."""
_SAID_BY_RULES = frozenset(("never", "no", "nobody", "none", "not", "nothing"))
"""Words that each prohibition says."""


def _of_other_things(one: Suggestion, kept: Sequence[Suggestion]) -> Sequence[Tree]:
    """The tools of which a suggestion says as much of the words as what is kept, of nothing that that reads.

    They are other tools, or it is about other fields of their calls. What permits calls limits no others.
    """
    from workbench.language.trees import RUN, free_names

    alike = [each for each in kept if each.tree[1] == one.tree[1] and each.left_out == one.left_out]
    again = {tool for each in kept if _reads_the_same(each, one) for tool in each.tree[3:]}
    if not alike or (again and RUN[1] in free_names(one.tree[2])):  # earlier calls count together
        return ()
    return [tool for tool in one.tree[3:] if tool not in again]


def _reads_the_same(one: Suggestion, other: Suggestion) -> bool:
    from workbench.language.trees import fields_of_call

    fields = fields_of_call(one.tree[2]), fields_of_call(other.tree[2])
    return "permit" in (one.tree[1], other.tree[1]) or not all(fields) or not fields[0].isdisjoint(fields[1])


def many_folders(text: str) -> str:
    """How a path with a placeholder is said, which no sentence can name; empty if a text has none."""
    from workbench.language.path_patterns import path_pattern

    found = path_pattern(text)
    if found is None:
        return ""
    table = f"[readings.{found.name}]"
    extract = f"extract = {{method = \"regex\", pattern = '{found.regex}'}}"
    return (
        f"“{found.path}” stands for many folders: declare a reading of paths in agent.toml, "
        f'{table} type = "list" of = "str" {extract}. Then a path in none of them is one for which the '
        f"number of {found.name.replace('_', ' ')} of its full name is 0."
    )


def _plain_folders(spec: AgentSpec) -> str:
    """Which parameters have the name of a file or folder and are plain texts, beside some that are paths."""
    from workbench.runs.proposals.parameter_notes import is_named_as_file, tells_of_others

    paths = [note for tool in spec.tools for note in tool.fields.values() if note.type == "path"]
    plain = [
        (tool.name, name)
        for tool in spec.tools
        if isinstance(properties := tool.parameters.get("properties"), dict)
        and not tells_of_others(f"{tool.name} {tool.description}")
        for name, schema in properties.items()
        if isinstance(schema, dict) and schema.get("type") == "string" and is_named_as_file(name)
        if not tool.fields.get(name, FieldNote()).type
    ]
    if not paths or not plain:
        return ""
    named = listed([f"the {one_line(name)} of {one_line(tool)}" for tool, name in plain])
    table, key = map(one_line, plain[0])
    return (
        f"A sentence about a folder leaves out {named}, which agent.toml has as plain text. Of a path it "
        f'says: [tools.{table}.fields] {key} = {{type = "path"}}.'
    )


class OfferedSentences:
    """The suggestions of one session."""

    def __init__(
        self,
        session: Session,
        authorship: Authorship,
        policy: Policy,
        sentences: Sentences,
        rewordings: Rewordings,
        *,
        propose: bool = False,
    ) -> None:
        """With ``propose`` the session's model is asked for each sentence, beside the search."""
        self._session = session
        self._authorship = authorship
        self._propose = propose
        self._policy = policy
        self._sentences = sentences
        self._rewordings = rewordings

    def of(
        self, text: str, logs: Logs | None = None, around: str | None = None, most: int | None = None
    ) -> tuple[Offered, ...]:
        """The sentences that a foreign one may mean, the likeliest first; all that are found, or ``most``.

        ``around`` is what stands above and before a sentence of the request. One that is none of the request
        and about whole runs may mean theorems.
        """
        found = enumerate(self._every(text, around, most), start=1)
        return tuple(self._offered(number, one, logs, proposed=proposed) for number, (one, proposed) in found)

    def beside(
        self, text: str, taken: Sequence[str], logs: Logs | None, around: str | None, most: int
    ) -> tuple[tuple[str, ...], tuple[Offered, ...]]:
        """The words of a foreign sentence that none of the ``taken`` says, and what says some of them.

        There is nothing where none of the taken sentences is a suggestion for it. What is offered leaves out
        what would still be said by none; what says the same of other tools or fields leaves out no more. What
        the whole sentence may mean keeps its order; what is not among that has no number.
        """
        every = [(text, *one) for one in enumerate(self._every(text, around), start=1)]
        kept = [one for _, _, (one, _) in every if one.text in taken]
        said, own = [one.left_out for one in kept], " ".join(taken).casefold()
        rest = tuple(
            word
            for word in (said[0] if said else ())
            if word.casefold() not in _SAID_BY_RULES
            and all(word in each for each in said)
            and re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", own) is None
        )
        parts = (part for part in _PARTS.split(text) if len(part.split()) >= _SAYS_SOMETHING)
        for part in parts if rest else ():
            if any(word in part for word in rest):
                every += ((part, 0, one) for one in self._every(part, around))
        found: dict[str, Offered] = {}
        of_parts: set[str] = set()
        for part, number, (one, proposed) in every:
            still = tuple(word for word in rest if word in one.left_out or word not in part)
            says_more = len(still) < len(rest)
            others = _of_other_things(one, kept) if number else ()
            more = one if says_more else self._search().about(one, others)
            if more.text and more.text not in (*taken, *found) and len(found) < most:
                of_parts.update([] if number else [more.text])
                number = number if more.tree == one.tree else 0
                offered = self._offered(number, more, logs, proposed=proposed)
                found[more.text] = replace(offered, left_out=still)
        ranked = sorted(found.values(), key=lambda one: len(one.left_out) + 1 if one.text in of_parts else 0)
        return rest, tuple(ranked)

    def _offered(self, number: int, one: Suggestion, logs: Logs | None, *, proposed: bool) -> Offered:
        """A suggestion with what it decides on the logs."""
        from workbench.language.normal_form import normal
        from workbench.language.theorem_trees import FORMS as THEOREMS

        is_theorem = one.tree[1] in THEOREMS
        turned, example = ((), "") if is_theorem else self._turned(one, logs)
        stands = normal(one.tree) in self._sentences.language.forms
        return Offered(number, one.text, one.left_out, turned, stands, example, proposed, is_theorem)

    def advice(self, text: str, logs: Logs | None = None) -> str:
        """What a foreign sentence needs before anything can say it; empty if nothing is known of that."""
        if patterns := many_folders(text):
            return patterns
        if _OF_ZONE.search(text) and not self._session.agent.zone:
            return _ZONE_ADVICE
        if _OF_FOLDER.search(text) and (left_out := _plain_folders(self._session.spec)):
            return left_out
        if not _OF_RESULTS.search(text):
            return ""
        from workbench.app.agent import untold_results, untold_words

        calls = () if logs is None else logs.calls
        return untold_words(untold_results(self._session.agent, self._session.results, calls))

    def of_request(self, words: str, logs: Logs | None = None) -> tuple[str, tuple[Offered, ...]]:
        """A sentence of the request, named by its words, and what it may mean with what it stands under."""
        text, around = self._requested(words)
        return text, self.of(text, logs, around)

    def chosen(self, text: str, numbers: Sequence[int], around: str | None = None) -> tuple[str, ...]:
        """The suggestions with some numbers; raises WorkbenchError if there is none with one of them.

        What a model proposes has the number under which it was shown: the model is not asked again.
        """
        found = self._every(text, around, shown=True)
        for number in numbers:
            if not 1 <= number <= len(found):
                offered = f"the suggestions are 1 to {len(found)}" if found else "nothing is suggested for it"
                raise WorkbenchError(f"There is no suggestion {number} for this sentence; {offered}.")
        return tuple(found[number - 1][0].text for number in dict.fromkeys(numbers))

    def chosen_of_request(self, words: str, numbers: Sequence[int]) -> tuple[str, tuple[str, ...]]:
        """A sentence of the request, and the suggestions for it with some numbers."""
        text, around = self._requested(words)
        return text, self.chosen(text, numbers, around)

    def beside_of_request(
        self, words: str, taken: Sequence[str], logs: Logs | None = None
    ) -> tuple[Offered, ...]:
        """What a sentence of the request, named by its words, may mean beside what is taken for it."""
        text, around = self._requested(words)
        return self.beside(text, taken, logs, around, _MOST_BESIDE)[1]

    @contextmanager
    def confirming(self, text: str, chosen: Sequence[str]) -> Generator[None]:
        """Store the chosen suggestions within; then the words are kept that stand for each other.

        They are synonyms of the agent, which the next suggestions use. All is one change, which undo takes
        back.
        """
        with self._session.transaction(f"Say: {' '.join(chosen)}"):
            yield
            if len(chosen) == 1:  # of several sentences none has all of its words
                self._confirm(text, chosen[0])

    def _confirm(self, text: str, chosen: str) -> None:
        from workbench.language.foreign.confirmed import confirmed

        spec = self._session.agent
        new = {word: own for word, own in confirmed(text, chosen).items() if spec.synonyms.get(word) != own}
        if new:
            self._session.set_spec(replace(spec, synonyms={**spec.synonyms, **new}))

    def _requested(self, words: str) -> tuple[str, str]:
        found = self._rewordings.named(words)
        if len(found) > 1:
            raise WorkbenchError(
                f"“{words}” heads {len(found)} sentences; name the one that is meant by its words."
            )
        every = self._rewordings.unread()
        at = next(number for number, one in enumerate(every) if one.requirement == found[0].requirement)
        before = every[at - 1 : at] if at else ()
        neighbours = [one.requirement.text for one in before if one.under == found[0].under]
        return found[0].requirement.text, "\n".join((*found[0].under, *neighbours))

    def _every(
        self, text: str, around: str | None, most: int | None = None, *, shown: bool = False
    ) -> Sequence[tuple[Suggestion, bool]]:
        """What the search finds, then what a model proposes besides, each with whether a model does."""
        from workbench.language.normal_form import normal
        from workbench.language.run_sentences import is_of_runs

        search = self._search()
        with ALONE:
            of_runs = around is None and is_of_runs(text)
            found = search.of_runs(text) if of_runs else search.of(text, around or "")
            proposed = {
                normal(one.tree): one for one in self._proposed(search, text, around or "", found, shown)
            }
        self._sentences.note_meant(text, (one.text for one in found))
        own = {normal(one.tree): one for one in found[:most]}
        besides = [(one, True) for form, one in proposed.items() if form not in own]
        return [*((one, form in proposed) for form, one in own.items()), *besides]

    def _search(self) -> Suggestions:
        from workbench.language.command_speech import folder_told

        folder = folder_told(self._session.request)
        return _suggestions(self._sentences.language, tuple(self._session.agent.synonyms.items()), folder)

    def _proposed(
        self, search: Suggestions, text: str, around: str, found: Sequence[Suggestion], shown: bool
    ) -> Sequence[Suggestion]:
        """What the session's model proposes, or proposed; raises WorkbenchError if there is none to ask."""
        if not self._propose:
            return ()
        from workbench.author.model.proposed_sentences import SentenceProposals

        client = self._authorship.model()
        if client is None:
            raise WorkbenchError(
                "No model is named and no call is recorded, so none can propose sentences. "
                "Set WORKBENCH_MODEL (and OPENAI_BASE_URL for a server of your own).",
                exit_code=3,
            )
        return SentenceProposals(client.replaying() if shown else client, search).of(text, around, found)

    def _turned(self, one: Suggestion, logs: Logs | None) -> tuple[tuple[tuple[str, int], ...], str]:
        """How many recorded calls a suggestion turns, by how, and the name of the first."""
        from workbench.dialect.differing_part import differing_parts
        from workbench.language.kept_sentence import with_sentence

        if logs is None:
            return (), ""
        kept = with_sentence(self._sentences.language, one.tree, one.text)
        parts = differing_parts(self._session.written, kept.policy)
        change = self._policy.diff_of_rules(*parts, logs, most=0)
        turned = [flip for flip in change.flips if flip.turns]
        counts: dict[str, int] = {}
        for flip in turned:
            counts[flip.kind.value] = counts.get(flip.kind.value, 0) + 1
        example = f"{turned[0].new.run}, call {turned[0].new.index}" if turned else ""
        return tuple(sorted(counts.items())), example


@lru_cache(maxsize=4)
def _suggestions(language: Language, synonyms: tuple[tuple[str, str], ...], folder: str) -> Suggestions:
    from workbench.language.suggestion import Suggestions

    return Suggestions(language, synonyms, folder)
