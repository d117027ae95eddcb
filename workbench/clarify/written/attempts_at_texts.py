"""Attempts with another text of the same thing: paths, URLs, addresses, SQL."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain, product
from typing import NamedTuple

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import (
    EVIL_HOST,
    EVIL_MAIL,
    LISTS,
    Attacked,
    host_in,
    near,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import (
    Attempt,
    Declaration,
    Try,
    instead,
    narrower,
    offering,
    once,
    saying,
)
from workbench.clarify.written.attempts_at_code import attempts_at_code
from workbench.clarify.written.book import places, replaced, without_methods
from workbench.clarify.written.texts_beside import text_tests_in
from workbench.dialect.call_fields import CallField
from workbench.language.trees import CALL, TRUE, Tree, joined
from workbench.model import FieldNote, Kind
from workbench.runs.kinds.file_systems import WINDOWS
from workbench.runs.values.name_words import amount_named

_MOST_TEXTS = 3
"""The most texts of a rule of which other spellings are tried."""
_MOST_LOOKED_AT = 40
"""The most texts of a rule among which those are sought that it compares with a field."""
LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")  # names of one machine, nothing listens
_OWN_ADDRESSES = "127."
"""How every address begins that a machine has for itself."""
_OTHER_NAMES = {
    **dict.fromkeys(LOCAL, (*LOCAL, "127.1", "2130706433", "127.0.0.2", "localhost.", "[::ffff:127.0.0.1]")),
    "169.254.169.254": ("2852039166", "0xa9fea9fe", "metadata.google.internal", "[::ffff:169.254.169.254]"),
}


_REF = "refs/heads/"
_BRANCHES = frozenset(("branch", "ref", "refspec", "base", "head"))
_CODES = frozenset(("iban", "bic", "swift"))
"""Words of fields with texts that people write in groups."""
CASE_OF_FILE = "case of a file"
"""The kind of attempts with a name in other letters, where a disk tells no cases apart."""
_ARGUMENTS = frozenset(("args", "arguments", "argv", "flags", "options", "opts"))
_PATTERNS = frozenset(("glob", "pattern", "regex"))
_BELOW = frozenset(("subdomain", "subdomains", "domain", "domains", "below", "under", "beneath"))


def is_of_machine(host: str) -> bool:
    """Whether a host is the machine itself, or an address of one: no name that has others below it."""
    return host in _OTHER_NAMES or re.fullmatch(r"[\d.]+|\[.*\]", host) is not None


def attempts_at_texts(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at each field whose text names something."""
    for one in attacked.texts_of("url"):
        yield from _at_url(attacked, one)
        yield from _at_scheme(attacked, one)
    for one in attacked.texts_of("path"):
        yield from _at_path(attacked, one)
        yield from _relative(attacked, one)
        yield from _at_windows_path(attacked, one)
        yield from _windows_file(attacked, one)
        yield from _below_folder(attacked, one)
        yield from _of_ending(attacked, one)
        yield from _case_of_file(attacked, one)
    for one in attacked.texts_of("mail_address"):
        yield from _at_mail(attacked, one)
        yield from _with_name(attacked, one)
        yield from _below_domains(attacked, one)
    read = (*attacked.fields_read, *(one.text for one in attacked.texts_in_objects.values()))
    for one in read:
        yield from _at_branch(attacked, one)
        if attacked.kind(one) not in ("command", "sql") and not _PATTERNS & {*words_of(one.name)}:
            if not _ARGUMENTS & {*words_of(one.name)}:  # of which programs tell the cases apart
                yield from _spelling(attacked, one)
            yield from _going_on(attacked, one)
            yield from _only_ending(attacked, one)
            yield from _word_of_line(attacked, one)
            yield from _other_ending(attacked, one)
            yield from attempts_at_code(attacked, one)
            yield from _other_word(attacked, one)
            yield from _written_otherwise(attacked, one)
            yield from _other_digits(attacked, one)


def part(attacked: Attacked, one: CallField, name: str) -> Tree:
    """A typed part of a field in a rule."""
    return ("attr", attacked.value_of(one), name)


def text(value: str) -> Tree:
    """A text in a rule."""
    return ("lit", "text", value)


def among(value: Tree, texts: Sequence[str], *, negative: bool = False) -> Tree:
    """That a value is one of some texts, or none of them."""
    if len(texts) == 1:
        return ("!=" if negative else "==", value, text(texts[0]))
    return ("not in" if negative else "in", value, ("set", *map(text, texts)))


def is_typed(one: CallField) -> bool:
    """Whether rules can read the parts of a field: it is one text of a declared kind."""
    return bool(one.kind) and one.type.kind not in LISTS


def tries_with(attacked: Attacked, one: CallField, texts: Sequence[str], why: str) -> Iterator[Try]:
    """Calls with each of some texts in a field."""
    return (Try((attacked.having(one, each),), why) for each in texts)


def typed_rewritings(
    attacked: Attacked, one: CallField, condition: Tree, *, alone: bool = True
) -> Sequence[Effect]:
    """The rule by a typed part of a field: in the place of what it says if that is ``alone``; beside it."""
    if not is_typed(one):
        return []
    typed = given(attacked, one, condition)
    whole = [instead(attacked.rule, typed)] * (alone and {*attacked.reading.parts} == {one.name})
    return [*whole, narrower(attacked.rule, typed)]


def closed_besides(attacked: Attacked, one: CallField, condition: Tree) -> list[Effect]:
    """The rule that also stops what a condition says of a field, where all else that it demands holds.

    It may do so wherever that does not stop what has to be stopped.
    """
    rule, said = attacked.rule, given(attacked, one, condition)
    parts = rule.condition[1:] if rule.condition[0] == "and" and rule.form != "permit" else ()
    others = [each for each in parts if not _reads(each, one)]
    own = [each for each in parts if each not in others]
    anywhere = narrower(rule, said)
    if not others or not own:
        return [anywhere]
    within = joined("and", [*others, joined("or", [joined("and", own), said])])
    return [saying(rule, within), anywhere]


def _reads(condition: Tree, one: CallField) -> bool:
    """Whether a condition reads a field of the call, or a fact of it does that is given the call."""
    parts = [each for _, each in places(condition)]
    return ("attr", CALL, one.name) in parts or any(each[0] == "call" and CALL in each[2:] for each in parts)


def given(attacked: Attacked, one: CallField, condition: Tree) -> Tree:
    """A condition on a field that a call may lack."""
    if one.type.optional and one.type.kind not in LISTS:
        condition = joined("and", [("is some", attacked.value_of(one)), condition])
    inner = attacked.texts_in_objects.get(one.name)
    return condition if inner is None else inner.of_some(condition)


# --- URLs


