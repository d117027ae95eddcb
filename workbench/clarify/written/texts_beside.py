"""Texts of which a test of raw text holds, and near ones of which it does not.

By them it is tried whether a rule that speaks of the thing still denies what the text denied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.clarify.written.book import places
from workbench.dialect.text_tests import whole_call
from workbench.language.trees import Tree, is_tree

_PREFIX, _SUFFIX, _CONTAINS, _WHOLE = "startswith", "endswith", "in", "=="


@dataclass(frozen=True, slots=True)
class RawTest:
    """How a rule tests a text, and with what."""

    form: str
    constant: str

    def holds(self, text: str) -> bool:
        """Whether the test holds of a text, in whatever case."""
        one, other = text.lower(), self.constant.lower()
        match self.form:
            case "startswith":
                return one.startswith(other)
            case "endswith":
                return one.endswith(other)
            case "in":
                return other in one
            case _:
                return one == other

    def holding(self, kind: str, *, is_windows: bool = False) -> Iterator[str]:
        """Yield texts of a kind of which the test holds: the constant, and what it is the name of."""
        constant = self.constant
        yield constant
        after = self._after(kind) if self.form in (_PREFIX, _CONTAINS) else [""]
        before = self._before(kind, is_windows=is_windows) if self.form in (_SUFFIX, _CONTAINS) else [""]
        yield from (f"{first}{constant}{last}" for first in before for last in after)

    def _after(self, kind: str) -> list[str]:
        constant = self.constant
        is_open = not constant[-1:].isalnum()
        match kind:
            case "path":
                separator = "\\" if "\\" in constant else "/"
                return ["x"] if is_open else [f"{separator}x.txt", f"{separator}a{separator}x.txt"]
            case "url":
                return ["x"] if is_open and constant[-1:] != "." else ["/x"]
            case "mail_address":
                return ["x.example"] if is_open else ["" if "@" in constant else "@x.example"]
            case "command":
                return ["x"] if is_open else ["", " x"]
            case "sql":
                return ["", " x"]
            case _:
                return ["", "x"]

    def _before(self, kind: str, *, is_windows: bool) -> list[str]:
        is_open = not self.constant[:1].isalnum()
        match kind:
            case "path" if self.constant.startswith("/") or self.constant[1:2] == ":":
                elsewhere = ["/x"] * (self.form == _CONTAINS and self.constant.startswith("/"))
                return ["C:"] if is_windows and is_open else ["", *elsewhere]
            case "path":
                top = "C:\\" if is_windows else "/"
                return [top] if self.constant[:1] == "\\" or not is_open else [top, f"{top}x"]
            case "url" if self.constant.startswith("//"):
                return ["https:"]
            case "url":
                return [""] if "://" in self.constant else ["https://x.example" if is_open else "https://"]
            case "mail_address":
                return ["x"] if is_open else ["" if "@" in self.constant else "x@"]
            case "command":
                whole = whole_call(self.constant).removesuffix(self.constant.strip())
                return ["", "true "] if is_open else [whole, f"true; {whole}"]
            case _:
                return [""]

    def beyond(self, kind: str) -> Iterator[str]:
        """Yield texts of a kind that name the constant and something else."""
        constant = self.constant.strip()
        match kind:
            case "command":
                others = "{0}; rm -rf /", "true && {0} x", "rm -rf / && {0}", "sh -c '{0}; id'"
            case "path":
                others = "{0}/../../../../../../etc/x", "/x/{0}", "{0}-x"
            case "url":
                others = "https://x.example/{0}", "http://{0}", "https://{0}.x.example/", "https://x{0}"
            case "mail_address":
                others = (
                    "eve@x.example, {0}",
                    "{0}.x.example",
                    "eve@x{0}",
                    f"eve@{constant.rpartition('@')[2]}",
                )
            case _:
                others = ()
        bare = constant.partition("://")[2] or constant
        yield from (one.format(bare if kind == "url" else constant) for one in others)


def text_tests_in(condition: Tree, value: Tree) -> Iterator[RawTest]:
    """Yield the tests of the text of a value in a condition, also after methods and of its elements."""
    elements = [atom[1] for _, atom in places(condition) if atom[0] == "gen" and atom[3] == value]
    texts = (value, *elements)

    def is_text(tree: Tree) -> bool:
        return tree in texts or (tree[0] in ("method", "attr") and is_tree(tree[1]) and is_text(tree[1]))

    for _, atom in places(condition):
        match atom:
            case ("method", base, "startswith" | "endswith" as form, ("lit", "text", str(text))):
                found = [(form, base, text)]
            case ("in" | "not in", ("lit", "text", str(text)), base):
                found = [(_CONTAINS, base, text)]
            case ("==" | "!=", base, ("lit", "text", str(text))):
                found = [(_WHOLE, base, text)]
            case ("in" | "not in", base, ("set", *members)):
                found = [(_WHOLE, base, str(one[2])) for one in members if one[:2] == ("lit", "text")]
            case _:
                continue
        yield from (RawTest(form, text) for form, base, text in found if text.strip() and is_text(base))
