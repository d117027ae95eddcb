"""What the session of settings decides otherwise than they do, about files, pages and tools of MCP: proved.

Both sides are languages of the calls of a tool, each call the text of its path or host: the rules as the
client ranks and matches them, and the functions of the policy's text, read as they stand, whoever wrote them.
Commands are not compared: settings match the text of a command, the policy what the text does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from workbench.model import Json
from workbench.settings.languages import Language, Languages, TooMany
from workbench.settings.rules import (
    ArgumentCondition,
    Effect,
    HostPattern,
    PathPattern,
    Settings,
    SettingsClient,
    SettingsRule,
    UnreadPattern,
)
from workbench.settings.typed_form import SEARCHES

_MOST_CONDITIONS = 8
_DEFAULT = "the default"
_FILES = frozenset({"Read", "Edit", "Write", "DeleteFile"})
# In a path BELOW takes the place of the separator after the client's folder; SAME stands after that folder.
_BELOW, _SAME = "\0", "\1"


@dataclass(frozen=True, slots=True)
class MatchedCall:
    """A call: its tool, what is matched of it (path or host), and the folder in which the client works."""

    tool: str
    text: str
    project: str

    @property
    def arguments(self) -> dict[str, Json]:
        """Its arguments, as far as rules and policy read them."""
        if self.tool == "WebFetch":
            return {"url": f"https://{self.text}/", "prompt": ""}
        if self.tool in SEARCHES:
            return {"pattern": "x", "path": self.text}
        edited: dict[str, Json] = {"old_string": "", "new_string": ""} if self.tool == "Edit" else {}
        content: dict[str, Json] = {"content": ""} if self.tool == "Write" else {}
        return {"file_path": self.text, **edited, **content} if self.tool in _FILES else {}


@dataclass(frozen=True, slots=True)
class ToolDifference:
    """What is proved of all calls of a tool.

    ``laxer`` has a call for each rule that stops or asks about calls of which the session says less,
    ``stricter`` one for each function of the policy that says more than the settings. No other rule and no
    other function does, unless ``unproved`` says why that is not known.
    """

    laxer: Mapping[str, MatchedCall] = field(default_factory=dict[str, MatchedCall])
    stricter: Mapping[str, MatchedCall] = field(default_factory=dict[str, MatchedCall])
    unproved: str = ""


class _NotRead(Exception):
    """Raised for what is no language; its text says what."""


def proved_difference(settings: Settings, policy: str, class_: str, tool: str) -> ToolDifference:
    """Compare both sides on every call of a tool, whose class in the policy has this name."""
    try:
        return _Comparison(settings, policy, class_, tool).result()
    except (TooMany, RecursionError):  # languages are as deep as their texts are long
        return ToolDifference(unproved="there are too many cases")
    except _NotRead as error:
        return ToolDifference(unproved=str(error))


class _Comparison:
    """The calls of a tool that each side stops or asks about.

    A condition that is not about the text, such as one on another argument, is true or false whatever the
    text is: every combination is compared.
    """

    def __init__(self, settings: Settings, policy: str, class_: str, tool: str) -> None:
        self._settings, self._tool, self._class = settings, tool, class_
        functions = [one for one in ast.parse(policy).body if isinstance(one, ast.FunctionDef)]
        self._functions = {one.name: one for one in functions}
        self._is_cedar = settings.client is SettingsClient.CEDAR
        self._languages = Languages()
        self._texts = _Texts(self._languages)
        self._given: dict[str, bool] = {}
        self._conditions: dict[str, None] = {}

    def result(self) -> ToolDifference:
        """What each side lets run that the other stops or asks about."""
        list(self._queries())
        names = list(self._conditions)
        if len(names) > _MOST_CONDITIONS:
            raise TooMany
        found: tuple[dict[str, MatchedCall], dict[str, MatchedCall]] = {}, {}
        for values in product((False, True), repeat=len(names)):
            self._given = dict(zip(names, values, strict=True))
            for side, name, calls, others in self._queries():
                if name not in found[side] and (call := self._call(calls, others)) is not None:
                    found[side][name] = call
        return ToolDifference(*found)

    def _queries(self) -> Iterator[tuple[int, str, Language, Sequence[Language]]]:
        """For each rule (0) and function (1) its calls, and those of which the other side says as much.

        Of the latter the ones come first that most likely have all of its calls.
        """
        any_of, without = self._languages.any_of, self._languages.without
        denies, asks = self._client()
        closing = {name: self._fires(name) for name in self._named("forbid")}
        asking = {name: self._fires(name) for name in self._named("ask")}
        if self._is_cedar:
            closing[_DEFAULT] = without(any_of([self._fires(name) for name in self._named("permit")]))
        for side, own, others in ((0, denies, closing), (1, closing, denies)):
            for place, (name, calls) in enumerate(own.items()):
                yield side, name, calls, _nearest(list(others.values()), place)
        for side, own, others, more in ((0, asks, asking, closing), (1, asking, asks, denies)):
            for place, (name, calls) in enumerate(own.items()):
                yield side, name, calls, [*_nearest(list(others.values()), place), *more.values()]

    def _call(self, calls: Language, others: Sequence[Language]) -> MatchedCall | None:
        """A call that is in none of the others; None if it is proved that there is none."""
        languages = self._languages
        is_path = self._tool in _FILES or self._tool in SEARCHES
        own = languages.all_of((self._texts.path if is_path else self._texts.host, calls))
        every = languages.any_of(others)
        # One of the others alone is looked at faster than all of them.
        for other in (languages.none, *others, every):
            text = languages.shortest(languages.all_of((own, languages.without(other))))
            if text is None:
                return None
            if not languages.has(every, text):
                return self._told(text, is_path=is_path)
        return None

    def _told(self, text: str, *, is_path: bool) -> MatchedCall:
        if not is_path:
            return MatchedCall(self._tool, text, "/repo")
        if text.endswith(_SAME):
            return MatchedCall(self._tool, text[:-1], text[:-1])
        above, mark, _ = text.partition(_BELOW)
        elsewhere = "/elsewhere" if text.startswith("/repo") else "/repo"
        return MatchedCall(self._tool, text.replace(_BELOW, "/"), (above or "/") if mark else elsewhere)

    def _condition(self, text: str) -> Language:
        """Every call where a condition that is not about the text holds, else none."""
        self._conditions[text] = None
        return self._languages.all if self._given.get(text, False) else self._languages.none

    # --- the settings -------------------------------------------------------------

    def _client(self) -> tuple[dict[str, Language], dict[str, Language]]:
        """The rules that deny and those that ask, each with the calls of which the client says at least that.

        A rule decides those that it matches and no milder rule of a higher rank does.
        """
        denies: dict[str, Language] = {}
        asks: dict[str, Language] = {}
        before: list[tuple[Effect, Language]] = []
        rules = [rule for rule in self._settings.rules if self._tool in rule.tools and not rule.dead]
        for number, rule in enumerate(sorted(rules, key=lambda one: -one.rank), 1):
            matched = self._matched(rule)
            milder = self._languages.any_of([other for effect, other in before if effect < rule.effect])
            decided = self._languages.all_of((matched, self._languages.without(milder)))
            before.append((rule.effect, matched))
            of_effect = {Effect.DENY: denies, Effect.ASK: asks}.get(rule.effect)
            if of_effect is not None:
                of_effect[rule.text if rule.text not in of_effect else f"{rule.text} ({number})"] = decided
        if self._is_cedar:
            denies[_DEFAULT] = self._languages.without(self._languages.any_of([one for _, one in before]))
        return denies, asks

    def _matched(self, rule: SettingsRule) -> Language:
        match rule.pattern:
            case None:
                return self._languages.all
            case HostPattern(host=host, below=below):
                end = self._languages.literal(f".{host}" if below else host)
                return self._languages.joined(self._languages.all, end) if below else end
            case ArgumentCondition(expression=expression):
                return self._truth(ast.parse(expression, mode="eval").body)
            case PathPattern():
                matched = self._texts.matched(rule.pattern)
                has_path = self._condition("call.path is not None") if self._tool in SEARCHES else None
                return matched if has_path is None else self._languages.all_of((matched, has_path))
            case UnreadPattern(why=why):
                raise _NotRead(f"{rule.text} {why}")
            case _:
                raise _NotRead(f"{rule.text} is about commands")

    # --- the policy ---------------------------------------------------------------

    def _named(self, begin: str) -> Iterator[str]:
        """The functions of a kind that are about the tool."""
        for name, function in self._functions.items():
            about = function.args.args[0].annotation if function.args.args else None
            classes = ast.unparse(about).split(" | ") if about is not None else []
            if name.startswith(f"{begin}_") and self._class in classes:
                yield name

    def _fires(self, name: str) -> Language:
        """The calls for which a function of the call, or of its path, is true."""
        match self._functions[name].body:
            case [ast.Expr(value=ast.Constant()), ast.Return(value=ast.expr() as value)]:
                return self._truth(value)
            case _:
                raise _NotRead(f"{name} is more than an expression")

    def _truth(self, node: ast.expr) -> Language:
        """The calls for which an expression is true."""
        languages = self._languages
        match node:
            case ast.Constant(value=bool() as value):
                return languages.all if value else languages.none
            case ast.BoolOp(op=operator, values=values):
                join = languages.all_of if isinstance(operator, ast.And) else languages.any_of
                return join([self._truth(one) for one in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return languages.without(self._truth(operand))
            case ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp(elt=body, generators=[of])]) if (
                not of.ifs
            ):
                return self._texts.any_part(body, ast.unparse(of.iter), ast.unparse(of.target))
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                return self._fires(name)
            case ast.Compare(left=left, ops=[ast.In()], comparators=[ast.Attribute(attr="inside")]) if (
                isinstance(left, ast.Constant) or ast.unparse(left) == "run.context.project"
            ):
                return self._texts.within(ast.unparse(left))
            case _:
                return self._compared(ast.unparse(node))

    def _compared(self, text: str) -> Language:
        """The calls for which a comparison holds, or a condition on another argument."""
        languages = self._languages
        if (of_path := self._texts.compared(text)) is not None:
            return of_path
        if end := re.fullmatch(r"call\.url\.host(?:\.endswith\('([^'\\]*)'\)| == '([^'\\]*)')", text):
            begin, word = (languages.empty, end[2]) if end[1] is None else (languages.all, end[1])
            return languages.joined(begin, languages.literal(word))
        if re.fullmatch(r"call\.\w+( is not None| (==|!=|<|<=|>|>=) ('[^']*'|\"[^\"]*\"|-?\d+))?", text):
            return self._condition(text)
        raise _NotRead(f"{text[:60]} is not followed")


def _nearest(languages: Sequence[Language], place: int) -> Sequence[Language]:
    """The languages in the order of their distance from a place."""
    places = sorted(range(len(languages)), key=lambda one: abs(one - place))
    return [languages[one] for one in places]


class _Texts:
    """The languages of paths, each as the text from the root, and of hosts."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        literal, joined = languages.literal, languages.joined
        self._slash, self._below, self._same = map(literal, ("/", _BELOW, _SAME))
        self._separator = languages.any_of((self._slash, self._below))
        self._letter = languages.sign(f"/{_BELOW}{_SAME}", but=True)
        self._letters = languages.repeated(self._letter)
        self._after = languages.any_of((languages.empty, joined(self._separator, languages.all), self._same))
        name = languages.all_of(
            (joined(self._letter, self._letters), *(languages.without(literal(dots)) for dots in (".", "..")))
        )
        segment = joined(self._slash, name)
        segments = languages.repeated(segment)
        whole = languages.any_of((self._slash, joined(segment, segments)))
        below = joined(segments, self._below, name, segments)
        self.path = languages.any_of((whole, joined(whole, self._same), below))
        self.host = self._letters

    def within(self, folder: str) -> Language:
        """The paths of a folder and below it: of the client's, or of one that is written as a constant."""
        every = self._languages.all
        if folder == "run.context.project":
            ends = (self._languages.joined(self._below, every), self._same)
            return self._languages.joined(every, self._languages.any_of(ends))
        text = ast.literal_eval(folder)
        return every if text == "/" else self._languages.joined(self._marked(text), self._after)

    def _marked(self, text: str) -> Language:
        """A text of which each separator may be the one after the client's folder."""
        parts = (self._separator if sign == "/" else self._languages.literal(sign) for sign in text)
        return self._languages.joined(*parts)

    def matched(self, pattern: PathPattern) -> Language:
        """The paths that a pattern of settings matches, or that lie in a folder that it matches."""
        languages = self._languages
        every, joined = languages.all, languages.joined
        glob = self._glob(pattern.glob)
        floats = languages.any_of((languages.empty, joined(every, self._separator)))
        rest = joined(floats if pattern.floats else languages.empty, glob, self._after)
        if pattern.base:
            return joined(self._marked(f"{pattern.base.rstrip('/')}/"), rest)
        return joined(every, self._below, rest)

    def _glob(self, glob: str) -> Language:
        languages = self._languages
        every, separator, joined = languages.all, self._separator, languages.joined
        some = joined(languages.sign("", but=True), every)
        signs = {
            "**/": languages.any_of((languages.empty, joined(every, separator))),
            "/**": joined(separator, some),
            "**": every,
            "*": self._letters,
            "?": self._letter,
        }
        parts = re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?)", glob)
        return joined(*(signs[part] if part in signs else self._marked(part) for part in parts))

    def any_part(self, body: ast.expr, collection: str, element: str) -> Language:
        """The paths of which a name fits, or a folder that they are in."""
        languages = self._languages
        if collection.endswith(".names"):
            name = languages.all_of((self._names_for(body, element), self._letters))
            return languages.joined(languages.all, self._separator, name, self._after)
        end = rf"{element}\.endswith\('(/[^'\\]+)'\)"
        before = rf"{element}\.removesuffix\('\1'\) == run\.context\.project"
        place = re.fullmatch(f"{end} and {before}", ast.unparse(body))
        if place is None or not collection.endswith(".inside"):
            raise _NotRead(f"any({ast.unparse(body)[:60]}) is not followed")
        # The end begins with a separator, so what is before it is not the root.
        folder = languages.joined(languages.sign(_BELOW, but=True), languages.all)
        return languages.joined(folder, self._below, languages.literal(place[1][1:]), self._after)

    def compared(self, text: str) -> Language | None:
        """The paths for which a comparison of the whole path, its name or the client's folder holds."""
        languages = self._languages
        every, joined = languages.all, languages.joined
        ends = languages.any_of((languages.empty, self._same))
        if text == "run.context.project == '/'":
            return languages.any_of((joined(self._below, every), languages.literal(f"/{_SAME}")))
        if text == "path.absolute != run.context.project":
            return languages.without(joined(every, self._same))
        if found := re.fullmatch(r"path\.absolute != ('[^'\\]*')", text):
            return languages.without(joined(self._marked(ast.literal_eval(found[1])), ends))
        if found := re.fullmatch(
            r"path\.absolute\.removesuffix\('(/[^'\\]+)'\) != run\.context\.project", text
        ):
            own = joined(
                languages.sign(_BELOW, but=True), every, self._below, languages.literal(found[1][1:])
            )
            return languages.without(languages.any_of((own, joined(every, self._same))))
        if text.startswith("path.name"):
            name = languages.all_of(
                (self._names_for(ast.parse(text, mode="eval").body, r"path\.name"), self._letters)
            )
            return joined(every, self._separator, name, ends)
        return None

    def _names_for(self, body: ast.expr, element: str) -> Language:
        """The names for which a condition holds."""
        languages = self._languages
        if isinstance(body, ast.BoolOp) and isinstance(body.op, ast.And):
            return languages.all_of([self._names_for(one, element) for one in body.values])
        text = ast.unparse(body)
        found = re.fullmatch(rf"{element}(?: == ('[^'\\]*')|\.(startswith|endswith)\(('[^'\\]*')\))", text)
        if found is None:
            raise _NotRead(f"{text[:60]} is not followed")
        word = languages.literal(ast.literal_eval(found[1] or found[3]))
        match found[2]:
            case "startswith":
                return languages.joined(word, languages.all)
            case "endswith":
                return languages.joined(languages.all, word)
            case _:
                return word