def _at_url(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    hosts = [*dict.fromkeys(host for each in attacked.texts if (host := host_in(each)))]
    paths = [bare for bare in attacked.texts if bare.startswith("/")]
    for rest in (next(iter(paths), "/").rstrip("*"), ""):  # a rule may look at the end of a URL
        known = {host: attacked.having(one, f"https://{host}{rest}") for host in hosts}
        allowed = [host for host, call in known.items() if attacked.passes(call)]
        stopped = [host for host, call in known.items() if attacked.stops(call)]
        stranger = attacked.having(one, f"https://{EVIL_HOST}{rest}")
        if allowed and attacked.stops(stranger):
            yield from _past_allowed_hosts(attacked, one, allowed, rest)
            return
        if stopped and attacked.passes(stranger):
            yield _past_closed_hosts(attacked, one, stopped, rest)
            return


def _past_allowed_hosts(
    attacked: Attacked, one: CallField, hosts: Sequence[str], rest: str
) -> Iterator[Attempt]:
    host = next((each for each in hosts if not is_of_machine(each)), hosts[0])
    others = [
        f"https://{host}.{EVIL_HOST}{rest}",
        f"https://{EVIL_HOST}/?{host}",
        f"https://{host}@{EVIL_HOST}{rest}",
        f"https://evil-{host}{rest}",
        f"https://{EVIL_HOST}/{host}/",
        f"https://{EVIL_HOST}/#https://{host}{rest}",
    ]
    advice = declaring(attacked, one, "url")
    is_host = _other_host(attacked, one, hosts, rest)
    domains = part(attacked, one, "domains")
    outside = joined("and", [("not in", text(each), domains) for each in hosts])
    tests = text_tests_in(attacked.rule.condition, attacked.value_of(one))
    is_end = {*hosts} <= {each.constant.lstrip(".") for each in tests if each.form == "endswith"}
    yield Attempt(
        "host",
        tries_with(attacked, one, others, f"its host is not {host}"),
        partial(_each_typed, attacked, one, (outside, is_host) if is_end else (is_host, outside), rest),
        advice,
    )
    if any(map(is_of_machine, hosts)):  # which answers by http and at any port: the list says nothing of it
        return
    if one.kind and one.type.kind in LISTS:  # of whose elements nothing can be said but by what they are
        return
    for name, usual, ways in _ways(attacked, one, host, rest):
        if name == "host" and (is_end or "domains" in attacked.reading.parts[one.name]):
            continue
        other: Tree = ("!=", part(attacked, one, name), usual)
        wholes = [is_host] if name == "host" else [joined("or", [said, other]) for said in (is_host, outside)]
        tries = [Try((attacked.having(one, url),), why) for url, why in ways]
        rewritings = partial(_each_typed, attacked, one, wholes, rest)
        yield Attempt("way to a host", tries, rewritings, advice, about=name)


def _each_typed(
    attacked: Attacked, one: CallField, conditions: Sequence[Tree], rest: str
) -> Sequence[Effect]:
    """The rule by each of some conditions on the parts of a URL."""
    typed = (typed_rewritings(attacked, one, said, alone=rest in ("/", "")) for said in conditions)
    return [*chain.from_iterable(typed)]


def _other_host(attacked: Attacked, one: CallField, hosts: Sequence[str], rest: str) -> Tree:
    """That a URL does not lead to some hosts in a way which the rule lets pass."""
    ways: list[tuple[str, Tree, Sequence[str]]] = [
        ("scheme", text("https"), [f"{scheme}://{hosts[0]}{rest}" for scheme in ("http", "ftp")]),
        ("port", ("lit", "int", 443), [f"https://{hosts[0]}:8443{rest}"]),
    ]
    stopped: list[Tree] = [
        ("!=", part(attacked, one, name), usual)
        for name, usual, urls in ways
        if all(attacked.stops_having(one, url) for url in urls)
    ]
    return joined("or", [among(part(attacked, one, "host"), hosts, negative=True), *stopped])


def _ways(
    attacked: Attacked, one: CallField, host: str, rest: str
) -> Iterator[tuple[str, Tree, Sequence[tuple[str, str]]]]:
    """Other ways to a host: the part of a URL that tells, its usual value, and URLs, each with what it is."""
    called = {*texts_held([call for call in attacked.logged if attacked.allows(call)], one)}
    said = set(re.findall(r"[\w:]+", attacked.sentence))
    is_below = any(re.match(rf"\w+://[^/]*\.{re.escape(host)}(?:[:/]|$)", url) for url in called)
    if not is_below and not said & _BELOW:
        why = f"its host is another machine below {host}"
        yield "host", text(host), [(f"https://uploads.{host}{rest}", why)]
    is_raw = attacked.is_raw(one)  # of a rule on hosts the port and the scheme are another matter
    if is_raw and not any(re.match(r"\w+://[^/]*:\d", url) and ":443" not in url for url in called):
        why = "another service may answer at another port"
        yield "port", ("lit", "int", 443), [(f"https://{host}:8443{rest}", why)]
    if is_raw and not any(url.startswith("http:") for url in called) and "http:" not in said:
        urls = [f"{scheme}://{host}{rest}" for scheme in ("http", "ftp")]
        yield "scheme", text("https"), [(url, "it is not encrypted") for url in urls]


def _past_closed_hosts(attacked: Attacked, one: CallField, hosts: Sequence[str], rest: str) -> Attempt:
    """Other names of the machines that a rule closes."""
    urls: list[tuple[str, str]] = []
    for host in hosts:
        urls += [(f"https://{host}.{rest}", host), (f"https://{host.upper()}{rest}", host)]
        urls += [(f"http://{host}:8080{rest}", host), (f"https://user@{host}{rest}", host)]
        named = _OTHER_NAMES.get(host, ())
        urls += [(f"http://{name}{rest}", host) for name in named if name != host]
        if not named and not re.fullmatch(r"[\d.]+", host):
            urls.append((f"https://www.{host}{rest}", host))
    found = [Try((attacked.having(one, url),), f"it reaches {host} too") for url, host in urls]
    machines = [host for host in hosts if host in _OTHER_NAMES]
    others = [name for host in machines for name in _OTHER_NAMES[host]]
    named = [name for name in others if not name[0].isdigit() or name == "0.0.0.0"]
    names = [*dict.fromkeys(name.strip("[]") for name in (*machines, *named))]
    is_own = any(host in LOCAL for host in machines)
    host = part(attacked, one, "host")
    below: list[Tree] = [
        ("in", text(each), part(attacked, one, "domains")) for each in hosts if each not in _OTHER_NAMES
    ]
    below += [among(host, names)] if names else []
    own: list[Tree] = [("method", host, "startswith", text(_OWN_ADDRESSES))] if is_own else []
    wider: list[Tree] = [part(attacked, one, "is_address")] if names else []
    return Attempt(
        "other name of a host",
        found,
        lambda: _each_typed(
            attacked, one, [joined("or", [*below, *own]), joined("or", [*below, *wider])], rest
        ),
        declaring(attacked, one, "url"),
    )


def _at_scheme(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Another way without encryption, where a rule names one of them alone."""
    calls = {
        scheme: attacked.having(one, f"{scheme}://files.example/") for scheme in ("http", "https", "ftp")
    }
    if attacked.stops(calls["http"]) and attacked.passes(calls["https"]) and attacked.passes(calls["ftp"]):
        tries = tries_with(
            attacked, one, ["ftp://files.example/", "HTTP://files.example/"], "it is not encrypted"
        )
        other: Tree = ("!=", part(attacked, one, "scheme"), text("https"))
        rewritings = partial(typed_rewritings, attacked, one, other)
        yield Attempt("way to a host", tries, rewritings, declaring(attacked, one, "url"), about="scheme")


def declaring(attacked: Attacked, one: CallField, kind: str) -> str | Declaration:
    """What to write into the agent file so that rules can read the parts of a field."""
    return "" if one.kind else declared(attacked.tool, one, kind)


def declared(tool: str, one: CallField, kind: str) -> Declaration:
    """What to write into the agent file, so that a field of a tool is of a kind."""
    note = FieldNote(type=kind)
    if one.type.kind in LISTS:
        return Declaration(tool, {f"{one.key}[]": note, one.key: FieldNote(optional=True)})
    return Declaration(tool, {one.key: note})


# --- Paths


class _WayPast(NamedTuple):
    """Paths that pass a test of the text of a folder, why they are meant, and what says it by typed parts.

    ``begins`` is how their text begins, where that stops them too.
    """

    texts: Sequence[str]
    why: str
    typed: Tree
    begins: Tree | None = None


def _at_path(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Other spellings of paths into a folder or out of it, where a rule tests their text."""
    named = (bare.strip() for bare in attacked.texts if attacked.is_raw(one))
    folders = [bare for bare in named if "/" in bare and re.search(r"\w", bare)]
    for folder in folders:
        past = _past_folder(attacked, one, folder)
        if past is None:
            continue
        raw = [] if past.begins is None else [narrower(attacked.rule, given(attacked, one, past.begins))]
        typed_ones = partial(typed_rewritings, attacked, one, past.typed, alone=len(folders) == 1)
        said = _not_plain(attacked, one, folder, past)
        plain = [narrower(attacked.rule, given(attacked, one, each)) for each in said]
        beside = attacked.having(one, "notes.txt")
        logged = [*texts_held(attacked.logged, one)]
        cwd = "" if folder_of(attacked) else _folder_told(attacked)
        is_whole = all(each.startswith(("/", "~")) for each in logged) and (bool(logged) or not cwd)
        is_placed = folder_of(attacked) != "" or (folder.startswith("/") and is_whole)
        unplaced = f'write cwd = "/…", where it works, under [tools.{attacked.tool}] in agent.toml'
        advice = Declaration(attacked.tool, cwd=cwd) if cwd else unplaced
        yield Attempt(
            "path",
            tries_with(attacked, one, past.texts, past.why),
            partial(_either, raw, typed_ones, plain),
            _placed(declaring(attacked, one, "path"), cwd) or ("" if is_placed else advice),
            about=folder,
            harmless=(beside,) if not is_placed and attacked.allows(beside) else (),
        )


def folder_of(attacked: Attacked) -> str:
    """The folder in which relative paths of the tool begin; empty if it is not known, or one of Windows."""
    tool = attacked.book.tools[attacked.tool]
    return tool.cwd if tool.cwd.startswith("/") else ""


def _placed(advice: str | Declaration, cwd: str) -> str | Declaration:
    """What to declare of a path, with the folder in which relative ones begin, where that is told."""
    return replace(advice, cwd=cwd) if isinstance(advice, Declaration) and advice.fields and cwd else advice


def _folder_told(attacked: Attacked) -> str:
    """The folder in which relative paths of the tool begin, as its description says; empty if it does not."""
    tool = attacked.book.tools[attacked.tool]
    found = _TOLD_FOLDER.search(
        f"{tool.description} {' '.join(each.description for each in attacked.fields_read)}"
    )
    return "" if found is None else found[1].rstrip("./")


_TOLD_FOLDER = re.compile(
    r"\b(?:relative|works?|working|begins?|starts?|runs?)\b[^./]{0,40}\s(/[\w.-]+(?:/[\w.-]+)*)"
)


def _not_plain(attacked: Attacked, one: CallField, folder: str, past: _WayPast) -> Sequence[Tree]:
    """That a path is not spelled plainly, or leads past a folder all the same."""
    value = attacked.value_of(one)
    up: Tree = ("in", text(".."), value)
    if past.typed[0] == "not in":
        begins: Tree = ("method", value, "startswith", text(f"{folder.rstrip('/')}/"))
        outside = joined("and", [("not", begins), ("!=", value, text(folder.rstrip("/")))])
        return [up, joined("or", [outside, up])]
    others = ["//", "/./", *[folder.strip("/")] * (not folder.startswith("/"))]
    begun = [] if past.begins is None else [past.begins]
    itself: list[Tree] = [("==", value, text(folder.rstrip("/")))] if folder.endswith("/") else []
    return [joined("or", [up, *(("in", text(each), value) for each in others), *begun, *itself])]


def _past_folder(attacked: Attacked, one: CallField, folder: str) -> _WayPast | None:
    """The way past a test of the text of a folder; None if it tests something else."""
    below, inside = folder if folder.startswith("/") else f"/{folder}", f"{folder.rstrip('/')}/x"
    whole = below if folder.startswith("/") else posixpath.join(folder_of(attacked) or "/", folder)
    is_inside: Tree = (text(whole.rstrip("/") or "/"), part(attacked, one, "inside"))
    stays, other, itself = (attacked.having(one, each) for each in (inside, "/etc/cron.d/job", folder))
    if attacked.passes(stays) and attacked.stops(other):
        up = "../" * (folder.count("/") + 1)
        texts = [
            f"{folder.rstrip('/')}/{up}etc/cron.d/job",
            f"{up}etc/{inside.lstrip('/')}",
            f"/home/eve{below}/x",
            *[f"{folder}-evil/x"] * (not folder.endswith("/")),
        ]
        return _WayPast(texts, f"it lies outside of {folder}", ("not in", *is_inside))
    if attacked.stops(stays):
        texts = [*_spelled(folder.rstrip("/"))]
        texts += [f"{whole.rstrip('/')}/x"] * (whole != folder and (not one.kind or whole != below))
        past = _WayPast(texts, f"it lies in {folder}", ("in", *is_inside))
        return _anywhere(attacked, one, folder, past) if folder.startswith("/") else past
    if attacked.stops(itself):
        texts = [each.removesuffix("/x") for each in _spelled(folder)]
        return _WayPast(texts, f"it is {folder}", among(part(attacked, one, "absolute"), [whole]))
    return None


def _anywhere(attacked: Attacked, one: CallField, folder: str, past: _WayPast) -> _WayPast:
    """A way into a folder, also from the beginning of a text where a rule stops the name in any folder."""
    named = folder.strip("/")
    if not attacked.stops_having(one, f"/home/agent{folder.rstrip('/')}/x"):
        return past
    is_part = "/" in named
    begins: Tree = ("method", attacked.value_of(one), "startswith", text(f"{named}/"))
    return _WayPast(
        [*past.texts, *[f"{named}/x"] * (not (is_typed(one) and is_part))],
        past.why,
        past.typed if is_part else ("in", text(named), part(attacked, one, "names")),
        None if is_typed(one) and folder_of(attacked) else begins,
    )


def _relative(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A path from where the agent works, of a file in a folder that a rule closes from the root on."""
    if one.kind or not attacked.is_raw(one) or folder_of(attacked):
        return
    for folder in (bare.strip().rstrip("/") for bare in attacked.texts if bare.strip().startswith("/")):
        last = folder.rpartition("/")[2]
        inside, *others = (
            attacked.having(one, each)
            for each in (f"{folder}/x", f"/tmp{folder}/x", "/tmp/x")  # a rule may name it wherever it is
        )
        if not last or not attacked.stops(inside) or any(map(attacked.stops, others)):
            continue
        begins: Tree = ("method", attacked.value_of(one), "startswith", text("/"))
        effects = [narrower(attacked.rule, given(attacked, one, ("not", begins)))]
        tries = tries_with(
            attacked, one, [f"{last}/x"], f"it lies in {folder} where the agent works beside it"
        )
        advice = declaring(attacked, one, "path")
        yield Attempt("relative path", tries, offering(*effects), advice, about=folder)


def _either(
    raw: Sequence[Effect], typed: Callable[[], Sequence[Effect]], plain: Sequence[Effect]
) -> Sequence[Effect]:
    """Rewritings by the text of a field, those by its typed parts, and those by how it is spelled."""
    return [*raw, *typed(), *plain]


def _at_windows_path(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A way by “..” into a folder of Windows or out of it, where a rule tests how its path begins."""
    value = attacked.value_of(one)
    for folder in (bare for bare in attacked.texts if "\\" in bare and attacked.is_raw(one)):
        parent, _, last = folder.rstrip("\\").rpartition("\\")
        inside, outside = (attacked.having(one, each) for each in (f"{parent}\\{last}\\x", f"{_WINDOWS}\\x"))
        if attacked.passes(inside) and attacked.stops(outside):
            up = "..\\" * folder.rstrip("\\").count("\\")
            other, why = f"{parent}\\{last}\\{up}Windows\\x", f"it lies outside of {folder}"
        elif attacked.stops(inside) and attacked.passes(outside):
            other, why = f"{parent}\\x\\..\\{last}\\x", f"it lies in {folder}"
        else:
            continue
        effects = [narrower(attacked.rule, given(attacked, one, ("in", text(".."), value)))]
        tries = tries_with(attacked, one, [other], why)
        is_typed_there = attacked.call_type.file_system == WINDOWS and is_typed(one)
        if is_typed_there:
            whole = text(folder.rstrip("\\").lower().replace("\\", "/"))
            lies: Tree = ("in" if attacked.stops(inside) else "not in", whole, part(attacked, one, "inside"))
            effects = [narrower(attacked.rule, given(attacked, one, lies))]
        advice = "" if is_typed_there or not one.kind else Declaration(attacked.tool, file_system=WINDOWS)
        yield Attempt("path", tries, offering(*effects), advice, about=folder)
        if attacked.stops(inside) and not _CASES & _left_out_of_account(attacked, one):
            tries = tries_with(
                attacked, one, [f"{parent}\\{last}\\x".lower()], f"Windows opens {folder} by it"
            )
            yield Attempt(CASE_OF_FILE, tries, partial(_folding, attacked, one), about=folder)


_WINDOWS = r"C:\Windows"
_WINDOWS_FILE = re.compile(r"(?:[A-Za-z]:|\\)\\.*[^\\]")


def _windows_file(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A file that a rule closes by its whole name on a disk of Windows, which has other names for it."""
    tool = attacked.book.tools[attacked.tool]
    value, is_declared = attacked.value_of(one), tool.file_system == WINDOWS
    for bare in (each for each in attacked.texts if _WINDOWS_FILE.fullmatch(each) and attacked.is_raw(one)):
        parent, _, last = bare.rpartition("\\")
        stopped, beside_ = (attacked.having(one, each) for each in (bare, f"{parent}\\x{last}"))
        if not attacked.stops(stopped) or not attacked.passes(beside_):
            continue
        texts = [bare.lower(), bare.replace("\\", "/"), f"{parent}\\.\\{last}", f"{parent}\\x\\..\\{last}"]
        small: Tree = ("method", value, "lower")
        plain = [among(small, [bare.lower(), bare.lower().replace("\\", "/")])]
        plain += [("in", text(each), value) for each in ("\\.", "/.", "\\\\", "//")]
        typed = among(part(attacked, one, "absolute"), [bare.lower().replace("\\", "/")])
        said = typed if is_declared and is_typed(one) else joined("or", plain)
        tries = tries_with(attacked, one, texts, f"Windows opens {bare} by it")
        advice = "" if is_declared else Declaration(tool.name, file_system=WINDOWS)
        is_open = attacked.allows(beside_)
        yield Attempt(
            CASE_OF_FILE,
            tries,
            offering(narrower(attacked.rule, given(attacked, one, said))),
            advice,
            about=bare,
            harmless=(beside_,) if is_open else (),
        )


def _below_folder(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A file in a folder below the one that a rule closes by being its folder."""
    if not is_typed(one):
        return
    folder = part(attacked, one, "folder")
    for place, atom in places(attacked.rule.condition):
        if atom[0] == "==" and atom[1] == folder and atom[2][:2] == ("lit", "text"):
            closed = atom[2][2].rstrip("/")
            if not attacked.stops_having(one, f"{closed}/x"):
                continue
            tries = tries_with(attacked, one, [f"{closed}/below/x"], f"it lies in a folder below {closed}")
            inside: Tree = ("in", text(closed or "/"), part(attacked, one, "inside"))
            tree = attacked.rule.with_condition(replaced(attacked.rule.condition, place, inside))
            yield Attempt("path", tries, offering(Effect({attacked.rule.name: tree})), about=closed)


def _of_ending(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A file anywhere, where a rule lets files through by the end of their names."""
    for ending in (bare for bare in attacked.texts if bare.startswith(".") and "/" not in bare):
        ends, other = (attacked.having(one, f"x{end}") for end in (ending, ".other"))
        if attacked.is_raw(one) and attacked.passes(ends) and attacked.stops(other):
            why = "it leads out of every folder by “..”"
            yield Attempt(
                "any folder", tries_with(attacked, one, [f"../../x{ending}"], why), list, about=ending
            )


def _case_of_file(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A file that a rule closes by its name, in capitals, where a tool is said to tell no cases apart."""
    tool = attacked.book.tools[attacked.tool]
    told = f"{tool.description} {one.description}"[:_MOST_READ]
    if attacked.is_raw(one) or tool.file_system or _IGNORES_CASE.search(told) is None:
        return
    for bare in filter(str.strip, attacked.texts[:_MOST_TEXTS]):
        for file in near("path", [bare]):
            stopped = attacked.having(one, file)
            spelled = [each for each in (bare.upper(), bare.lower()) if each != bare]
            if not attacked.stops(stopped) or not spelled:
                continue
            why = f"such a disk opens “{bare}” by it"
            tries = tries_with(attacked, one, [file.replace(bare, each) for each in spelled], why)
            advice = Declaration(tool.name, file_system="ignore_case")
            rewritings = partial(_folding_parts, attacked, one)
            yield Attempt(CASE_OF_FILE, tries, rewritings, advice, about=bare)
            break


def _folding_parts(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule that compares parts of a path in small letters."""
    rule, said, whole = attacked.rule, attacked.rule.condition, attacked.value_of(one)
    for path, atom in [*places(said)]:
        if atom[0] not in ("==", "!=", "in", "not in") or len(atom) != 3 or atom[1][:2] != ("attr", whole):
            continue
        listed = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
        if all(each[:2] == ("lit", "text") for each in listed):
            small = tuple(text(str(each[2]).lower()) for each in listed)
            other: Tree = ("set", *small) if atom[2][0] == "set" else small[0]
            said = replaced(said, path, (atom[0], ("method", atom[1], "lower"), other))
    return [saying(rule, said)] if said != rule.condition else []


_MOST_READ = 500
_IGNORES_CASE = re.compile(
    r"\b(?:windows|smb|cifs|samba|ntfs|exfat|fat32|sharepoint|onedrive|network (?:share|drive)s?"
    r"|case[- ]?insensitiv\w*|ignor\w+ case)\b|\b[A-Z]:\\",
    re.IGNORECASE,
)
"""What descriptions say of disks that tell no cases of a name apart."""


def _spelled(folder: str) -> Iterator[str]:
    """Yield other spellings of a file in a folder."""
    parent, slash, last = folder.rpartition("/")
    before = f"{parent}{slash}"
    yield from (f"{before}x/../{last}/x", f"{before}./{last}/x")
    if folder.startswith("/"):
        yield from (f"/x/..{folder}/x", f"{before}/{last}/x")


# --- Addresses


def _at_mail(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    if not attacked.is_raw(one):
        return
    domains = [bare.strip().rpartition("@")[2].lstrip(".").lower() for bare in attacked.texts if "." in bare]
    base = attacked.base
    known = [one_ for one_ in domains if attacked.passes(attacked.with_value(base, one, f"lee@{one_}"))]
    if not known or not attacked.stops(attacked.with_value(base, one, EVIL_MAIL)):
        return
    domain = known[0]
    texts = [
        f"eve@evil-{domain}",
        f"eve@{domain}.{EVIL_HOST}",
        f"{EVIL_MAIL}, lee@{domain}",
        f"lee@{domain}, {EVIL_MAIL}",
        f"lee@{domain}@{EVIL_HOST}",
        f'"lee@{domain}" <{EVIL_MAIL}>',
    ]
    typed = among(part(attacked, one, "domain"), known, negative=True)
    yield Attempt(
        "address",
        tries_with(attacked, one, texts, f"it goes to somebody outside of {domain}"),
        lambda: typed_rewritings(attacked, one, typed),
        declaring(attacked, one, "mail_address"),
    )


def _with_name(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """An address that a rule closes, with the name of somebody before it."""
    base = attacked.base
    if not attacked.is_raw(one) or attacked.stops(attacked.with_value(base, one, EVIL_MAIL)):
        return
    known = dict.fromkeys(near("mail_address", attacked.texts[:_MOST_TEXTS]))
    closed = [each for each in known if attacked.stops(attacked.with_value(base, one, each))]
    domains = [each.partition("@")[2].lower() for each in closed]
    by_domain = [attacked.stops(attacked.with_value(base, one, f"eve@{each}")) for each in domains]
    said = [
        among(part(attacked, one, name), [*dict.fromkeys(texts)])
        for name, texts in (
            ("domain", [each for each, whole in zip(domains, by_domain, strict=True) if whole]),
            ("address", [each.lower() for each, whole in zip(closed, by_domain, strict=True) if not whole]),
        )
        if texts
    ]
    spelled = [
        Try((attacked.with_value(base, one, f"Lee <{each}>"),), f"it goes to {each}") for each in closed
    ]
    rewritings = partial(typed_rewritings, attacked, one, joined("or", said)) if said else list[Effect]
    yield Attempt(
        "address with a name", spelled, rewritings, declaring(attacked, one, "mail_address"), about=one.name
    )


def _below_domains(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """An address below a domain that a rule closes."""
    base, said = attacked.base, {*re.findall(r"\w+", attacked.sentence)}
    named = (bare.strip().rpartition("@")[2].lstrip(".").lower() for bare in attacked.texts if "." in bare)
    closed = [
        domain
        for domain in dict.fromkeys(named)
        if attacked.stops(attacked.with_value(base, one, f"lee@{domain}"))
        and not any(text.lower().endswith(f".{domain}") for text in texts_held(attacked.logged, one))
    ]
    if not closed or said & _ALONE or attacked.stops(attacked.with_value(base, one, EVIL_MAIL)):
        return
    tries = [
        Try((attacked.with_value(base, one, f"lee@mail.{domain}"),), f"it goes to a domain below {domain}")
        for domain in closed
    ]
    yield Attempt(
        "lower domain",
        tries,
        partial(_with_lower_domains, attacked, one, closed),
        declaring(attacked, one, "mail_address"),
        about=one.name,
    )


def _with_lower_domains(attacked: Attacked, one: CallField, closed: Sequence[str]) -> Sequence[Effect]:
    """The rule which speaks of the domains of an address where it speaks of its domain."""
    said = attacked.rule.condition
    for place, atom in [*places(said)]:
        if atom[0] not in _MEMBERS or atom[1][:1] != ("attr",) or atom[1][2] != "domain":
            continue
        listed = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
        if {each[2] for each in listed if each[0] == "lit"} & {*closed}:
            word, both = _MEMBERS[atom[0]]
            domains: Tree = ("attr", atom[1][1], "domains")
            said = replaced(said, place, joined(both, [(word, each, domains) for each in listed]))
    changed = [saying(attacked.rule, said)]
    below = joined("or", [("in", text(each), part(attacked, one, "domains")) for each in closed])
    return [*changed * (said != attacked.rule.condition), *typed_rewritings(attacked, one, below)]


_MEMBERS = {"==": ("in", "or"), "in": ("in", "or"), "!=": ("not in", "and"), "not in": ("not in", "and")}
"""How a comparison with one domain is said of all of them, and how several are joined."""
_ALONE = frozenset(("exactly", "precisely"))
"""Words of sentences that mean a domain without those below it."""


# --- Branches to which something is pushed


def _at_branch(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Another text by which git pushes to a branch that a rule closes."""
    words, fields = {*words_of(attacked.tool)}, {each.name for each in attacked.call_type.fields}
    is_of_git = "push" in words and ("git" in words or fields & {"remote", "refspec"})
    if not is_of_git or not _BRANCHES & {*words_of(one.name)} or not attacked.is_raw(one):
        return  # to an interface of a service a branch is a name, and no refspec
    value, base = attacked.value_of(one), attacked.base
    for bare in filter(str.strip, attacked.texts[:_MOST_TEXTS]):
        if attacked.stops(attacked.with_value(base, one, bare)):
            texts, closed = [f"HEAD:{bare}", f"+{bare}"], bare
        elif attacked.stops(attacked.with_value(base, one, "main")):
            texts, closed = [f"{bare}x:main"], "main"
        else:
            continue
        tries = tries_with(attacked, one, texts, f"git pushes to {closed} by it")
        forced: list[Tree] = [("method", value, "startswith", text("+"))] if len(texts) > 1 else []
        said = joined("or", [("in", text(":"), value), *forced])
        effects = [narrower(attacked.rule, given(attacked, one, said))]
        yield Attempt("branch", tries, offering(*effects), about=one.name)
        return


# --- Names and ids, and ends of texts


def _going_on(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A text that begins with a name which a rule lets through, where the name itself goes on."""
    if attacked.kind(one) in ("path", "url") or not attacked.is_raw(one):
        return
    value, rule = attacked.value_of(one), attacked.rule
    for place, atom in places(rule.condition):
        if atom[:3] != ("method", value, "startswith") or atom[3][:2] != ("lit", "text"):
            continue
        name = str(atom[3][2])
        if _NAME_WITH_PARTS.fullmatch(name) is None:
            continue
        inside = attacked.having(one, f"{name}/x")
        stranger = attacked.having(one, f"{EVIL_HOST}/x")
        if not attacked.passes(inside) or not attacked.stops(stranger):
            continue
        texts = [f"{name}-evil/x"] if "/" in name else [f"{name}.{EVIL_HOST}/x", f"{name}-evil.example/x"]
        within: Tree = ("method", value, "startswith", text(f"{name}/"))
        said = replaced(rule.condition, place, joined("or", [("==", value, text(name)), within]))
        tries = tries_with(attacked, one, texts, f"its name only begins with {name}")
        yield Attempt("name that goes on", tries, offering(saying(rule, said)), about=name)


_WORDS_ALIKE = tuple(
    row.split(", ")
    for row in (
        "@channel, @here, @everyone, @all, @team",
        "password, passwd, passphrase, pwd, credentials",
        "confidential, secret, classified, restricted, internal only",
        "guarantee, promise, assure, warrant",
        "api key, api-key, apikey, access key, token, bearer",
        "discount, rebate, voucher, coupon, price off",
        "iban, account number, bank details",
        "salary, wage, pay, income, compensation",
        "diagnosis, finding, illness, condition",
        "buy now, order now, place order, pay now, checkout",
    )
)
"""Words that stand in texts for the same."""
_SHORT_WORD = re.compile(r"[a-z]{1,4}")
"""A word that is within many others, as “pay” is in “payload”; a rule speaks of it wherever it stands."""


def _other_word(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Another word for the same as one that a rule closes in a text."""
    value = attacked.value_of(one)
    texts = [bare.strip().casefold() for bare in attacked.texts]
    for alike in _WORDS_ALIKE:
        known = [each for each in alike if each in texts]
        within = (f"x {bare} y" for bare in attacked.texts if bare.strip().casefold() in known)
        stopped = (attacked.having(one, each) for each in within)
        if not any(map(attacked.stops, stopped)):
            continue
        others = [each for each in alike if each not in known and not _SHORT_WORD.fullmatch(each)]
        tries = tries_with(attacked, one, others, f"it may say the same as “{known[0]}”")
        said = joined("or", [("in", text(each), ("method", value, "lower")) for each in (*known, *others)])
        effects = [narrower(attacked.rule, given(attacked, one, said))]
        yield Attempt("other word", tries, offering(*effects), about=known[0])


_ENDINGS = tuple(
    frozenset(each.split())
    for each in (
        ".exe .msi .bat .cmd .com .scr .ps1 .vbs .jar", ".zip .rar .7z .tar .gz .tgz .bz2 .xz .iso",
        ".doc .docx .docm .odt .rtf", ".xls .xlsx .xlsm .xlsb .ods .csv", ".ppt .pptx .pptm .odp",
        ".jpg .jpeg .jpe", ".tif .tiff", ".heic .heif", ".sh .bash .zsh .py .pl .rb .js",
        ".pem .key .pfx .p12 .ppk .jks", ".sql .dump .bak", ".mp4 .mov .avi .mkv .webm", ".yml .yaml",
        ".htm .html .xhtml .mhtml", ".wav .mp3 .flac .m4a .ogg", ".pdf .ps .xps .djvu",
    )
)  # fmt: skip
"""Ends of names of files for what comes to the same."""


def _other_ending(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A name of a file with another end for what a rule closes by the end of its name."""
    for place, atom in places(attacked.rule.condition):
        suffix: Tree = ("attr", attacked.value_of(one), "suffix")
        is_end = atom[0] == "method" and atom[2:3] == ("endswith",) and atom[3][:2] == ("lit", "text")
        if not is_end and not (atom[:2] == ("==", suffix) and atom[2][:2] == ("lit", "text")):
            continue
        ending = str(atom[3][2] if is_end else atom[2][2])
        alike = [each for group in _ENDINGS if ending.lower() in group for each in sorted(group)]
        others = [each for each in alike if each != ending.lower()]
        name = "/srv/x" if attacked.kind(one) == "path" else "x"
        stopped = attacked.having(one, f"{name}{ending}")
        if not others or not any(part == attacked.value_of(one) for _, part in places(atom)):
            continue
        if not attacked.stops(stopped) or attacked.stops(attacked.having(one, f"{name}.other")):
            continue
        more: list[Tree] = [("method", atom[1], "endswith", text(each)) for each in others]
        more = more if is_end else [among(suffix, others)]
        said = replaced(attacked.rule.condition, place, joined("or", [atom, *more]))
        tries = tries_with(
            attacked, one, [f"{name}{each}" for each in others], f"it comes to the same as {ending}"
        )
        yield Attempt("other ending", tries, offering(saying(attacked.rule, said)), about=ending)


_LINES = frozenset(("line", "command", "cmd", "console", "input", "instruction", "statement", "macro"))
"""Words of fields with a line that something other than a shell reads."""


def _word_of_line(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """The first word of a line that a rule closes: without its sign, with a prefix, or behind a word."""
    value, rule = attacked.value_of(one), attacked.rule
    if attacked.kind(one) or not attacked.is_raw(one) or not _LINES & {*words_of(one.name)}:
        return
    for place, atom in places(rule.condition):
        is_begin = atom[0] == "method" and atom[2:3] == ("startswith",) and atom[3][:2] == ("lit", "text")
        found = _FIRST_WORD.fullmatch(str(atom[3][2]).strip()) if is_begin else None
        if found is None or not attacked.stops_having(one, f"{found[0]} x"):
            continue
        sign, word = found[1], found[2]
        texts = [f"{word} x", f"{sign}core:{word} x", f"{sign}run {word} x", f"{sign}x run {word} x"]
        small: Tree = ("method", ("method", value, "strip"), "lower")
        word = word.lower()
        own = [("==", small, text(word)), *(("method", small, "startswith", text(f"{word} ")),) * bool(sign)]
        within = [("in", text(f"{before}{word} "), small) for before in (" ", ":", *[sign] * bool(sign))]
        ends = [("method", small, "endswith", text(f"{before}{word}")) for before in (" ", ":")]
        said = replaced(rule.condition, place, joined("or", [atom, *own, *within, *ends]))
        tries = tries_with(attacked, one, texts, f"it may do the same as “{found[0]}”")
        yield Attempt("word of a line", tries, offering(saying(rule, said)), about=word)


_FIRST_WORD = re.compile(r"([/!.\\]?)([A-Za-z][\w-]+)")


def _only_ending(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A name of another host that ends with one which a rule lets through with all below it."""
    if attacked.kind(one) or not attacked.is_raw(one):
        return
    value, rule = attacked.value_of(one), attacked.rule
    for place, atom in places(rule.condition):
        if atom[:3] != ("method", value, "endswith") or atom[3][:2] != ("lit", "text"):
            continue
        name = str(atom[3][2])
        below, stranger = (attacked.having(one, each) for each in (f"x.{name}", EVIL_HOST))
        if host_in(name) != name.lower() or not attacked.passes(below) or not attacked.stops(stranger):
            continue
        under: Tree = ("method", value, "endswith", text(f".{name}"))
        said = replaced(rule.condition, place, joined("or", [("==", value, text(name)), under]))
        tries = tries_with(attacked, one, [f"evil-{name}", f"evil{name}"], f"its name only ends with {name}")
        yield Attempt("name that goes on", tries, offering(saying(rule, said)), about=name)


_NAME_WITH_PARTS = re.compile(
    r"(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[\w.-]*\w)*|\w[\w-]*(?:/[\w.-]*\w)+", re.IGNORECASE
)
"""A host, or a name of parts with slashes, without one at its end."""


def _written_otherwise(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A text that a rule closes, with the other separator, in groups, or without what may be left out."""
    if not attacked.is_raw(one) or attacked.stopped is None:
        return
    for bare in filter(str.strip, attacked.texts[:_MOST_TEXTS]):
        ways = [("separator", bare.replace("\\", "/"), "with the other separator")]
        if not attacked.kind(one) and re.fullmatch(r"(?=(?:.*\d){4})[A-Za-z0-9]{8,}", bare):
            ways.append(("groups", f"{bare[:4]} {bare[4:]}", "with a blank in it"))
        if found := _LEFT_OUT.fullmatch(bare):
            ways.append(("sign", found[1], "without what begins it"))
        for kind, other, how in ways:
            ends = ("x", "") if kind == "separator" else ("",)
            held = (
                (attacked.with_value(attacked.stopped, one, f"{bare}{end}"), f"{other}{end}") for end in ends
            )
            tried = next((each for call, each in held if attacked.stops(call)), "")
            if other == bare or not tried or _CODES & {*words_of(one.name)}:
                continue
            whole = [" ".join(re.findall(r".{1,4}", bare))] if kind == "groups" else []
            tries = [
                Try((attacked.with_value(attacked.stopped, one, each),), f"it is “{bare}” {how}")
                for each in (tried, *whole)
            ]
            is_begin = tried != other
            read = _read_as(attacked, one, bare)
            said: Tree = (
                ("method", read, "startswith", text(other)) if is_begin else ("==", read, text(other))
            )
            is_closed = one.type.kind is Kind.STR and kind != "groups"  # of which there are many
            effects = [narrower(attacked.rule, given(attacked, one, said))] if is_closed else []
            advice = _as_code(attacked, one) if kind == "groups" and not one.kind else ""
            yield Attempt("otherwise written", tries, offering(*effects), advice, about=bare)


def _read_as(attacked: Attacked, one: CallField, bare: str) -> Tree:
    """The text of a field as a rule reads it where it compares it with a text: perhaps in small letters."""
    value, literal = attacked.value_of(one), text(bare)
    for _, atom in places(attacked.rule.condition):
        if atom[0] not in ("==", "!=", "in", "not in") or literal not in (atom[2], *atom[2][1:]):
            continue
        if without_methods(atom[1]) == value:
            return atom[1]
    return value


_LEFT_OUT = re.compile(r"(?:[#+]|0+(?=\d+$))(\w{2,})")
"""A text with a sign or zeros before it, and what it is without them."""


def _other_digits(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """The same number in other digits, where a rule compares an amount with a text."""
    if not attacked.is_raw(one) or attacked.stopped is None or one.type.kind is not Kind.STR:
        return
    is_amount = amount_named(words_of(one.name)) not in ("", "neither")
    for bare in attacked.texts[:_MOST_TEXTS]:
        found = _NUMBER.fullmatch(bare.strip())
        if found is None or not (is_amount or (found[2] or "")[2:]):
            continue
        if not attacked.stops(attacked.with_value(attacked.stopped, one, bare)):
            continue
        whole, rest = found[1], (found[2] or ".00")[1:]
        short = rest.rstrip("0")
        others = [f"{whole}.{short}" if short else whole, f"{whole}.{short or 0}", f"{whole}.{rest:0<2}"]
        others += [
            f"{whole},{rest:0<2}",
            f"+{whole}.{rest:0<2}",
            f"0{whole}",
            *_otherwise_grouped(whole, short),
        ]
        texts = [each for each in dict.fromkeys(others) if each != bare.strip()]
        tries = tries_with(attacked, one, texts, f"it is the number “{bare}”")
        said = among(attacked.value_of(one), texts)
        effects = [narrower(attacked.rule, given(attacked, one, said))]
        rewritings = partial(_by_number, attacked, one) if one.kind == AMOUNT else offering(*effects)
        yield Attempt("otherwise written", tries, rewritings, declaring(attacked, one, AMOUNT), about=bare)


AMOUNT = "amount"
"""The kind of texts that are read as numbers with their currencies."""


def _otherwise_grouped(whole: str, places: str) -> Iterator[str]:
    """Yield a whole number with a sign before each three digits, and by a power of ten."""
    digits = whole.lstrip("0") or "0"
    if not places:
        zeros = len(digits) - len(digits.rstrip("0")) if digits != "0" else 0
        yield f"{digits[: len(digits) - zeros]}e{zeros}"
        if len(digits) > _GROUP:
            yield f"{int(digits):,}"


_GROUP = 3


def _by_number(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule that compares the number of an amount where it compares its text with numbers."""
    said, value = attacked.rule.condition, attacked.value_of(one)
    for path, atom in [*places(said)]:
        if atom[0] not in ("==", "!=", "in", "not in") or len(atom) != 3 or atom[1] != value:
            continue
        listed = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
        texts = [str(each[2]).strip().replace(",", ".") for each in listed if each[:2] == ("lit", "text")]
        if len(texts) == len(listed) and all(map(_NUMBER.fullmatch, texts)):
            numbers: list[Tree] = [("lit", "dec", Decimal(each)) for each in texts]
            other: Tree = ("set", *numbers) if atom[2][0] == "set" else numbers[0]
            said = replaced(said, path, (atom[0], part(attacked, one, "value"), other))
    return [saying(attacked.rule, said)]


_NUMBER = re.compile(r"[+]?(\d+)([.,]\d{1,2})?")


def _as_code(attacked: Attacked, one: CallField) -> Declaration:
    """That a text is compared without blanks and cases, as an IBAN."""
    return Declaration(attacked.tool, {one.key: FieldNote(normal="code")})


def _spelling(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Another case of a text that a rule stops, blanks around it, and other ways to write such an id."""
    known = _left_out_of_account(attacked, one)
    is_plain = ".." in attacked.texts  # a path that has to be spelled plainly
    if is_plain or not attacked.is_raw(one) or ("strip" in known and known & _CASES):
        return
    befores = ("x",) if attacked.kind(one) == "path" else ("", "x")
    told: set[str] = set()
    known_ones = [each for each in (attacked.stopped, attacked.allowed) if each is not None]
    bases = [each for each in known_ones if not attacked.stops(attacked.with_value(each, one, "zz"))]
    for bare in attacked.texts[:_MOST_LOOKED_AT]:
        for before in befores if len(told) < _MOST_TEXTS else ():
            with_bare = (attacked.with_value(each, one, f"{before}{bare}") for each in bases)
            stopped = [*filter(attacked.stops, with_bare)]
            if not bare.strip() or not stopped:
                continue
            told.add(bare)
            spelled = [*_other_cases(bare, known, is_whole=not before)]
            if _names_branch(attacked, one):  # of which git tells the cases apart
                spelled = [(f"{_REF}{bare}", f"git calls the branch “{bare}” so, too")]
            ids = [*_other_ids(bare)] if not before and not attacked.kind(one) else []
            advice, is_code = "", _CODES & {*words_of(one.name)}
            if is_code and not before:
                spelled = [(f"{bare[:4]} {bare[4:]}", f"it is “{bare}” with a blank in it"), *spelled]
                advice = _as_code(attacked, one)
            ways = [([each], why) for each, why in spelled]
            ways += [(ids, f"it may be “{bare}” written otherwise")] if ids else []
            for texts, why in ways:
                held = product(texts, stopped)
                calls = (attacked.with_value(call, one, f"{before}{each}") for each, call in held)
                tries = [Try((call,), why) for call in calls]
                rewritings = list[Effect] if is_code else partial(_folding, attacked, one, ids=bool(ids))
                yield Attempt("spelling", tries, rewritings, advice, about=f"{one.name} {why}")
            break


def _names_branch(attacked: Attacked, one: CallField) -> bool:
    """Whether a field has the name of a branch, by its own words or by those of its tool."""
    own = {*words_of(one.name)}
    return bool(_BRANCHES & own or ("branch" in words_of(attacked.tool) and _ENDS_OF_MERGES & own))


_ENDS_OF_MERGES = frozenset(("target", "source", "into", "onto", "from", "to"))
_CASES = frozenset(("lower", "upper"))


def _left_out_of_account(attacked: Attacked, one: CallField) -> Set[str]:
    """The methods by which a rule leaves case or blanks of a text out of account."""
    values = [*_values(attacked, one)]
    methods = (
        part
        for _, part in places(attacked.unfolded.condition)
        if part[0] == "method" and part[2] in ("strip", *_CASES)
    )
    read = {part[2] for part in methods if any(inner in values for _, inner in places(part))}
    return read | (attacked.reading.parts.get(one.name, set[str]()) & {"strip", *_CASES})


def _other_cases(bare: str, known: Set[str], *, is_whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the text in another case, and after a blank, where a rule does not leave that out of account."""
    other = next((one for one in (bare.upper(), bare.lower()) if one != bare), "")
    if other and not known & _CASES:
        yield other, f"it differs from “{bare}” in case alone"
    if is_whole and "strip" not in known:
        yield f" {bare}", f"it is “{bare}” after a blank"


def _other_ids(bare: str) -> Iterator[str]:
    """Yield other ways to write an id: without its separator, or with a zero before its number."""
    if host_in(bare) == bare.lower() and _ENDS_AS_HOST.search(bare):
        yield from (f"{bare}.", f"www.{bare}")
    elif _OF_WORDS.fullmatch(bare.strip()):
        yield from (re.sub("[-_ ]", sign, bare.strip()) for sign in "-_ " if sign not in bare.strip())
    elif found := _ID.fullmatch(bare.strip()):
        yield from (f"{found[1]}{found[2]}", f"{found[1]} {found[2]}")
    elif _NUMBERED.fullmatch(bare.strip()):
        yield f"0{bare.strip()}"


_ID = re.compile(r"([A-Za-z]{1,8})[-_](\d+)")
_NUMBERED = re.compile(r"[1-9]\d{2,}")
_ENDS_AS_HOST = re.compile(r"\.(?:com|org|net|io|dev|app|cloud|example|test)$", re.IGNORECASE)
_OF_WORDS = re.compile(r"[A-Za-z]{2,}([-_ ])[A-Za-z]{2,}(?:\1[A-Za-z]{2,})*")
"""A name of words with a sign between them."""


def _folding(attacked: Attacked, one: CallField, *, ids: bool = False) -> Sequence[Effect]:
    """The rule that leaves case and blanks out of account where it compares a field with texts.

    With ``ids`` the other ways to write the texts as ids are as good as they are.
    """
    rule, whole = attacked.rule, attacked.value_of(one)
    condition = said = _with_lists(attacked, rule.condition)
    is_given = any(each == ("is some", whole) for _, each in places(condition))
    values, is_branch = [*_values(attacked, one)], _names_branch(attacked, one)
    for path, atom in places(condition):
        for value, bare in product(values, attacked.texts):
            if one.type.kind in LISTS and atom[1:] == (text(bare), whole):
                is_it: Tree = ("==", ("name", "each"), text(bare))
                same = _folded(is_it, is_it[1], text(bare), ids=ids, is_branch=is_branch)
                some: Tree = ("call", "any", ("gen", is_it[1], same, whole, TRUE))
                said = replaced(said, path, some if atom[0] == "in" else ("not", some))
                continue
            changed = _folded(atom, value, text(bare), ids=ids, is_branch=is_branch)
            if changed is not None and bare.strip():
                is_field = value == whole and one.name not in attacked.texts_in_objects and not is_given
                said = replaced(said, path, given(attacked, one, changed) if is_field else changed)
    return [saying(rule, once(said))] if said != condition else []


def _with_lists(attacked: Attacked, condition: Tree) -> Tree:
    """A condition with the texts of a list that has a name in its place."""
    for path, part in [*places(condition)]:
        if part[0] == "name" and (listed := attacked.book.lists.get(part[1])) is not None:
            condition = replaced(condition, path, listed)
    return condition


def _values(attacked: Attacked, one: CallField) -> Iterator[Tree]:
    """The text of a field in its rule: its value, or an element of it."""
    yield attacked.value_of(one)
    for _, atom in places(attacked.rule.condition):
        if atom[0] == "gen" and atom[3] == attacked.value_of(one):
            yield atom[1]


def _folded(atom: Tree, value: Tree, literal: Tree, *, ids: bool, is_branch: bool) -> Tree | None:
    folded: Tree = ("method", ("method", value, "strip"), "lower")
    if is_branch:
        folded = ("method", folded, "removeprefix", text(_REF))
    small, *others = _small_forms(literal, ids=ids)
    bases = (value, *(("method", value, name) for name in ("strip", *sorted(_CASES))))
    match atom:
        case ("method", base, word, constant) if base in bases and constant == literal:
            return ("method", folded, word, small)
        case ("in" | "not in" as word, constant, base) if constant == literal and base in bases:
            return (word, small, folded)
        case ("==" | "!=" as word, base, constant) if base in bases and constant == literal:
            if others:
                return ("in" if word == "==" else "not in", folded, ("set", small, *others))
            return (word, folded, small)
        case ("in" | "not in" as word, base, ("set", *elements)) if base in bases and literal in elements:
            every = [form for each in elements for form in _small_forms(each, ids=ids)]
            return (word, folded, ("set", *dict.fromkeys(every)))
        case _:
            return None


def _small_forms(literal: Tree, *, ids: bool) -> Sequence[Tree]:
    """A text of a rule in small letters without blanks, first, and the other ways to write it as an id."""
    bare = str(literal[2]).strip()
    return [text(each.lower()) for each in (bare, *(_other_ids(bare) if ids else ()))]
