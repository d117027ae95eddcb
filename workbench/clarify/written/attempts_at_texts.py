"""Attempts with another text of the same thing: paths, URLs, addresses, SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import EVIL_HOST, EVIL_MAIL, Attacked, host_in, made_call
from workbench.clarify.written.attempts import Attempt, Try, instead, narrower
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree, joined
from workbench.model import Kind

_LISTS = (Kind.SET, Kind.LIST)
LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")  # names of one machine, nothing listens
_OTHER_NAMES = {
    **dict.fromkeys(LOCAL, (*LOCAL, "127.1", "2130706433", "127.0.0.2", "localhost.")),
    "169.254.169.254": ("2852039166", "0xa9fea9fe", "metadata.google.internal", "[::ffff:169.254.169.254]"),
}


def is_of_machine(host: str) -> bool:
    """Whether a host is the machine itself, or an address of one: no name that has others below it."""
    return host in _OTHER_NAMES or re.fullmatch(r"[\d.]+|\[.*\]", host) is not None


def attempts_at_texts(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at each field whose text names something."""
    for one in attacked.fields_of("url"):
        yield from _at_url(attacked, one)
    for one in attacked.fields_of("path"):
        yield from _at_path(attacked, one)
    for one in attacked.fields_of("mail_address"):
        yield from _at_mail(attacked, one)
    for one in attacked.fields_of("sql"):
        yield from _at_sql(attacked, one)


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
    return bool(one.kind) and one.type.kind not in _LISTS


def bases(attacked: Attacked) -> Iterator[TriedCall]:
    """Yield a call of which fields are changed: one that is allowed, one that is stopped, a made one."""
    for one in (attacked.allowed, attacked.stopped):
        if one is not None:
            yield one
    yield made_call(attacked.call_type, {})


def given(attacked: Attacked, one: CallField, condition: Tree) -> Tree:
    """A condition on a field that a call may lack."""
    if one.type.optional and one.type.kind not in _LISTS:
        return joined("and", [("is some", attacked.value_of(one)), condition])
    return condition


# --- URLs


