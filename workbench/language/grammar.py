"""The grammar: one table of productions, by which sentences are written, read and completed.

A row is what it makes, the words, and the expression of the dialect that they stand for. A slot
``{a:term N}`` takes what another row makes: its category, and the sort of the value. A sort of one
capital is any sort, the same throughout a row. ``N`` is a number, ``#N`` one like it without a unit, ``Q``
a number or duration, ``W`` a date, a time or both, ``M`` a date or a point in time, ``P`` an earlier call,
``R`` a record, an element or a call. ``@call`` is the class of the decided call, ``@it`` that of the one
element around. ``{p:atom+}`` takes two or more, ``{p:atom*}`` one or more; of ``{d:domain^}`` later
slots may name the element.

In an expression ``x`` and ``y`` are elements of the domains and lists of the row, ``it`` is the element
around, and ``all_of`` and ``any_of`` join the parts of a slot, ``any_in`` the tests that they are in a text.
The first row of an expression that fits is written; all are read. An operator of the dialect is one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from workbench.language.productions import Production, production

DEFAULT_SENTENCES = ("What no sentence forbids is allowed.", "What no sentence allows is denied.")
"""What is said of calls of which no other sentence speaks: they are allowed, or denied."""
_LINE = 150
"""The longest condition, in characters, that is one line and not a list."""
_PAIR = 140


def _sentences() -> list[Production]:
    """What a rule, a clause of the contract and a fact say."""
    one = production
    return [
        one("sentence", "The agent must never {t:tool*}.", "forbid(True, t)"),
        one("sentence", "The agent must not {t:tool*} unless {c:cond}.", "forbid(not c, t)"),
        one("sentence", "The agent must not {t:tool*} if {c:cond}.", "forbid(c, t)"),
        one("sentence", "The agent may {t:tool*} only with the approval of a person.", "ask(True, t)"),
        one("sentence", "The agent may {t:tool*} only with the approval of a person unless {c:cond}.",
            "ask(not c, t)"),
        one("sentence", "The agent may {t:tool*} only with the approval of a person if {c:cond}.",
            "ask(c, t)"),
        one("sentence", "The agent may always {t:tool*}.", "permit(True, t)"),
        one("sentence", "The agent may {t:tool*} unless {c:cond}.", "permit(not c, t)"),
        one("sentence", "The agent may {t:tool*} if {c:cond}.", "permit(c, t)"),
        one("sentence", "It must never be possible to {t:tool*}.", "ensure(not Result(), t)"),
        one("sentence", "It must always be possible to {t:tool*}.", "ensure(Result(), t)"),
        one("sentence", "It must not be possible to {t:tool*} unless {c:cond}.",
            "ensure(Implies(not c, not Result()), t)"),
        one("sentence", "It must be possible to {t:tool*} unless {c:cond}.",
            "ensure(Implies(not c, Result()), t)"),
        one("sentence", "It must not be possible to {t:tool*} if {c:cond}.",
            "ensure(Implies(c, not Result()), t)"),
        one("sentence", "It must be possible to {t:tool*} if {c:cond}.", "ensure(Implies(c, Result()), t)"),
        one("sentence", "It must be possible to {t:tool*} only if {c:cond}.",
            "ensure(Implies(Result(), c), t)"),
        one("sentence", "It must be possible to {t:tool*} exactly if {c:cond}.",
            "ensure(Result() == c, t)"),
        one("sentence",
            "In calls to {t:tool*}, provided that {g:cond} — it must be possible only if {c:cond}.",
            "ensure(Implies(Result() and g, c), t)"),
        one("sentence",
            "In calls to {t:tool*}, provided that {g:cond} — it must be possible exactly if {c:cond}.",
            "ensure(Implies(g, Result() == c), t)"),
        one("sentence", "In calls to {t:tool*}, it always holds that {c:cond}.", "ensure(c, t)"),
        one("sentence", "In calls to {t:tool*}, it is taken for granted that {c:cond}.", "require(c, t)"),
        *_of_runs(),
        one("sentence", "That {f:own_fact bool} means that {c:cond}.", "meaning(f, c)"),
        one("sentence", "{f:own_fact S} is {v:value S}.", "meaning(f, v)"),
        one("sentence", "{s:constants E} has {v:lit* E}.", "meaning(s, {v})"),
        one("sentence", "The list {n:new} has {v:lit* E}.", "meaning(n, {v})", reads_only=True),
        one("sentence", DEFAULT_SENTENCES[0], 'meaning(DEFAULT, "allow")'),
        one("sentence", DEFAULT_SENTENCES[1], 'meaning(DEFAULT, "deny")'),
        one("sentence", "The agent may not {t:tool*} if {c:cond}.", "forbid(c, t)", reads_only=True),
        one("sentence", "The agent must never {t:tool*} if {c:cond}.", "forbid(c, t)", reads_only=True),
        one("sentence", "The agent may {t:tool*} only if {c:cond}.", "forbid(not c, t)", reads_only=True),
        one("sentence", "The agent must not {t:tool*} without the approval of a person.", "ask(True, t)",
            reads_only=True),
        one("sentence", "The agent must not {t:tool*} without the approval of a person if {c:cond}.",
            "ask(c, t)", reads_only=True),
        *_naming(),
        one("sentence", "The agent must not {t:tool*}.", "forbid(True, t)", reads_only=True),
        one("sentence", "The agent may {t:tool*}.", "permit(True, t)", reads_only=True),
    ]  # fmt: skip


def _of_runs() -> Iterator[Production]:
    """Theorems: what never happens of a call, and what never holds of all calls of a run."""

    def one(words: str, stands_for: str, *, reads_only: bool = True) -> Production:
        return production("sentence", words, stands_for, reads_only=reads_only)

    for may in ("may", "does"):
        said, reads_only = f"In no run {may} the agent", may == "does"
        yield one(f"{said} ever {{t:tool*}}.", "never(True, t)", reads_only=reads_only)
        yield one(f"{said} {{t:tool*}} unless {{c:cond}}.", "never(not c, t)", reads_only=reads_only)
        yield one(f"{said} {{t:tool*}} if {{c:cond}}.", "never(c, t)", reads_only=reads_only)
        yield from (one(f"{said} {words}.", stands_for) for words, stands_for in _of_two_calls())
    for words, operator in _COMPARED.items():
        breaks = f"never_holds(a {operator} b)"
        yield one(f"In no run is {{a:whole Q}} {words} {{b:value Q}}.", breaks, reads_only=False)
        broken = f"never_holds(a {_OPPOSITE[operator]} b)"
        yield one(f"In every run {{a:whole Q}} is {words} {{b:value Q}}.", broken)
    for (of_all, sort, beyond, within, operator), rel in product(_LIMITED, ("", "{r:rel}")):
        extreme = f"the {of_all} {{f:field E {sort}}} of all {{m:run_calls^ E}}{rel}"
        breaks = f"never_holds(any({'r and ' if rel else ''}x.f {operator} v for x in m))"
        limit = f"{{v:{'value' if sort == 'Q' else 'term'} {sort}}}"
        yield one(f"In no run is {extreme} {beyond} {limit}.", breaks)
        yield one(f"In every run {extreme} is {within} {limit}.", breaks)
    yield one("In no run does it ever hold that {c:cond}.", "never_holds(c)", reads_only=False)
    for came, test in (
        ("", "True"),
        (" that succeeded", "x.succeeded"),
        (" that did not fail", "not x.failed"),
    ):
        since = f"any({test} for x in run.since(y for y in run.earlier(t)).earlier(u))"
        yield one(
            f"In every run there is a call to {{u:tool*}}{came} between two calls to {{t:tool*}}.",
            f"never(any(True for y in run.earlier(t)) and not {since}, t)",
        )


_COMPARED = {"less than": "<", "at most": "<=", "more than": ">", "at least": ">="}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_LIMITED = (
    ("largest", "Q", "more than", "at most", ">"),
    ("smallest", "Q", "less than", "at least", "<"),
    ("latest", "W", "after", "not after", ">"),
    ("earliest", "W", "before", "not before", "<"),
)
_LENGTHS = {
    "{d:value dur}": "d", "an hour": "timedelta(hours=1)", "a day": "timedelta(days=1)",
    "any hour": "timedelta(hours=1)", "any day": "timedelta(days=1)",
}  # fmt: skip


def _of_two_calls() -> Iterator[tuple[str, str]]:
    """What never happens of a call after another one: before or after it, twice, more often than that."""
    some, same = "any(True for x in run.earlier(t))", "any(x.f == call.f for x in run.earlier(t))"
    yield "{t:tool*} twice", f"never({some}, t)"
    yield "{t:tool*} twice for the same {f:field @call S}", f"never({same}, t)"
    yield "{t:tool*} more than {v:lit int} times", "never_holds(len(run.earlier(t)) > v)"
    yield (
        "{t:tool*} more than {v:lit int} times for the same {f:field @call S}",
        "never(sum(1 for x in run.earlier(t) if x.f == call.f) >= v, t)",
    )
    yield (
        "{t:tool*} with more than {v:lit int} different {f:field @call S}",
        f"never(not {same} and len({{x.f for x in run.earlier(t)}}) >= v, t)",
    )
    for length, value in _LENGTHS.items():
        yield (
            f"{{t:tool*}} more than {{v:lit int}} times within {length}",
            f"never(sum(1 for x in run.earlier(t) if call.time - x.time <= {value}) >= v, t)",
        )
    for rel, test in (("", "True"), (" {r:that}", "r")):
        yield f"{{t:tool*}} before a {{d:one_call^ P}}{rel}", f"never(not any({test} for x in d), t)"
        yield f"{{t:tool*}} after a {{d:one_call^ P}}{rel}", f"never(any({test} for x in d), t)"
        yield (
            f"{{t:tool*}} after a {{d:one_call^ P}}{rel} without the approval of a person",
            f"never(any({test} for x in d) and not call.approved, t)",
        )
    yield "{t:tool*} without the approval of a person", "never(not call.approved, t)"
    yield "{t:tool*} without the approval of a person if {c:cond}", "never(not call.approved and c, t)"


def _naming() -> list[Production]:
    """What gives a condition a noun that other sentences may use; read aloud it is what the noun means."""
    of_record = (
        "A {k:kind} {n:noun} when {c:cond}.",
        "A {k:kind} {n:noun} if {c:cond}.",
        "That a {k:kind} {n:noun} means that {c:cond}.",
    )
    of_calls = ("In calls to {t:tool*}, that {n:noun} means that {c:cond}.",)
    return [
        *(production("sentence", words, "naming(n, c, k)", reads_only=True) for words in of_record),
        *(production("sentence", words, "naming(n, c, t)", reads_only=True) for words in of_calls),
    ]  # fmt: skip


def _conditions() -> list[Production]:
    """Conditions on a line, and as lists: only the last part of a line may go on to its end."""
    one = production
    return [
        one("cond", "{a:atom}", "a"),
        one("cond", "{a:clause}", "a"),
        one("cond", "{p:and_atom+}", "all_of(p)", longest=_LINE),
        one("cond", "{p:or_atom+}", "any_of(p)", longest=_LINE),
        one("cond", "{p:and_atom*} and {q:tail}", "all_of(p, q)", longest=_LINE),
        one("cond", "{p:or_atom*} or {q:tail}", "any_of(p, q)", longest=_LINE),
        one("cond", "{a:tail}", "a"),
        one("tail", "both {a:atom} and {b:atom}", "a and b", longest=_PAIR),
        one("tail", "either {p:or_atom+}", "any_of(p)", longest=_PAIR),
        one("tail", "either {p:or_atom*} or {q:tail}", "any_of(p, q)", longest=_PAIR),
        one("tail", "there is a {d:domain^ E} for which {c:cond}", "any(c for x in d)"),
        one("tail", "there is no {d:domain^ E} for which {c:cond}", "not any(c for x in d)"),
        one("tail", "for every {d:domain^ E}, {c:cond}", "all(c for x in d)"),
        one("tail", "for every {d:domain^ E}{r:rel}, {c:cond}", "all(c for x in d if r)"),
        one("tail", "not for every {d:domain^ E}, {c:cond}", "not all(c for x in d)"),
        one("tail", "not for every {d:domain^ E}{r:rel}, {c:cond}", "not all(c for x in d if r)"),
        one("tail", "there is a {d:domain^ E}{r:rel} for which {c:cond}", "any(c for x in d if r)"),
        one("tail", "there is no {d:domain^ E}{r:rel} for which {c:cond}", "not any(c for x in d if r)"),
        *_in_places(),
        one("tail", "there was an {d:domain^ E} for which {c:cond}", "any(c for x in d)", reads_only=True),
        one("tail", "there was no {d:domain^ E} for which {c:cond}", "not any(c for x in d)",
            reads_only=True),
        one("tail", "{a:clause}", "a"),
        one("tail", "it is not the case that {a:clause}", "not a"),
        one("tail", "it is not the case that {a:atom}", "not a"),
        one("tail", "{a:atom} exactly if {b:cond}", "a == b", longest=_PAIR),
        one("tail", "if {a:chain}, then {b:chain}, and otherwise {c:cond}", "b if a else c", longest=_LINE),
        one("tail", "all of these hold: {p:item+}", "all_of(p)"),
        one("tail", "at least one of these holds: {p:item+}", "any_of(p)"),
        one("tail", "not all of these hold: {p:item+}", "not all_of(p)"),
        one("tail", "both of these hold: {p:pair+}", "all_of(p)", reads_only=True),
        one("tail", "not both of these hold: {p:pair+}", "not all_of(p)", reads_only=True),
        one("tail", "none of these holds: {p:item+}", "not any_of(p)"),
        one("tail", "this does not hold: {c:cond}", "not c"),
        one("tail", "both or neither of these hold: {p:pair+}", "same(p)"),
        one("tail", "exactly one of these holds: {p:pair+}", "other(p)"),
        one("tail", "the first of these that applies decides: {p:case+}", "case(p)"),
        one("tail", "if {a:cond}, then {b:cond}", "Implies(a, b)"),
        one("chain", "{a:atom}", "a"),
        one("chain", "{p:and_atom+}", "all_of(p)"),
        one("chain", "{p:or_atom+}", "any_of(p)"),
        one("atom", "the call is to {t:tool*}", "isinstance(call, t)"),
        one("atom", "the call is not to {t:tool*}", "not isinstance(call, t)"),
        one("atom", "({c:cond})", "c", reads_only=True),
        one("atom", "it is allowed", "Result()"),
        one("atom", "it is refused", "not Result()"),
        one("atom", "always", "True"),
        one("atom", "never", "False"),
    ]  # fmt: skip


def _in_places() -> Iterator[Production]:
    """Conditions on the elements of two lists that stand in the same place."""
    said = (("a", "any(c for x, y in zip(d, e))"), ("every", "all(c for x, y in zip(d, e))"),
            ("no", "not any(c for x, y in zip(d, e))"))  # fmt: skip
    for place in ("place", "position"):
        for some, stands_for in said:
            words = f"for {some} {{d:domain^ E}} and the {{e:domain^ F}} in the same {place}, {{c:cond}}"
            yield production("tail", words, stands_for, reads_only=place != "place")


def _atoms() -> list[Production]:
    """Single conditions."""
    one = production
    return [
        *_said_otherwise(),
        one("atom", "{a:infix Q} is less than {b:value Q}", "a < b"),
        one("atom", "{a:infix Q} is at most {b:value Q}", "a <= b"),
        one("atom", "{a:infix Q} is more than {b:value Q}", "a > b"),
        one("atom", "{a:infix Q} is at least {b:value Q}", "a >= b"),
        one("atom", "{a:term Q} is less than {b:value Q}", "a < b"),
        one("atom", "{a:term Q} is at most {b:value Q}", "a <= b"),
        one("atom", "{a:term Q} is more than {b:value Q}", "a > b"),
        one("atom", "{a:term Q} is at least {b:value Q}", "a >= b"),
        one("atom", "{a:term W} is before {b:term W}", "a < b"),
        one("atom", "{a:term W} is not after {b:term W}", "a <= b"),
        one("atom", "{a:term W} is after {b:term W}", "a > b"),
        one("atom", "{a:term W} is not before {b:term W}", "a >= b"),
        one("atom", "{a:infix T} is {b:value T}", "a == b"),
        one("atom", "{a:term T} is {b:value T}", "a == b"),
        one("atom", "{a:infix T} is not {b:value T}", "a != b"),
        one("atom", "{a:term T} is not {b:value T}", "a != b"),
        one("atom", "{a:term T} is one of {v:lit+ T}", "a in {v}"),
        one("atom", "{a:term T} is none of {v:lit+ T}", "a not in {v}"),
        one("atom", "{a:term T} is the one value {v:lit T}", "a in {v}"),
        one("atom", "{a:term T} is not the one value {v:lit T}", "a not in {v}"),
        *_sources("", "x.source"),
        *_sources(" before {c:term earlier}", "x.source_before(c)"),
        one("atom", "{a:term T} is on {s:constants}", "a in s"),
        one("atom", "{a:term T} is not on {s:constants}", "a not in s"),
        one("atom", "{a:term T} is in {t:sets K T} for {k:term K}", "a in t.get(k, frozenset())"),
        one("atom", "{a:term T} is not in {t:sets K T} for {k:term K}", "a not in t.get(k, frozenset())"),
        one("atom", "{a:term T} is in the row of {t:sets K T} for {k:term K}", "a in t[k]"),
        one("atom", "{a:term T} is not in the row of {t:sets K T} for {k:term K}", "a not in t[k]"),
        one("atom", "{m:list T} are all in {t:sets K T} for {k:term K}", "m <= t.get(k, frozenset())"),
        one("atom", "{m:list T} are not all in {t:sets K T} for {k:term K}",
            "not m <= t.get(k, frozenset())"),
        one("atom", "{m:list T} are all in the row of {t:sets K T} for {k:term K}", "m <= t[k]"),
        one("atom", "{m:list T} are not all in the row of {t:sets K T} for {k:term K}", "not m <= t[k]"),
        one("atom", "{x:term text} lies inside {v:lit text}", "v in x.inside"),
        one("atom", "{x:term text} does not lie inside {v:lit text}", "v not in x.inside"),
        one("atom", "{a:term T} is among {m:list T}", "a in m"),
        one("atom", "{a:term T} is not among {m:list T}", "a not in m"),
        *(
            one("atom", f"{{m:list T}} {verb} {{a:term T}}", "a in m", reads_only=True)
            for verb in ("include", "includes", "contain", "contains")
        ),
        *(
            one("atom", f"{{m:list T}} {verb} {{a:term T}}", "a not in m", reads_only=True)
            for verb in ("do not include", "does not include", "do not contain", "does not contain")
        ),
        *(
            one("atom", f"{{m:list T}} {verb} only of {{v:lit+ T}}", "m <= {v}", reads_only=True)
            for verb in ("consist", "consists")
        ),
        one("atom", "{m:list T} are all on {s:constants}", "m <= s"),
        one("atom", "{m:list T} are not all on {s:constants}", "not m <= s"),
        one("atom", "{m:list T} are all among {n:list T}", "m <= n"),
        one("atom", "{m:list T} are not all among {n:list T}", "not m <= n"),
        one("atom", "{m:list T} are all one of {v:lit+ T}", "m <= {v}", reads_only=True),
        one("atom", "{m:list T} are not all one of {v:lit+ T}", "not m <= {v}", reads_only=True),
        one("atom", "{m:list T} include {n:list T}", "m >= n"),
        one("atom", "{m:list T} are {n:list T}", "m == n"),
        one("atom", "{m:list T} are not {n:list T}", "m != n"),
        *_of_values("list T", "lit* T"),
        one("atom", "{m:list T} is empty", "len(m) == 0"),
        one("atom", "{m:list T} is not empty", "len(m) > 0"),
        *_of_values("columns", "lit*"),
        one("atom", "{m:columns} are all among {n:columns}", "m <= n"),
        one("atom", "{m:columns} are not all among {n:columns}", "not m <= n"),
        one("atom", "{m:columns} are the same as {n:columns}", "m == n"),
        one("atom", "{m:columns} are not the same as {n:columns}", "m != n"),
        one("atom", "{t:term text} begins with {s:term text}", "t.startswith(s)"),
        one("atom", "{t:term text} does not begin with {s:term text}", "not t.startswith(s)"),
        one("atom", "{t:term text} ends with {s:term text}", "t.endswith(s)"),
        one("atom", "{t:term text} does not end with {s:term text}", "not t.endswith(s)"),
        one("atom", "{t:term text} contains {s:term text}", "s in t"),
        one("atom", "{t:term text} does not contain {s:term text}", "s not in t"),
        one("atom", "{r:term rec} exists", "r is not None"),
        one("atom", "{r:term rec} does not exist", "r is None"),
        one("atom", "{x:opt} is given", "x is not None"),
        one("atom", "{x:opt} is missing", "x is None"),
        one("atom", "{r:term rec} was looked up", "looked_up(r)"),
        one("atom", "{r:term rec} was not looked up", "not looked_up(r)"),
        one("atom", "{r:term earlier} succeeded", "r.succeeded"),
        one("atom", "{r:term earlier} did not succeed", "not r.succeeded"),
        one("atom", "{r:term earlier} failed", "r.failed"),
        one("atom", "{r:term earlier} did not fail", "not r.failed"),
        one("atom", "a person approves the call", "call.approved"),
        one("atom", "no person approves the call", "not call.approved"),
        one("atom", "a person approved {r:term earlier}", "r.approved"),
        one("atom", "no person approved {r:term earlier}", "not r.approved"),
        one("atom", "it is marked {f:flag @it}", "it.f"),
        one("atom", "it is not marked {f:flag @it}", "not it.f"),
        one("atom", "the call is marked {f:flag @call}", "call.f"),
        one("atom", "the call is not marked {f:flag @call}", "not call.f"),
        one("atom", "the session is marked {f:flag context}", "run.context.f"),
        one("atom", "the session is not marked {f:flag context}", "not run.context.f"),
        one("atom", "{r:term R} is marked {f:flag R}", "r.f"),
        one("atom", "{r:term R} is not marked {f:flag R}", "not r.f"),
        one("atom", "{v:term bool} is true", "v"),
        one("atom", "{v:term bool} is false", "not v"),
        one("atom", "there was an {d:domain^ P}", "any(True for x in d)"),
        one("atom", "there was no {d:domain^ P}", "not any(True for x in d)"),
        one("atom", "there was an {d:domain^ P} {r:that}", "any(r for x in d)"),
        one("atom", "there was no {d:domain^ P} {r:that}", "not any(r for x in d)"),
    ]  # fmt: skip


def _said_otherwise() -> list[Production]:
    """Comparisons as people also say them, two of one value at once among them; none is written so."""
    words = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}
    pairs = [
        (f"{{a:term Q}} is {words[one]} {{b:value Q}} {joined} {words[other]} {{c:value Q}}",
         f"a {one} b {joined} a {other} c")
        for one, other, joined in (
            (">=", "<=", "and"), (">", "<", "and"), (">=", "<", "and"), (">", "<=", "and"),
            ("<", ">", "or"), ("<=", ">=", "or"), ("<", ">=", "or"), ("<=", ">", "or"),
        )
    ]  # fmt: skip
    of_one = {
        "<": ("is below {b}", "is under {b}", "is smaller than {b}"),
        "<=": ("is no more than {b}", "is not more than {b}", "does not exceed {b}", "is up to {b}"),
        ">": ("exceeds {b}", "is above {b}", "is over {b}", "is greater than {b}", "is larger than {b}"),
        ">=": ("is no less than {b}", "is not less than {b}"),
    }
    of_times = {
        "<": ("is earlier than {b}",),
        "<=": ("is on or before {b}", "is no later than {b}", "is at most {b}"),
        ">": ("is later than {b}",),
        ">=": ("is on or after {b}", "is no earlier than {b}", "is at least {b}"),
    }  # fmt: skip
    for sort, said, slot in (("Q", of_one, "{b:value Q}"), ("W", of_times, "{b:term W}")):
        pairs += [
            (f"{{a:term {sort}}} {text.replace('{b}', slot)}", f"a {operator} b")
            for operator, texts in said.items()
            for text in texts
        ]
    pairs += [
        ("{a:term Q} is between {b:value Q} and {c:value Q}", "a >= b and a <= c"),
        ("{a:term Q} is not between {b:value Q} and {c:value Q}", "a < b or a > c"),
        ("{a:term Q} is {b:value Q} or more than {c:value Q}", "a == b or a > c"),
        ("the {f:flag @call} is true", "call.f"),
        ("the {f:flag @call} is false", "not call.f"),
        ("{r:term R}'s {f:flag R} is true", "r.f"),
        ("{r:term R}'s {f:flag R} is false", "not r.f"),
        ("the {f:flag @call} is given and true", "call.f is not None and call.f"),
        ("the {f:flag @call} is missing or false", "call.f is None or not call.f"),
        ("{r:term R}'s {f:flag R} is given and true", "r.f is not None and r.f"),
        ("{r:term R}'s {f:flag R} is missing or false", "r.f is None or not r.f"),
        ("the call is {f:flag @call}", "call.f"),
        ("the call is not {f:flag @call}", "not call.f"),
        ("{r:term R} is {f:flag R}", "r.f"),
        ("{r:term R} is not {f:flag R}", "not r.f"),
        ("the {f:field E Z} of the {m:plural E} are not all different", "len({x.f for x in m}) < len(m)"),
        ("the {f:field E Z} of the {m:plural E} are all different", "len({x.f for x in m}) == len(m)"),
    ]
    pairs += [
        ("{x:term text} was not named by something", "not any(True for y in x.source)"),
        ("{x:term text} was said by the user before {c:term earlier}", "'user' in x.source_before(c)"),
        (
            "{x:term text} was not said by the user before {c:term earlier}",
            "'user' not in x.source_before(c)",
        ),
        ("{x:term text} was made up", "not any(True for y in x.source)"),
        ("{x:term text} was not made up", "any(True for y in x.source)"),
        ("{a:term T} is neither {v:lit T} nor {w:lit T}", "a not in {v, w}"),
        ("{a:term T} is either {v:lit T} or {w:lit T}", "a in {v, w}"),
        ("{t:term text} contains one of {v:lit+ text}", "any_in(v, t)"),
        ("{t:term text} contains none of {v:lit+ text}", "not any_in(v, t)"),
        ("{t:term text} starts with {s:term text}", "t.startswith(s)"),
        ("{t:term text} does not start with {s:term text}", "not t.startswith(s)"),
    ]
    pairs += [
        ("its {f:flag @it} is true", "it.f"),
        ("its {f:flag @it} is false", "not it.f"),
        *_of_states(), *_of_events(), *_of_no_things(), *_of_some_things(),
    ]  # fmt: skip
    return [
        *(production("atom", said, stands_for, reads_only=True) for said, stands_for in pairs),
        *_of_numbers_of_things(),
    ]


def _of_states() -> Iterator[tuple[str, str]]:
    """What elements are, by values that say of which field they are: "all legs are economy"."""
    for every in ("all", "all the", "all of the"):
        yield f"{every} {{m:plural^ E}} are {{p:state*}}", "all(any_of(p) for x in m)"
        yield f"not {every} {{m:plural^ E}} are {{p:state*}}", "not all(any_of(p) for x in m)"
    yield "every {d:domain^ E} is {p:state*}", "all(any_of(p) for x in d)"
    yield "not every {d:domain^ E} is {p:state*}", "not all(any_of(p) for x in d)"
    yield "no {d:domain^ E} is {p:state*}", "not any(any_of(p) for x in d)"
    for some in ("a", "any", "some"):
        yield f"{some} {{d:domain^ E}} is {{p:state*}}", "any(any_of(p) for x in d)"
    for same in ("all different", "unique"):
        yield f"the {{m:plural E}} are {same}", "len({x for x in m}) == len(m)"
        yield f"the {{m:plural E}} are not {same}", "len({x for x in m}) < len(m)"
    yield "the {f:field E Z} of the {m:plural E} are unique", "len({x.f for x in m}) == len(m)"
    yield "the {f:field E Z} of the {m:plural E} are not unique", "len({x.f for x in m}) < len(m)"


def _of_no_things() -> Iterator[tuple[str, str]]:
    """Whether a list or set has members: "the attachments are missing", "there are no lines"."""
    for some, none in (
        ("is given", "is missing"),
        ("are given", "are missing"),
        ("are not empty", "are empty"),
    ):
        yield f"{{m:list T}} {some}", "len(m) > 0"
        yield f"{{m:list T}} {none}", "len(m) == 0"
    yield "there are {m:plural E}", "len(m) > 0"
    yield "there are no {m:plural E}", "len(m) == 0"
    yield "there is a {d:domain E}", "len(d) > 0"
    yield "there is no {d:domain E}", "len(d) == 0"


def _of_some_things() -> Iterator[tuple[str, str]]:
    """That a list has an element of a kind: "there is an attachment that is not encrypted"."""
    texts = (
        ("lies inside {v:lit text}", "v in x.inside"),
        ("does not lie inside {v:lit text}", "v not in x.inside"),
        ("begins with {v:lit text}", "x.startswith(v)"), ("ends with {v:lit text}", "x.endswith(v)"),
        ("does not begin with {v:lit text}", "not x.startswith(v)"),
        ("does not end with {v:lit text}", "not x.endswith(v)"),
        ("was named by {p:place}", "p in x.source"), ("was not named by {p:place}", "p not in x.source"),
        ("is one of {v:lit+ text}", "x in {v}"), ("is none of {v:lit+ text}", "x not in {v}"),
        ("is on {s:constants}", "x in s"), ("is not on {s:constants}", "x not in s"),
    )  # fmt: skip
    for some, none in (("there is a", ""), ("there is no", "not ")):
        yield f"{some} {{d:domain^ E}} that is {{f:flag E}}", f"{none}any(x.f for x in d)"
        yield f"{some} {{d:domain^ E}} that is not {{f:flag E}}", f"{none}any(not x.f for x in d)"
        yield f"{some} {{d:domain^ E}} that is {{p:state*}}", f"{none}any(any_of(p) for x in d)"
        for words, test in texts:
            yield f"{some} {{d:domain^ text}} that {words}", f"{none}any({test} for x in d)"


def _of_numbers_of_things() -> Iterator[Production]:
    """How many there are: "there are more than 5 lines", "there were at least 2 earlier calls to ..."."""
    words = {"less than": "<", "fewer than": "<", "at most": "<=", "more than": ">", "at least": ">="}
    for there, (said, operator) in product(("are", "were"), words.items()):
        how_many = f"there {there} {said} {{v:lit int}} {{m:plural"
        counted = f"sum(1 for x in m if {{}}) {operator} v"
        for category, of, stands_for in (
            ("atom", " E}", f"len(m) {operator} v"),
            ("atom", "^ E}{r:rel}", counted.format("r")),
            ("tail", "^ E} for which {c:cond}", counted.format("c")),
        ):
            yield production(category, f"{how_many}{of}", stands_for, reads_only=True)


def _of_events() -> Iterator[tuple[str, str]]:
    """When something was: a field "approved at" of a trip is when "the trip was approved"."""
    said = {
        "before {b:term W}": "r.f < b", "after {b:term W}": "r.f > b", "at {b:term W}": "r.f == b",
        "on or before {b:term W}": "r.f <= b", "on or after {b:term W}": "r.f >= b",
        "less than {d:value dur} ago": "call.time - r.f < d",
        "at most {d:value dur} ago": "call.time - r.f <= d",
        "no more than {d:value dur} ago": "call.time - r.f <= d",
        "in the last {d:value dur}": "call.time - r.f <= d",
        "more than {d:value dur} ago": "call.time - r.f > d",
        "at least {d:value dur} ago": "call.time - r.f >= d",
        "in less than {d:value dur}": "r.f - call.time < d",
        "in more than {d:value dur}": "r.f - call.time > d",
        "in at least {d:value dur}": "r.f - call.time >= d",
    }  # fmt: skip
    for event in ("was {f:event R W}", "is {f:event R W}", "{f:begins R W}"):
        yield from ((f"{{r:term R}} {event} {words}", stands_for) for words, stands_for in said.items())
    yield "{r:term R} was {f:happened R}", "r.f is not None"
    yield "{r:term R} was not {f:happened R}", "r.f is None"


def _of_values(several: str, values: str) -> list[Production]:
    """Several things compared to values that are said one after another."""
    one = production
    m, v = f"{{m:{several}}}", f"{{v:{values}}}"
    return [
        one("atom", f"{m} are all {v}", "m <= {v}"),
        one("atom", f"{m} are not all {v}", "not m <= {v}"),
        one("atom", f"{m} are exactly {v}", "m == {v}"),
        one("atom", f"{m} are not exactly {v}", "m != {v}"),
        one("atom", f"{m} include each of {v}", "m >= {v}"),
        one("atom", f"{m} do not include each of {v}", "not m >= {v}"),
    ]


def _sources(when: str, places: str) -> list[Production]:
    """Where a text came from: now, or before an earlier call."""
    text = "{x:term text} was"
    pairs = (
        ("named by words in {p:within}", f"any(y in p for y in {places})"),
        ("not named by words in {p:within}", f"not any(y in p for y in {places})"),
        ("named by {p:place}", f"p in {places}"),
        ("not named by {p:place}", f"p not in {places}"),
        ("named by one of {p:place+}", f"any(y in {{p}} for y in {places})"),
        ("named by none of {p:place+}", f"not any(y in {{p}} for y in {places})"),
        ("named by nothing but {p:place*}", f"all(y in {{p}} for y in {places})"),
        ("named by something", f"any(True for y in {places})"),
        ("named by nothing", f"not any(True for y in {places})"),
        ("named by one on {p:constants}", f"any(y in p for y in {places})"),
        ("named by none on {p:constants}", f"not any(y in p for y in {places})"),
    )
    return [production("atom", f"{text} {words}{when}", stands_for) for words, stands_for in pairs]


def _values() -> list[Production]:
    """Values: of the call, of records and elements, and what is computed of them."""
    one = production
    return [
        one("value S", "{a:infix S}", "a"),
        one("value S", "{a:term S}", "a"),
        one("infix N", "{a:term N} plus {b:term N} plus {c:term N} plus {d:term N}", "a + b + c + d"),
        one("infix N", "{a:term N} plus {b:term N} plus {c:term N}", "a + b + c"),
        one("infix N", "{a:term N} plus {b:term N}", "a + b"),
        one("infix N", "{a:term N} less {b:term N}", "a - b"),
        one("infix N", "{a:term N} times {b:term #N}", "a * b"),
        one("infix dec", "{a:term dec} times {b:term int}", "a * b"),
        one("infix dec", "{a:term int} times {b:term dec}", "a * b"),
        one("infix int", "{a:term int} divided by {b:term int} and rounded down", "a // b"),
        one("infix int", "the rest of {a:term int} divided by {b:term int}", "a % b"),
        one("infix dur", "{a:term dur} plus {b:term dur}", "a + b"),
        one("infix dur", "{a:term dur} less {b:term dur}", "a - b"),
        one("term S", "({a:infix S})", "a"),
        one("term S", "({a:term S})", "a", reads_only=True),
        one("term N", "minus {a:term N}", "-a"),
        one("term S", "({a:term S} if {c:cond}, otherwise {b:value S})", "a if c else b"),
        one("term dur", "the time since {b:term moment}", "call.time - b"),
        one("term dur", "the time until {b:term moment}", "b - call.time"),
        one("term dur", "the time from {b:term M} to {a:term M}", "a - b"),
        one("term moment", "now", "call.time"),
        one("term date", "today", "call.time.date"),
        one("term clock", "the time of day", "call.time.time"),
        one("term int", "the present hour", "call.time.hour"),
        one("term int", "the present day of the week (Monday is 1)", "call.time.weekday"),
        one("term int", "the present day of the month", "call.time.day"),
        one("term S", "{v:lit S}", "v"),
        one("term S", "{a:simple S}", "a"),
        one("term S", "its {f:field @it S}", "it.f"),
        one("term S", "{r:simple C}'s {f:field C S}", "r.f"),
        one("term S", "the {f:field C S} of {r:term C}", "r.f"),
        one("simple S", "its {f:field @it S}", "it.f"),
        one("simple S", "the {f:field @call S}", "call.f"),
        one("simple S", "the session's {f:field context S}", "run.context.f"),
        one("term text", "{t:speech}", "t"),
        one("speech", "what the user has said", "run.said"),
        one("speech", "the user's last message", "run.last_said"),
        one("speech", "the user's first message", "run.first_said"),
        one("speech", "what the user has said {r:run}", "r.said"),
        one("speech", "the user's last message {r:run}", "r.last_said"),
        one("speech", "the user's first message {r:run}", "r.first_said"),
        one("term text", "the sentences of {t:term text} with {v:term Z}", "t.sentences_with(v)"),
        *_changed_texts(),
        one("term int", "the length of {t:term text}", "len(t)"),
        one("term int", "the number of {m:plural^ E}{r:rel}", "sum(1 for x in m if r)"),
        one("term int", "the number of {m:plural E}", "len(m)"),
        one("term N", "the sum of the {f:field E N} of all {m:plural E}", "sum(x.f for x in m)"),
        one("term N", "the sum of the {f:field E N} of all {m:plural^ E}{r:rel}",
            "sum(x.f for x in m if r)"),
        one("term N", "the sum over every {d:domain^ E} of {v:term N}", "sum(v for x in d)"),
        one("term N", "the sum over every {d:domain^ E}{r:rel} of {v:term N}", "sum(v for x in d if r)"),
        one("term N", "the sum of the {f:field E N} of the {m:plural E}", "sum(x.f for x in m)",
            reads_only=True),
        one("term N", "the sum of the {f:field E N} of the {m:plural^ E}{r:rel}",
            "sum(x.f for x in m if r)", reads_only=True),
        one("term N", "the sum of the {f:field E N} of {m:plural^ E}{r:rel}",
            "sum(x.f for x in m if r)", reads_only=True),
        one("term N", "the sum of the {f:field E N} of {m:plural E}", "sum(x.f for x in m)",
            reads_only=True),
        *_of_all_calls(),
        *_extremes(),
        one("term int", "the number of different {f:field E Z} of all {m:plural E}", "len({x.f for x in m})"),
        one("term int", "the number of different {f:field E Z} of all {m:plural^ E}{r:rel}",
            "len({x.f for x in m if r})"),
        one("term int", "the number of different values over every {d:domain^ E} of {v:term Z}",
            "len({v for x in d})"),
        one("term int", "the number of different values over every {d:domain^ E}{r:rel} of {v:term Z}",
            "len({v for x in d if r})"),
        one("term S", "the entry of {t:table K S} for {k:term K}", "t[k]"),
        one("term S", "the entry of {t:table K S} for {k:term K} or, without one, {v:lit S}",
            "t.get(k, v)"),
        one("term P", "the last {d:domain^ P}", "run.last(x for x in d)", "last call"),
        one("term P", "the last {d:domain^ P} {r:that}", "run.last(x for x in d if r)", "last call"),
        one("truth", "whether the call is marked {f:flag @call}", "call.f"),
        one("truth", "whether the session is marked {f:flag context}", "run.context.f"),
        one("truth", "whether {r:term R} is marked {f:flag R}", "r.f"),
        one("truth", "{a:term bool}", "a"),
        one("truth", "(whether {c:cond})", "c"),
        one("opt", "its {f:gap @it}", "it.f"),
        one("opt", "the {f:gap @call}", "call.f"),
        one("opt", "the session's {f:gap context}", "run.context.f"),
        one("opt", "{r:simple C}'s {f:gap C}", "r.f"),
        one("opt", "the {f:gap C} of {r:term C}", "r.f"),
        one("opt", "{a:optional}", "a"),
    ]  # fmt: skip


def _of_all_calls() -> Iterator[Production]:
    """What theorems gather over all calls of a run."""
    one = production
    yield one("whole S", "{a:of_run S}", "a")
    yield one("whole N", "{a:of_run N} plus {b:of_run N}", "a + b")
    yield one("run_calls @earlier", "calls to {t:tool*}", "run.earlier(t)", "call of the run")
    yield one("one_call @earlier", "call to {t:tool*}", "run.earlier(t)", "earlier call")
    yield one("of_run int", "the number of {m:run_calls E}", "len(m)")
    yield one("of_run int", "the number of {m:run_calls^ E}{r:rel}", "sum(1 for x in m if r)")
    for rel, values in (("", "x.f for x in m"), ("{r:rel}", "x.f for x in m if r")):
        calls = f"of all {{m:run_calls^ E}}{rel}"
        yield one("of_run N", f"the sum of the {{f:field E N}} {calls}", f"sum({values})")
        for of_all, sort, *_, operator in _LIMITED:
            extreme = f"the {of_all} {{f:field E {sort}}} {calls} or, without one, {{o:term {sort}}}"
            name = "max" if operator == ">" else "min"
            yield one(f"of_run {sort}", extreme, f"{name}(({values}), default=o)")


def _changed_texts() -> Iterator[Production]:
    """Texts without a part, or in small letters; what goes on to its end is called a text."""
    changes = (
        ("without the beginning {s:lit text}", "t.removeprefix(s)"),
        ("without the end {s:lit text}", "t.removesuffix(s)"),
        ("in small letters", "t.lower()"),
        ("without blanks at its ends", "t.strip()"),
    )
    for said, stands_for in changes:
        yield production("changed text", f"{{t:simple text}} {said}", stands_for)
        yield production("changed text", f"{{t:speech}} {said}", stands_for)
        yield production("term text", f"the text {{t:term text}} {said}", stands_for)
        for then, of_changed in changes[2:]:
            if then != said:
                both = of_changed.replace("t.", f"{stands_for}.", 1)
                yield production("changed text", f"{{t:simple text}} {said} {then}", both, reads_only=True)
        for field in ("{r:simple C}'s {f:field C text}", "the {f:field C text} of {r:key C}"):
            of_field = stands_for.replace("t.", "r.f.")
            yield production("changed text", f"{field} {said}", of_field, reads_only=True)


def _extremes() -> list[Production]:
    """The smallest and the largest: of two values, and of what elements have."""
    one = production
    found: list[Production] = []
    for name, sort, two, of_all in (
        ("min", "Q", "smaller", "smallest"), ("max", "Q", "larger", "largest"),
        ("min", "W", "earlier", "earliest"), ("max", "W", "later", "latest"),
    ):  # fmt: skip
        found.append(
            one(f"term {sort}", f"the {two} of {{a:term {sort}}} and {{b:term {sort}}}", f"{name}(a, b)")
        )
        field = f"the {of_all} {{f:field E {sort}}} of all {{m:plural^ E}}"
        value = f"the {of_all} value over every {{d:domain^ E}} of {{v:term {sort}}}"
        related = f"the {of_all} value over every {{d:domain^ E}}{{r:rel}} of {{v:term {sort}}}"
        for words, values in (
            (field, "x.f for x in m"), (f"{field}{{r:rel}}", "x.f for x in m if r"),
            (value, "v for x in d"), (related, "v for x in d if r"),
        ):  # fmt: skip
            found += [
                one(f"term {sort}", words, f"{name}({values})"),
                one(f"term {sort}", f"{words}, if any,", f"{name}(({values}), default=None)"),
                one("opt", f"{words}, if any,", f"{name}(({values}), default=None)"),
                one(f"term {sort}", f"{words} or, without one, {{o:term {sort}}}",
                    f"{name}(({values}), default=o)"),
            ]  # fmt: skip
        found.append(one(f"term {sort}", f"the {of_all} of the {{m:plural {sort}}}", f"{name}(m)"))
    return found


def _collections() -> list[Production]:
    """What has elements: as several things, and as one of them."""
    one = production
    return [
        one("list E", "its {f:many @it E}", "it.f", "f"),
        one("list E", "the session's {f:many context E}", "run.context.f", "f"),
        one("list E", "{r:simple C}'s {f:many C E}", "r.f", "f"),
        one("list E", "the {m:plural E}", "m", "m"),
        one("plural E", "{f:many @call E}", "call.f", "f"),
        one("plural E", "{f:many context E} of the session", "run.context.f", "f"),
        one("plural E", "{f:many C E} of {r:term C}", "r.f", "f"),
        one("plural @earlier", "earlier calls to {t:tool*}", "run.earlier(t)", "earlier call"),
        one("plural @earlier", "earlier calls since {b:bound} to {t:tool*}",
            "run.since(b).earlier(t)", "earlier call"),
        one("plural @earlier", "earlier calls until {b:bound} to {t:tool*}",
            "run.until(b).earlier(t)", "earlier call"),
        one("plural @earlier", "earlier calls after {c:term earlier} to {t:tool*}",
            "run.since(c).earlier(t)", "earlier call"),
        one("plural @earlier", "earlier calls before {c:term earlier} to {t:tool*}",
            "run.until(c).earlier(t)", "earlier call"),
        *_calls_of_parts("plural", "calls"),
        one("plural E", "entries of {s:constants E}", "s", "entry"),
        one("plural E", "entries of {t:sets K E} for {k:term K}", "t.get(k, frozenset())", "entry"),
        one("plural E", "entries in the row of {t:sets K E} for {k:term K}", "t[k]", "entry"),
        one("plural text", "origins of {x:term text}", "x.source", "origin"),
        one("plural text", "origins of {x:term text} before {c:term earlier}", "x.source_before(c)",
            "origin"),
        one("plural E", "{m:named E}", "m", "entry"),
        one("domain E", "{f:each @call E}", "call.f", "f"),
        one("domain E", "{f:each context E} of the session", "run.context.f", "f"),
        one("domain E", "{f:each C E} of {r:term C}", "r.f", "f"),
        one("domain E", "entry of {s:constants E}", "s", "entry"),
        one("domain E", "entry of {t:sets K E} for {k:term K}", "t.get(k, frozenset())", "entry"),
        one("domain E", "entry in the row of {t:sets K E} for {k:term K}", "t[k]", "entry"),
        one("domain text", "origin of {x:term text}", "x.source", "origin"),
        one("domain text", "origin of {x:term text} before {c:term earlier}", "x.source_before(c)",
            "origin"),
        one("domain @earlier", "earlier call to {t:tool*}", "run.earlier(t)", "earlier call"),
        one("domain @earlier", "earlier call since {b:bound} to {t:tool*}",
            "run.since(b).earlier(t)", "earlier call"),
        one("domain @earlier", "earlier call until {b:bound} to {t:tool*}",
            "run.until(b).earlier(t)", "earlier call"),
        one("domain @earlier", "earlier call after {c:term earlier} to {t:tool*}",
            "run.since(c).earlier(t)", "earlier call"),
        one("domain @earlier", "earlier call before {c:term earlier} to {t:tool*}",
            "run.until(c).earlier(t)", "earlier call"),
        *_calls_of_parts("domain", "call"),
        one("run", "after {c:term earlier}", "run.since(c)"),
        one("run", "before {c:term earlier}", "run.until(c)"),
        one("run", "since {b:bound}", "run.since(b)"),
        one("run", "until {b:bound}", "run.until(b)"),
        *(
            one("run", f"{first} {{a:bound}} and then {second} {{b:bound}}", f"run.{first}(a).{second}(b)")
            for first in _ENDS for second in _ENDS
        ),
        one("bound", "one {d:domain^ P}", "(x for x in d)"),
        one("bound", "one {d:domain^ P} {r:that}", "(x for x in d if r)"),
        one("rel", " {r:that}", "r"),
        one("that", "that succeeded", "it.succeeded"),
        one("that", "that did not fail", "not it.failed"),
        one("that", "that failed", "it.failed"),
        one("that", "that did not succeed", "not it.succeeded"),
        one("that", "that a person approved", "it.approved"),
        one("that", "that no person approved", "not it.approved"),
        one("that", "that succeeded (where {c:cond})", "it.succeeded and c"),
        one("that", "that did not fail (where {c:cond})", "not it.failed and c"),
        one("that", "that failed (where {c:cond})", "it.failed and c"),
        one("that", "that a person approved (where {c:cond})", "it.approved and c"),
        one("that", "that no person approved (where {c:cond})", "not it.approved and c"),
        one("that", "(where {c:cond})", "c"),
        *_outcomes_and_fields(),
        *_lately(),
        one("columns", "the {f:field E S} of the {m:plural E}", "{x.f for x in m}"),
        one("columns", "the pairs of {f:field E S} and {g:field E T} of the {m:plural E}",
            "{(x.f, x.g) for x in m}"),
        one("columns", "the {m:plural E} as a whole", "{x for x in m}"),
        one("columns", "the entries of {s:constants}", "s"),
    ]  # fmt: skip


def _lately() -> Iterator[Production]:
    """Earlier calls of the last time, with an outcome: "that succeeded in the last hour (where …)"."""
    lengths = (("{d:value dur}", "d"), ("hour", "timedelta(hours=1)"), ("day", "timedelta(days=1)"),
               ("week", "timedelta(days=7)"), ("minute", "timedelta(minutes=1)"))  # fmt: skip
    outcomes = (
        ("", ""),
        ("that succeeded ", "it.succeeded and "),
        ("that did not fail ", "not it.failed and "),
    )
    for (length, value), (said, outcome) in product(lengths, outcomes):
        words, within = f"{said}in the last {length}", f"{outcome}call.time - it.time <= {value}"
        yield production("that", words, within, reads_only=True)
        yield production("that", f"{words} (where {{c:cond}})", f"{within} and c", reads_only=True)


def _outcomes_and_fields() -> Iterator[Production]:
    """An outcome and one thing more of an earlier call: "that succeeded and whose total is 5"."""
    outcomes = (
        ("that succeeded", "it.succeeded"), ("that did not fail", "not it.failed"),
        ("that failed", "it.failed"), ("that did not succeed", "not it.succeeded"),
    )  # fmt: skip
    compared = (
        ("is {v:value S}", "it.f == v"), ("is not {v:value S}", "it.f != v"),
        ("is one of {w:lit+ S}", "it.f in {w}"),
    )  # fmt: skip
    for (said, outcome), (is_so, holds) in product(outcomes, compared):
        words = f"{said} and its {{f:field @it S}} {is_so}"
        yield production("that", words, f"{outcome} and {holds}", reads_only=True)


_ENDS = ("since", "until")


def _calls_of_parts(category: str, noun: str) -> list[Production]:
    """Earlier calls of a part of a part of the run."""
    return [
        production(
            f"{category} @earlier",
            f"earlier {noun} {first} {{a:bound}} and then {second} {{b:bound}} to {{t:tool*}}",
            f"run.{first}(a).{second}(b).earlier(t)",
            "earlier call",
        )
        for first in _ENDS
        for second in _ENDS
    ]


def productions() -> tuple[Production, ...]:
    """All rows of the table."""
    return (*_sentences(), *_conditions(), *_atoms(), *_values(), *_collections())


SHORTER = (("for which its", "whose"),)
"""Words and what is written for them; reading takes them for each other."""
CHAINS = {"and_atom": ("atom", "and"), "or_atom": ("atom", "or")}
"""Parts in a row: what each is, and the word between them."""
