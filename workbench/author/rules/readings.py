"""A sentence as norms: its skeleton from the grammar, its phrases from the lexicon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

from workbench.author.argument_terms import (
    ALWAYS,
    all_of,
    any_of,
    is_presence,
    map_atoms,
    missing,
    names,
    negate,
    rendered,
)
from workbench.author.rules.agreement import differ
from workbench.author.rules.binding import SeveralFactsError, UnreadableError, words_of
from workbench.author.rules.call_order import CallOrders
from workbench.author.rules.coordination import is_filler, is_joint
from workbench.author.rules.duty_verbs import acting_duty_verb
from workbench.author.rules.fact_conditions import Conditions, NoConditionError
from workbench.author.rules.history_limits import HistoryArguments
from workbench.author.rules.lexicon import Lexicon, Reference, key
from workbench.author.rules.norm_forms import (
    EVERYONE,
    METHODS,
    OF_PARTS,
    REVERSED,
    Default,
    NormForms,
    Reading,
    is_passive,
)
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.phrase_units import UNKNOWN
from workbench.author.rules.rearranged import statement_forms
from workbench.author.rules.request_text import leading_topic
from workbench.author.rules.sentence_doubts import SentenceDoubts, WayRead
from workbench.author.rules.sentences import (
    Chunk,
    SentenceWord,
    Skeleton,
    parse_chunk,
    parse_habit,
)
from workbench.author.rules.spelling import normalised
from workbench.author.rules.stated_limits import StatedLimit, limited
from workbench.author.rules.statements import Way, ways
from workbench.author.rules.told_facts import told
from workbench.model import WorkbenchError
from workbench.policy.check import check_condition
from workbench.policy.terms import (
    Parameter,
    Term,
)

_NO_FORM = "its form is none that the language has"


def _leading_verbs(action: Chunk, lexicon: Lexicon) -> Chunk:
    """The verbs that a passive begins with: “cancelled, changed or returned by post”."""
    end = 1
    while end + 1 < len(action) and action[end].kind in ("AND", "OR", "COMMA"):
        following = end + 1 + (action[end + 1].kind in ("AND", "OR"))
        if following >= len(action) or not _is_participle(action[following], lexicon):
            raise UnreadableError("it is open which action is done to what")
        end = following + 1
    return action[:end]


def _is_participle(word: SentenceWord, lexicon: Lexicon) -> bool:
    """Whether a word may go on with a list of verbs in the passive."""
    action = lexicon.action()
    known = [each for each in lexicon.meanings(key(word.text)) if not isinstance(each, Reference)]
    return word.text.lower().endswith(("ed", "en", "nt", "ne")) or (
        action is not None and any(action.name in names(each) for each in known)
    )


def _is_given(needed: Chunk, lexicon: Lexicon) -> Term | None:
    """That a call has the argument that is needed, which it may leave out: “refunds need a reason”."""
    said = [word for word in needed if not is_filler(word.text)]
    meanings = lexicon.meanings(key(" ".join(word.text for word in said)))
    if len(meanings) != 1 or any(word.kind != "WORD" for word in said):
        return None
    meant = meanings[0]
    argument = lexicon.argument(meant.argument) if isinstance(meant, Reference) else None
    return negate(missing(argument)) if argument is not None and argument.type.optional else None


def _but(build: NormForms, form: str, chunks: tuple[Chunk, ...]) -> Reading:
    """What is forbidden with an exception; behind a list it is open what one in parentheses frees."""
    match form:
        case "forbid_except":
            return build.forbid(chunks[0], chunks[2], spared=chunks[1])
        case "forbid_subject_but":
            said, (subject, spared, action) = chunks[:1], chunks
        case "forbid_action_but":
            said, (subject, action, spared) = chunks[:2], chunks
        case _:
            said, (action, spared), subject = chunks[:1], chunks, EVERYONE
    if any(is_joint(word) for chunk in said for word in chunk):
        raise UnreadableError("it is open what its exception in parentheses belongs to")
    return build.forbid(subject, action, spared=spared)


@dataclass(slots=True)
class SentenceReader:
    """Reads one sentence; ``doubts`` decide between the readings that it leaves open."""

    lexicon: Lexicon
    phrases: Phrases
    history: HistoryArguments
    doubts: SentenceDoubts

    def read(self, text: str, requirement: str, topic: str = "") -> Reading:
        """The norms that a sentence states. Raises UnreadableError if it cannot be read.

        ``topic`` is the heading that it stands under: where it names an action and the sentence none, it is
        asked whether the sentence is about that action. Where a word can be said of several facts, each is a
        reading.
        """
        mark = self.doubts.answers.mark()
        try:
            return self._read(text, requirement, topic)
        except SeveralFactsError as error:
            self.doubts.answers.forget(mark)
            return self._of_each_fact(error, text, requirement, topic)

    def _of_each_fact(self, error: SeveralFactsError, text: str, requirement: str, topic: str) -> Reading:
        found: list[WayRead] = []
        before = self.lexicon.meant
        for option in error.options:
            mark = self.doubts.answers.mark()
            self.lexicon.meant = before | {option}
            try:
                norms = self.read(text, requirement, topic)
            except UnreadableError:
                self.doubts.answers.forget(mark)
                continue
            finally:
                self.lexicon.meant = before
            if isinstance(norms, Default):
                raise error
            if all(self._differ(norms, other) for _, other in found):
                found.append(((f"{text.rstrip('.')} (“{error.subject}” of {option})",), norms))
        if not found:
            raise error
        return found[0][1] if len(found) == 1 else self.doubts.way(found)

    def _read(self, text: str, requirement: str, topic: str) -> Reading:
        mark = self.doubts.answers.mark()
        try:
            reading, said = self._whole(text, requirement), text
        except SeveralFactsError:
            raise
        except UnreadableError:
            self.doubts.answers.forget(mark)
            if (ordered := self._ordered(text, requirement)) is not None:
                return ordered
            if (lead := leading_topic(text)) is None:
                raise
            topic, said = lead
            reading = self._led(topic, said, requirement, text)
        return self._about(topic, said, reading)

    def _ordered(self, text: str, requirement: str) -> Reading | None:
        """What a sentence says of the order of calls; None where it says nothing of it."""
        mark = self.doubts.answers.mark()
        try:
            return CallOrders(self.history, self.doubts).read(text, requirement)
        except UnreadableError:
            self.doubts.answers.forget(mark)
            return None

    def _led(self, topic: str, said: str, requirement: str, text: str) -> Reading:
        """What follows a lead-in (“Change flights: …”), if what the lead-in names is accounted for."""
        reading = self._whole(said, requirement)
        if isinstance(reading, Default):
            raise UnreadableError("it speaks of everything else beside something of its own")
        known = key(said) | frozenset[str]().union(
            *(
                words_of(self.lexicon.argument(name))
                for norm in reading
                for name in names(norm.scope, norm.condition)
            )
        )
        acts = self._named_action(topic) is not None or any(map(self._names_action, reading))
        if not acts and not key(topic) <= known:
            raise UnreadableError(UNKNOWN.format(topic), topic, "undefined")
        return tuple(replace(norm, message=text.strip()) for norm in reading)

    def _about(self, topic: str, said: str, reading: Reading) -> Reading:
        """The reading where it names an action or its topic names none; else what it is about is asked."""
        if isinstance(reading, Default) or not topic or any(map(self._names_action, reading)):
            return reading
        action = self._named_action(topic)
        if action is None or self.lexicon.action() is None:
            return reading
        narrow = tuple(replace(norm, scope=all_of(action, norm.scope)) for norm in reading)
        if not self._differ(narrow, reading):
            return reading
        everywhere, there = f"{said} (whatever is done)", f"{said} (where it is about: {topic.lower()})"
        return self.doubts.way([((everywhere,), reading), ((there,), narrow)])

    def _named_action(self, topic: str) -> Term | None:
        """The action that a heading or lead-in names, if that is all that it names."""
        action, chunk = self.lexicon.action(), parse_chunk(topic)
        if action is None or chunk is None:
            return None
        try:
            named = Phrases(self.lexicon).read(chunk, Position.ACTION)
        except UnreadableError:
            return None
        return named if names(named) == (action.name,) else None

    def _whole(self, text: str, requirement: str) -> Reading:
        self._check_duty_verb(text)
        candidates = ways(text)
        if len(candidates) == 1 and len(candidates[0]) == 1:
            return self._statement(text, candidates[0][0], requirement)
        found: list[WayRead] = []
        first: UnreadableError | None = None
        for way in candidates:
            mark = self.doubts.answers.mark()
            try:
                norms = self._way(way, text, requirement)
            except UnreadableError as error:
                self.doubts.answers.forget(mark)
                first = first or error
                continue
            if all(self._differ(norms, other) for _, other in found):
                found.append((way, norms))
        if not found:
            raise first or UnreadableError(_NO_FORM)
        return found[0][1] if len(found) == 1 else self.doubts.way(found)

    def _check_duty_verb(self, text: str) -> None:
        """Refuse “users are blocked for spam” of an agent that blocks users."""
        action = self.lexicon.action()
        if action is not None and (found := acting_duty_verb(text, action.type.values)) is not None:
            said, done = found
            raise UnreadableError(f"“{said}” may name what {done} does, or say what may be done", said)

    def _way(self, way: Way, text: str, requirement: str) -> tuple[Norm, ...]:
        """The norms of the statements of one way; if one names an action, all have to."""
        found: list[Norm] = []
        named: set[bool] = set()
        for part in way:
            reading = self._statement(part, part, requirement)
            if isinstance(reading, Default):
                raise UnreadableError("it speaks of everything else beside something of its own")
            found += (replace(norm, message=text.strip()) for norm in reading)
            named |= {self._names_action(norm) for norm in reading}
        if len(named) > 1:
            raise UnreadableError("it is open what a part of it is done to")
        return tuple(found)

    def _names_action(self, norm: Norm) -> bool:
        action = self.lexicon.action()
        return action is not None and action.name in names(norm.scope, norm.condition)

    def _differ(self, one: tuple[Norm, ...], other: tuple[Norm, ...]) -> bool:
        """Whether two readings deny or permit differently on some input, as far as is known."""
        arguments = self.lexicon.arguments
        return any(
            differ(any_of(*map(side, one)), any_of(*map(side, other)), arguments)
            for side in (attrgetter("denies"), attrgetter("permits"))
        )

    def _statement(self, text: str, plain: str, requirement: str) -> Reading:
        """Read the statement as it stands, else its ``plain`` words, in the first form that can be read."""
        first: UnreadableError | None = None
        for skeletons in statement_forms(text, plain):
            try:
                return self._form(skeletons, requirement, text)
            except UnreadableError as error:
                first = error if first is None or first.kind != "stateful" else first
        before = parse_habit(normalised(text))
        if first is not None and (before is None or before.form != "before_must"):
            raise first
        return self._habit(text, requirement, first or UnreadableError(_NO_FORM))

    def _habit(self, text: str, requirement: str, first: UnreadableError) -> Reading:
        """Read what is said of what is not done, or of a duty, where the sentence has no other form."""
        habit = parse_habit(normalised(text))
        if habit is None:
            raise first
        if habit.form == "duty":
            said = " ".join(word.text for word in habit.chunks[1])
            why = f"it demands “{said}”, and a guard can only forbid: say before what that has to be"
            raise UnreadableError(why, said)
        return self._skeleton(habit, requirement, text)

    def _stated(self, skeleton: Skeleton, requirement: str, message: str) -> Reading:
        """The reading of a skeleton, with the limit over several actions that it states."""
        skeleton, limit = limited(skeleton)
        reading = self._skeleton(skeleton, requirement, message)
        if limit is None and not skeleton.earlier:
            return reading
        if isinstance(reading, Default) or len(reading) != 1:
            raise UnreadableError("it limits several actions in more than one way", kind="stateful")
        norm = reading[0]
        if skeleton.earlier:
            norm = self._after(norm, skeleton.earlier)
        return (norm if limit is None else self._limited(norm, limit),)

    def _after(self, norm: Norm, earlier: Chunk) -> Norm:
        if norm.effect is Effect.PERMIT:
            said = " ".join(word.text for word in earlier)
            raise UnreadableError(f"“{said}” is no action", said, "stateful")
        when = self.history.happened(self.phrases.read(earlier, Position.ACTION))
        return replace(norm, scope=all_of(norm.scope, when))

    def _limited(self, norm: Norm, limit: StatedLimit) -> Norm:
        whole = all_of(norm.scope, norm.condition)
        per_run = self.doubts.counts_per_run(limit.window)
        if limit.kind == "total":
            return replace(
                norm, condition=self.history.in_total(norm.condition, limit.window, per_run, whole)
            )
        if norm.effect is Effect.REQUIRE or (norm.effect is Effect.FORBID) != (limit.bound == "more than"):
            raise UnreadableError("it is open what the number of times limits", kind="stateful")
        beyond = self.history.more_than(whole, limit.count, limit.window, per_run, single=limit.each)
        if norm.effect is Effect.PERMIT:  # “may, at most 3 times”: permitted up to there, and denied beyond
            return replace(norm, effect=Effect.REQUIRE, scope=whole, condition=negate(beyond))
        return replace(norm, condition=all_of(norm.condition, beyond))

    def _form(self, skeletons: tuple[Skeleton, ...], requirement: str, message: str) -> Reading:
        first: UnreadableError | None = None
        found: list[Reading] = []
        for skeleton in skeletons:
            try:
                reading = self._stated(skeleton, requirement, message)
            except UnreadableError as error:
                first = first or error
                continue
            if reading not in found:
                found.append(reading)
        if len(found) > 1:
            raise UnreadableError("it can be taken apart in more than one way")
        if not found:
            raise first or UnreadableError(_NO_FORM)
        return found[0]

    def _skeleton(self, skeleton: Skeleton, requirement: str, text: str) -> Reading:
        form = skeleton.form
        if form in ("default_allow", "default_deny"):
            return Default(form == "default_allow")
        denying = form.startswith("forbid")
        if any(one.kind == "AND" and two.kind == "NOT" for one, two in pairwise(skeleton.exception)):
            raise UnreadableError("it is open whether “not” goes on with its exception")
        when = self.condition(skeleton.condition, denying=denying)
        unless = self.condition(skeleton.exception, denying=not denying)
        build = NormForms(self, requirement, text.strip(), when, unless if skeleton.exception else None)
        chunks = skeleton.chunks[::-1] if form in REVERSED else skeleton.chunks
        return build.complete(self._built(build, form, chunks, when))

    def _built(  # noqa: C901 # one case for each form
        self, build: NormForms, form: str, chunks: tuple[Chunk, ...], when: Term
    ) -> Reading:
        if form in OF_PARTS:
            return OF_PARTS[form](build, *chunks)
        match form, len(chunks):
            case "permit_only_if", _:
                return build.only_if(chunks[0], chunks[1], chunks[2] if len(chunks) > 2 else ())
            case "requires" | "required_for", _:
                needed = _is_given(chunks[1], self.lexicon) or self.condition(chunks[1], denying=False)
                return build.requires(chunks[0], needed, chunks[1])
            case "requires_if", _:
                return build.requires(chunks[0], when)
            case "forbid_except" | "forbid_subject_but" | "forbid_action_but" | "forbid_but", _:
                return _but(build, form, chunks)
            case "forbid_done", _:
                return build.forbid(chunks[0], (SentenceWord("WORD", "be"), *chunks[1]))
            case "before_must", _:
                return build.requires(chunks[0], self.condition((*chunks[1], *chunks[2]), denying=False))
            case "habit_only", _ if all(is_filler(word.text) for word in chunks[0]):
                return build.may_only(*chunks)
            case "habit_only", _:
                return build.only_object(EVERYONE, *chunks)
            case _, 1:
                return METHODS[form](build, EVERYONE, chunks[0])
            case _:
                return METHODS[form](build, chunks[0], chunks[1])

    def condition(self, chunk: Chunk, *, denying: bool) -> Term:
        """What a part of the sentence behind “if” or the like says; ALWAYS of none."""
        if not chunk:
            return ALWAYS
        if self.lexicon.held and (found := self._of_facts(chunk, denying=denying)) is not None:
            return found
        mark = self.doubts.answers.mark()
        try:
            condition = self.phrases.read(chunk, Position.CONDITION, denying=denying)
        except UnreadableError:
            if (found := self._of_facts(chunk, denying=denying)) is None:
                raise
            self.doubts.answers.forget(mark)
            return found
        if condition == ALWAYS:
            raise UnreadableError("its condition names nothing that the agent spec knows")
        return condition

    def _of_facts(self, chunk: Chunk, *, denying: bool) -> Term | None:
        """The condition as one over facts, if all of it is."""
        try:
            found = Conditions(self.lexicon, denying).read(chunk)
        except NoConditionError:
            return None
        return found if self._is_of_dialect(found) else None

    def _is_of_dialect(self, condition: Term) -> bool:
        """Whether a condition can stand in a policy: the checker knows more of types than the grammar."""
        known = (*self.lexicon.arguments, *self.lexicon.held)
        optional = {one.name: one for one in known if one.type.optional}

        def guarded(atom: Term) -> Term:
            lacking = (missing(optional[name]) for name in names(atom) if name in optional)
            return atom if is_presence(atom) else any_of(*lacking, atom)

        text = rendered(told(map_atoms(condition, guarded), self.lexicon.world))
        taken = [Parameter(one.name, one.type) for one in known if one.name not in self.lexicon.world]
        try:
            check_condition(text, taken)
        except WorkbenchError:
            return False
        return True

    def verbs(self, action: Chunk) -> Chunk:
        """The verbs of a passive."""
        return _leading_verbs(action[1:], self.lexicon)

    def about(
        self, subject: Chunk, action: Chunk, *, who_denies: bool, what_denies: bool
    ) -> tuple[Term, Term]:
        """Who a sentence is about and what they do; each may widen what is denied.

        "Emails may not be sent": in the passive the subject is what the action is done to.
        """
        if is_passive(action):
            verbs = self.verbs(action)
            whole = (*verbs, *subject, *action[1 + len(verbs) :])
            if len(verbs) > 1 and any(word.kind in ("AND", "OR", "COMMA") for word in subject):
                raise UnreadableError("it is open which action is done to what")
            what = self.phrases.read(whole, Position.ACTION, denying=what_denies)
            self._check_done(verbs, what)
            return ALWAYS, what
        who = self.phrases.read(subject, Position.SUBJECT, denying=who_denies)
        what = self.phrases.read(action, Position.ACTION, denying=what_denies)
        return who, what

    def _check_done(self, verbs: Chunk, what: Term) -> None:
        """Refuse “magazines may not be lent” where only the description of an argument has the verb."""
        action = self.lexicon.action()
        if action is None or action.name in names(what):
            return
        for verb in verbs:
            if verb.kind == "WORD" and not is_filler(verb.text) and not self.lexicon.meanings(key(verb.text)):
                raise UnreadableError(UNKNOWN.format(verb.text), verb.text, "undefined")