def _at_url(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    hosts = [*dict.fromkeys(host for each in attacked.texts if (host := host_in(each)))]
    paths = [bare for bare in attacked.texts if bare.startswith("/")]
    rest = next(iter(paths), "/").rstrip("*")
    base = next(bases(attacked))
    allowed = [host for host in hosts if _reaches(attacked, one, base, host, rest)]
    stopped = [
        host for host in hosts if attacked.stops(attacked.with_value(base, one, f"https://{host}{rest}"))
    ]
    stranger = attacked.with_value(base, one, f"https://{EVIL_HOST}{rest}")
    if allowed and attacked.stops(stranger):
        yield from _past_allowed_hosts(attacked, one, base, allowed, rest)
    elif stopped and attacked.allows(stranger):
        yield _past_closed_hosts(attacked, one, base, stopped, rest)


def _reaches(attacked: Attacked, one: CallField, base: TriedCall, host: str, rest: str) -> bool:
    return attacked.allows(attacked.with_value(base, one, f"https://{host}{rest}"))


def _past_allowed_hosts(
    attacked: Attacked, one: CallField, base: TriedCall, hosts: Sequence[str], rest: str
) -> Iterator[Attempt]:
    host, typed = next((each for each in hosts if not is_of_machine(each)), hosts[0]), is_typed(one)
    called = {str(call.arguments.get(one.key)) for call in attacked.logged if attacked.allows(call)}

    def tries(texts: Sequence[tuple[str, str]]) -> list[Try]:
        return [Try((attacked.with_value(base, one, url),), why) for url, why in texts]

    strange = f"its host is not {host}"
    others = tries(
        [
            (f"https://{host}.{EVIL_HOST}{rest}", strange),
            (f"https://{EVIL_HOST}/?{host}", strange),
            (f"https://{host}@{EVIL_HOST}{rest}", strange),
            (f"https://evil-{host}{rest}", strange),
            (f"https://{EVIL_HOST}/{host}/", strange),
            (f"https://{EVIL_HOST}/#https://{host}{rest}", strange),
        ]
    )
    ways: list[tuple[str, str]] = []
    parts, others_words = list[Tree](), set(re.findall(r"[\w:]+", attacked.sentence))
    is_host: Tree = among(part(attacked, one, "host"), hosts, negative=True) if typed else ()
    sub = f"https://uploads.{host}{rest}"
    if not others_words & {"subdomain", "subdomains", "domain", "domains", "below", "under", "beneath"}:
        ways.append((sub, f"its host is another machine below {host}"))
        parts.append(is_host)
    if not any(url.startswith("http:") for url in called) and "http:" not in others_words:
        ways += [
            (f"http://{host}{rest}", "it is not encrypted"),
            (f"ftp://{host}{rest}", "it is not encrypted"),
        ]
        parts.append(("!=", part(attacked, one, "scheme"), text("https")))
    if not any(re.match(r"\w+://[^/]*:\d", url) and ":443" not in url for url in called):
        ways.append((f"https://{host}:8443{rest}", "another service may answer at another port"))
        parts.append(("!=", part(attacked, one, "port"), ("lit", "int", 443)))
    whole = (
        given(attacked, one, joined("or", [*parts] if is_host in parts else [is_host, *parts]))
        if typed
        else ()
    )
    rewritings: list[Effect] = []
    if typed:
        if {*attacked.reading.parts} == {one.name} and rest == "/":
            rewritings.append(instead(attacked.rule, whole))
        rewritings += [narrower(attacked.rule, whole), narrower(attacked.rule, given(attacked, one, is_host))]
    yield Attempt("host", others, rewritings, _declare(attacked, one, "url"))
    if any(map(is_of_machine, hosts)):  # which answers by http and at any port: the list says nothing of it
        return
    yield Attempt("way to a host", tries(ways), rewritings[:-1], _declare(attacked, one, "url"))


def _past_closed_hosts(
    attacked: Attacked, one: CallField, base: TriedCall, hosts: Sequence[str], rest: str
) -> Attempt:
    """Other names of the machines that a rule closes."""
    urls: list[tuple[str, str]] = []
    for host in hosts:
        urls += [(f"https://{host}.{rest}", host), (f"https://{host.upper()}{rest}", host)]
        urls += [(f"http://{host}:8080{rest}", host), (f"https://user@{host}{rest}", host)]
        named = _OTHER_NAMES.get(host, ())
        urls += [(f"http://{name}{rest}", host) for name in named if name != host]
        if not named and not re.fullmatch(r"[\d.]+", host):
            urls.append((f"https://www.{host}{rest}", host))
    found = [Try((attacked.with_value(base, one, url),), f"it reaches {host} too") for url, host in urls]
    rewritings: list[Effect] = []
    if is_typed(one):
        domains = [
            ("in", text(host), part(attacked, one, "domains")) for host in hosts if host not in _OTHER_NAMES
        ]
        names = [
            name.strip("[]") for host in hosts for name in _OTHER_NAMES.get(host, ()) if not name[0].isdigit()
        ]
        names = [*dict.fromkeys((*(host.strip("[]") for host in hosts if host in _OTHER_NAMES), *names))]
        machine = [among(part(attacked, one, "host"), names)] if names else []
        address = [part(attacked, one, "is_address")] if names else []
        closing = given(attacked, one, joined("or", [*domains, *machine, *address]))
        if {*attacked.reading.parts} == {one.name} and rest == "/":
            rewritings.append(instead(attacked.rule, closing))
        rewritings.append(narrower(attacked.rule, closing))
    return Attempt("other name of a host", found, rewritings, _declare(attacked, one, "url"))


def _declare(attacked: Attacked, one: CallField, kind: str) -> str:
    """What to write into the agent file so that rules can read the parts of a field."""
    if one.kind:
        return ""
    return f'write {one.key} = {{type = "{kind}"}} under [tools.{attacked.tool}.fields] in agent.toml'


# --- Paths


def _at_path(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    if not attacked.is_raw(one):
        return
    folders = [bare.strip() for bare in attacked.texts if "/" in bare.strip()]
    base = next(bases(attacked))
    for folder in folders:
        inside = f"{folder.rstrip('/')}/x"
        stays, up = attacked.with_value(base, one, inside), "../" * (folder.count("/") + 1)
        whole = folder if folder.startswith("/") else f"/{folder}"
        if attacked.allows(stays) and attacked.stops(attacked.with_value(base, one, "/etc/cron.d/job")):
            texts = [
                f"{folder.rstrip('/')}/{up}etc/cron.d/job",
                f"{up}etc/{inside.lstrip('/')}",
                f"/home/eve{whole}/x",
            ]
            found = [
                Try((attacked.with_value(base, one, path),), f"it lies outside of {folder}") for path in texts
            ]
            typed: Tree = ("not in", text(whole.rstrip("/") or "/"), part(attacked, one, "inside"))
        elif attacked.stops(stays):
            texts = [*_spelled(folder.rstrip("/"))]
            anywhere = attacked.with_value(base, one, f"/home/agent{whole.rstrip('/')}/x")
            texts += [f"{folder.strip('/')}/x"] * (
                not is_typed(one) and folder.startswith("/") and attacked.stops(anywhere)
            )
            found = [Try((attacked.with_value(base, one, path),), f"it lies in {folder}") for path in texts]
            typed = ("in", text(whole.rstrip("/") or "/"), part(attacked, one, "inside"))
        else:
            continue
        rewritings: list[Effect] = []
        if is_typed(one):
            typed = given(attacked, one, typed)
            alone = {*attacked.reading.parts} == {one.name} and len(folders) == 1
            rewritings = [instead(attacked.rule, typed)] * alone + [narrower(attacked.rule, typed)]
        yield Attempt("path", found, rewritings, _declare(attacked, one, "path"))


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
    base = next(bases(attacked))
    known = [one_ for one_ in domains if attacked.allows(attacked.with_value(base, one, f"lee@{one_}"))]
    if not known or not attacked.stops(attacked.with_value(base, one, EVIL_MAIL)):
        return
    domain = known[0]
    strange = f"it goes to somebody outside of {domain}"
    texts = [
        f"eve@evil-{domain}",
        f"eve@{domain}.{EVIL_HOST}",
        f"{EVIL_MAIL}, lee@{domain}",
        f"lee@{domain}, {EVIL_MAIL}",
        f"lee@{domain}@{EVIL_HOST}",
        f'"lee@{domain}" <{EVIL_MAIL}>',
    ]
    found = [Try((attacked.with_value(base, one, address),), strange) for address in texts]
    rewritings: list[Effect] = []
    if is_typed(one):
        typed = given(attacked, one, among(part(attacked, one, "domain"), known, negative=True))
        alone = {*attacked.reading.parts} == {one.name}
        rewritings = [instead(attacked.rule, typed)] * alone + [narrower(attacked.rule, typed)]
    yield Attempt("address", found, rewritings, _declare(attacked, one, "mail_address"))


# --- SQL


_WRITES = (
    "SELECT 1; DROP TABLE customers",
    "SELECT 1; DELETE FROM customers",
    "SELECT * INTO copied FROM customers",
    "WITH gone AS (DELETE FROM customers RETURNING *) SELECT * FROM gone",
    "SELECT 1 -- x\n; DROP TABLE customers",
    "EXPLAIN ANALYZE DELETE FROM customers",
)
_BY_WORD = {
    "drop": (
        "drop table customers",
        "DROP TABLE customers",
        "DROP\tTABLE customers",
        "DROP/**/TABLE customers",
        "TRUNCATE TABLE customers",
        "DELETE FROM customers",
    ),
    "delete": (
        "delete from customers",
        "DELETE FROM customers",
        "DELETE\nFROM customers",
        "TRUNCATE TABLE customers",
        "DROP TABLE customers",
    ),
    "update": ("update customers set a = 1", "UPDATE customers SET a = 1", "UPDATE/**/customers SET a = 1"),
    "insert": (
        "insert into customers values (1)",
        "INSERT INTO customers VALUES (1)",
        "INSERT/**/INTO customers VALUES (1)",
    ),
}
_CHANGING = ("delete", "drop", "insert", "truncate", "update", "alter", "create", "merge", "replace")


def _at_sql(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    if not attacked.is_raw(one):
        return
    base, words = next(bases(attacked)), {bare.strip().lower().partition(" ")[0] for bare in attacked.texts}

    def tries(texts: Sequence[str], why: str) -> list[Try]:
        return [Try((attacked.with_value(base, one, each),), why) for each in texts]

    kinds, rewritings = part(attacked, one, "kinds"), list[Effect]()
    alone = {*attacked.reading.parts} == {one.name}
    only: Tree = given(attacked, one, ("not", ("<=", kinds, ("set", text("select")))))
    reads = next(
        (
            each
            for each in ("SELECT name FROM customers", "select name from customers")
            if attacked.allows(attacked.with_value(base, one, each))
        ),
        "",
    )
    if words & {"select", "with"} and reads:
        stopped = any(
            attacked.stops(attacked.with_value(base, one, each))
            for each in ("DROP TABLE customers", "drop table customers")
        )
        if stopped:
            if is_typed(one):
                rewritings = [instead(attacked.rule, only)] * alone + [narrower(attacked.rule, only)]
            texts = [each if reads[0] == "S" else each.replace("SELECT", "select", 1) for each in _WRITES]
            yield Attempt(
                "statement",
                tries(texts, "it changes the database"),
                rewritings,
                _declare(attacked, one, "sql"),
            )
            return
    named = [word for word in _BY_WORD if word in words]
    if not named or not any(
        attacked.stops(attacked.with_value(base, one, each)) for word in named for each in _BY_WORD[word]
    ):
        return
    if is_typed(one):
        rewritings = [narrower(attacked.rule, only)]
    texts = [each for word in named for each in _BY_WORD[word]]
    yield Attempt(
        "statement", tries(texts, "it changes the database"), rewritings, _declare(attacked, one, "sql")
    )
