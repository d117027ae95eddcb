"""What a sentence about some calls may name: values, lists, records and facts, each with its words.

They are the nouns of the lexicon as expressions of the dialect: what the call has, the records that its keys
reach, what their elements and fields hold, earlier calls, the context, and the functions of the policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from workbench.dialect.call_file import ANY_CALL, RUN, Fact, FactParameter
from workbench.language.foreign.stems import stem
from workbench.language.lexicon import FieldWords, Lexicon, Scope
from workbench.language.productions import kind_of
from workbench.language.trees import CALL, Tree
from workbench.language.trees import RUN as RUN_NAME
from workbench.language.vocabulary import words_named
from workbench.language.words import singular, words_of, words_of_name
from workbench.model import Kind, Record

PROSE = words_named("prose")
MOST_NAMEABLE = 4_000
_DEEPEST = 3
_MOST_OPERANDS = 3
ELEMENT: Tree = ("name", "x")
"""The element of a list or the earlier call, in what is said about it."""


@dataclass(frozen=True)
class Nameable:
    """Something that words may name: its expression, its sort, and whether it is several things.

    ``words`` are the stems of its own words, ``owner`` those of what it belongs to, and ``gloss`` those of
    its description. ``needs`` are what must not be None before it is read. It is about an element of
    ``domain`` if that is not empty; ``earlier`` are then the classes of the earlier calls.
    """

    tree: Tree
    sort: str
    words: tuple[str, ...]
    owner: tuple[str, ...] = ()
    gloss: frozenset[str] = frozenset()
    many: bool = False
    optional: bool = False
    needs: tuple[Tree, ...] = ()
    domain: Tree = ()
    earlier: tuple[str, ...] = ()
    form: str = "field"
    name: str = ""
    depth: int = 0

    @property
    def of_call(self) -> bool:
        """Whether it is a parameter of the decided call itself."""
        return self.tree[0] == "attr" and self.tree[1] == CALL


def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text, but of its smallest words."""
    return tuple(stem(one) for one in words_of(text) if one not in _SMALL and (one.isalnum() or "-" in one))


_SMALL = words_named("small")
_STOP = frozenset(map(stem, words_named("stop")))


class Nameables:
    """What may be named in sentences about the calls of some classes."""

    def __init__(self, lexicon: Lexicon, classes: Sequence[str]) -> None:
        self._lexicon = lexicon
        self._scope = Scope(tuple(classes))
        lexicon.class_of_calls(tuple(classes))
        self.classes = tuple(classes)

    @property
    def lexicon(self) -> Lexicon:
        """The nouns of the session."""
        return self._lexicon

    @cached_property
    def every(self) -> tuple[Nameable, ...]:
        """All that may be named, but for earlier calls."""
        found: dict[tuple[object, ...], Nameable] = {}
        for one in self._all():
            found.setdefault((one.tree, one.domain, one.many), one)
            if len(found) >= MOST_NAMEABLE:
                break
        return tuple(found.values())

    @cached_property
    def trees(self) -> frozenset[Tree]:
        """The terms of the things."""
        return frozenset(one.tree for one in self.every)

    def _all(self) -> Iterator[Nameable]:
        fields = self._lexicon.fields
        if self.classes == (ANY_CALL,):
            tool = next(each for each in fields[self._scope.call] if each.name == "tool")
            yield Nameable(("attr", CALL, "tool"), tool.sort, stems_of("tool"), name="tool")
        gloss = self._glosses()
        roots = [
            one
            for each in fields.get(self._scope.call, ())
            if each.name != "tool"
            for one in self._field(each, CALL, (), (), (), 0, gloss.get(each.name, frozenset()))
        ]
        session: Tree = ("attr", RUN_NAME, "context")
        owner = (stem("session"),)
        context = [one for each in fields["context"] for one in self._field(each, session, owner, (), (), 0)]
        yield from roots
        yield from context
        reached = [*roots, *context]
        every = list(reached)
        for _ in range(2):
            new = [one for record in self._records() for one in self._of_record(record, reached)]
            yield from new
            every += new
            reached = new
        for name, words in (("said", "user said"), ("last_said", "user last message")):
            base: Tree = ("attr", RUN_NAME, name)
            yield Nameable(base, "text", stems_of(words), form="said", name=name)
            for each in fields["text"]:
                texts = self._lexicon.types.readings[each.name].texts
                if not texts or f"Run.{name}" in texts:
                    yield from self._field(each, base, stems_of(words), (), (), 1)
        for part, words in (
            ("weekday", "weekday day week weekend"),
            ("hour", "hour o'clock"),
            ("day", "day month"),
        ):
            base = ("attr", ("attr", CALL, "time"), part)
            yield Nameable(base, "int", stems_of(words), form="clock", name=part)
        yield from self._facts(every)

    # --- fields -------------------------------------------------------------------

    def _glosses(self) -> Mapping[str, frozenset[str]]:
        """The stems of what the schemas say of the parameters of the calls."""
        found: dict[str, frozenset[str]] = {}
        for name in self.classes:
            call = self._lexicon.types.calls.get(name)
            for one in () if call is None else call.fields:
                found[one.name] = found.get(one.name, frozenset()) | frozenset(stems_of(one.description))
        return found

    def _field(
        self,
        one: FieldWords,
        base: Tree,
        owner: tuple[str, ...],
        needs: tuple[Tree, ...],
        domain: Tree,
        depth: int,
        gloss: frozenset[str] = frozenset(),
        earlier: tuple[str, ...] = (),
    ) -> Iterator[Nameable]:
        """A field, and what it holds."""
        tree: Tree = ("attr", base, one.name)
        words = stems_of(one.words)
        found = Nameable(
            tree,
            one.sort,
            words,
            owner,
            gloss,
            one.many,
            one.optional,
            needs,
            domain,
            earlier,
            name=one.name,
            depth=depth,
        )
        yield found
        if depth >= _DEEPEST:
            return
        own = (*owner, *words)
        inner = (*needs, tree) if one.optional else needs
        if one.many and not domain:
            each = stems_of(singular(one.words))
            yield Nameable(
                ELEMENT,
                one.sort,
                each,
                owner,
                gloss,
                needs=inner,
                domain=tree,
                name=one.name,
                form="element",
                depth=depth,
            )
            if one.sort in self._lexicon.fields and one.sort != "text":
                for part in self._lexicon.fields[one.sort]:
                    yield from self._field(part, ELEMENT, (*owner, *each), inner, tree, depth + 1)
        elif not one.many and one.sort in self._lexicon.fields and kind_of(one.sort) in ("rec", "text"):
            for part in self._lexicon.fields[one.sort]:
                if one.sort != "text" or self._has_reading(one.name, base, part.name):
                    yield from self._field(part, tree, own, inner, domain, depth + 1, earlier=earlier)

    def _has_reading(self, name: str, base: Tree, reading: str) -> bool:
        """Whether a text has a reading: one of those that it is declared for, or a text of many words."""
        texts = self._lexicon.types.readings[reading].texts
        owners = self.classes if base == CALL else ()
        return (
            any(f"{owner}.{name}" in texts for owner in owners) if texts else bool(owners) and name in PROSE
        )

    # --- records ------------------------------------------------------------------

    def _records(self) -> Iterator[Record]:
        return (one for one in self._lexicon.types.records.values() if len(one.keys) == 1)

    def _of_record(self, record: Record, reached: Sequence[Nameable]) -> Iterator[Nameable]:
        """A record by each of the values that are named as its key is, and its fields."""
        names = {record.key, f"{record.name}_id", record.name}
        plurals = {f"{one}s" for one in names} | {record.name + "s"}
        for one in reached:
            if kind_of(one.sort) not in ("text", "int") or one.many or one.form == "record":
                continue
            if one.form == "element" and one.name not in plurals | names:
                continue
            if (
                one.form != "element"
                and one.name.rstrip("_") not in names
                and not one.name.endswith(f"_{record.key}")
            ):
                continue
            if one.earlier:
                continue
            base: Tree = ("method", RUN_NAME, record.name, one.tree)
            own = stems_of(self._lexicon.words_of_record(record) or words_of_name(record.name))
            needs = (*one.needs, *((one.tree,) if one.optional else ()))
            sort = f"rec:{record.class_name}"
            plain = one.name.rstrip("_") in names and one.depth == 0
            owner = () if plain else tuple(word for word in one.words if word not in own)
            depth = one.depth + (not plain)
            yield Nameable(
                base,
                sort,
                own,
                owner,
                needs=needs,
                domain=one.domain,
                form="record",
                name=record.name,
                depth=depth,
            )
            for part in self._lexicon.fields.get(sort, ()):
                yield from self._field(part, base, (*owner, *own), (*needs, base), one.domain, one.depth + 1)

    def earlier(self, classes: Sequence[str]) -> tuple[Nameable, ...]:
        """The fields of the earlier calls of some classes."""
        sort = self._lexicon.class_of_calls(tuple(classes), "earlier")
        domain: Tree = ("method", RUN_NAME, "earlier", *(("name", one) for one in classes))
        return tuple(
            found
            for one in self._lexicon.fields[sort]
            for found in self._field(one, ELEMENT, (), (), domain, 2, earlier=tuple(classes))
        )

    # --- facts --------------------------------------------------------------------

    def _facts(self, reached: Sequence[Nameable]) -> Iterator[Nameable]:
        for fact in self._lexicon.facts.values():
            for tree, needs, domain in self._applied(fact, reached):
                sort = self._lexicon.sort_of(fact.result)
                many = fact.result.kind in (Kind.SET, Kind.LIST)
                noun = self._lexicon.words_of_fact(fact).removeprefix("whether ") or words_of_name(fact.name)
                words = tuple(word for word in dict.fromkeys(stems_of(noun)) if word not in _STOP)
                gloss = frozenset(stems_of(words_of_name(fact.name)))
                yield Nameable(
                    tree,
                    sort,
                    words,
                    gloss=gloss,
                    many=many,
                    needs=needs,
                    domain=domain,
                    form="fact",
                    name=fact.name,
                )

    def _applied(
        self, fact: Fact, reached: Sequence[Nameable]
    ) -> Iterator[tuple[Tree, tuple[Tree, ...], Tree]]:
        """A fact of what it takes, with what that needs, and the list whose elements it takes."""
        operands: list[list[tuple[Tree, tuple[Tree, ...], Tree]]] = []
        for parameter in fact.parameters:
            if parameter.type == RUN and not parameter.classes:
                operands.append([(RUN_NAME, (), ())])
            elif parameter.classes:
                if ANY_CALL not in parameter.classes and not set(self.classes) <= set(parameter.classes):
                    return
                operands.append([(CALL, (), ())])
            else:
                operands.append(self._operands(parameter, reached))
        for chosen in product(*operands):
            domains = {domain for _, _, domain in chosen if domain}
            if len(domains) <= 1:
                needs = tuple(dict.fromkeys(tree for _, each, _ in chosen for tree in each))
                yield ("call", fact.name, *(tree for tree, _, _ in chosen)), needs, next(iter(domains), ())

    def _operands(
        self, parameter: FactParameter, reached: Sequence[Nameable]
    ) -> list[tuple[Tree, tuple[Tree, ...], Tree]]:
        """What a parameter may take, the likeliest first: what has its name, its words, or its kind."""
        many = parameter.type.kind in (Kind.SET, Kind.LIST)
        sort = self._lexicon.sort_of_parameter(parameter)
        words = set(stems_of(words_of_name(parameter.name)))
        found: list[tuple[float, Tree, tuple[Tree, ...], Tree]] = []
        for one in reached:
            fits = one.sort == sort or (
                not parameter.kind and kind_of(one.sort) == kind_of(sort) in ("text", "enum", "int", "dec")
            )
            if one.many != many or one.form == "record" or not fits:
                continue
            own = set(one.words) - {stem("id")}
            if one.name == parameter.name:
                rank = 0.0
            elif (words - {stem("id")}) & own and one.depth == 0:
                rank = 1.0
            elif parameter.kind and one.sort == sort:
                rank = 2.0
            elif (
                one.depth == 0 and one.form == "field" and not one.domain and parameter.type.kind is Kind.STR
            ):
                rank = 3.0
            else:
                continue
            needs = (*one.needs, *((one.tree,) if one.optional else ()))
            found.append((rank + 0.3 * one.depth + 0.3 * bool(one.domain), one.tree, needs, one.domain))
        ranked = sorted(found, key=lambda one: one[0])
        if ranked and ranked[0][0] >= 3.0 and len(ranked) > 1:
            return []
        return [
            (tree, needs, domain)
            for rank, tree, needs, domain in ranked[:_MOST_OPERANDS]
            if rank < ranked[0][0] + 1
        ]
