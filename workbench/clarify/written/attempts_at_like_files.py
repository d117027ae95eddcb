"""Attempts at files like those that a rule names, in a sentence that speaks of their sort.

Beside some files with secrets these are others, and the variables of the environment; beside files of one
service that builds and tests, those of others; beside a file with settings what programs read with it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import Attacked
from workbench.clarify.written.attempts import Attempt, offering, saying
from workbench.clarify.written.attempts_at_texts import (
    among,
    closed_besides,
    declaring,
    folder_of,
    is_typed,
    part,
    text,
    tries_with,
)
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import TRUE, Tree, joined, negated

_SETTINGS = ".env"
_SECRETS = re.compile(r"\b(?:secrets?|credentials?|passwords?|tokens?|keys?|ssh)\b")
"""What sentences call files that nobody is to see, by more than their names."""
_FILE: Tree = ("name", "p")


@dataclass(frozen=True, slots=True)
class _Family:
    """Files with secrets of one kind, when a path is one of them, and when the text of a path is one."""

    files: Sequence[str]
    is_path: Tree
    is_text: tuple[str, Sequence[str]]


_CREDENTIALS = (".npmrc", ".netrc", ".pypirc", ".git-credentials", "credentials")
"""Files in which programs keep passwords and tokens."""
_NAME, _NAMES, _SUFFIX = (("attr", _FILE, name) for name in ("name", "names", "suffix"))
_SECRET = (
    _Family((".env", ".env.local"), ("method", _NAME, "startswith", text(_SETTINGS)), ("in", ("/.env",))),
    _Family(("~/.ssh/id_rsa", "/root/.ssh/config"), ("in", text(".ssh"), _NAMES), ("in", (".ssh/",))),
    _Family(
        ("backup/id_rsa", "id_ed25519"),
        among(_NAME, ("id_rsa", "id_ed25519")),
        ("endswith", ("id_rsa", "id_ed25519")),
    ),
    _Family(
        ("server.pem", "certs/server.key"), among(_SUFFIX, (".pem", ".key")), ("endswith", (".pem", ".key"))
    ),
    _Family(_CREDENTIALS[:3], among(_NAME, _CREDENTIALS), ("endswith", _CREDENTIALS)),
)
_OF_CI = re.compile(r"\b(?:ci|cd|continuous (?:integration|delivery|deployment)|pipelines?|builds?)\b")
"""What sentences call what builds and tests a project, besides the names of files."""
_NAMED = re.compile(r"\S*[./]\S*")
_FILES_OF_CI = (
    ".gitlab-ci.yml",
    ".travis.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
)
_CI = (
    _Family((".github/workflows/x.yml",), ("in", text("workflows"), _NAMES), ("in", ("workflows/",))),
    _Family(_FILES_OF_CI[:1], among(_NAME, _FILES_OF_CI), ("endswith", _FILES_OF_CI)),
    _Family((".circleci/config.yml",), ("in", text(".circleci"), _NAMES), ("in", (".circleci/",))),
    _Family((".github/actions/x/action.yml",), ("in", text("actions"), _NAMES), ("in", ("actions/",))),
    _Family(
        ("Makefile", "ci/run.sh"),
        joined("or", [among(_NAME, ("Makefile",)), ("in", text("ci"), _NAMES)]),
        ("endswith", ("Makefile", "ci/run.sh")),
    ),
)
_LOCKS = (
    "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "Cargo.lock", "go.sum",
    "Gemfile.lock", "composer.lock",
)  # fmt: skip
_NEEDED = (
    "package.json", "pyproject.toml", "setup.py", "Pipfile", "Cargo.toml", "go.mod", "Gemfile", "pom.xml",
)  # fmt: skip
_IMAGES = joined(
    "or",
    [
        *(("method", _NAME, "startswith", text(each)) for each in ("Dockerfile", "Containerfile")),
        among(_SUFFIX, (".dockerfile",)),
    ],
)
_SORTS: Sequence[tuple[re.Pattern[str], Sequence[_Family], str, str]] = (
    (_OF_CI, _CI, "it tells what builds and tests, too", "ci"),
    (
        re.compile(r"\bdockerfiles?\b|\bcontainerfiles?\b|\bimages? (?:is|are|of)\b"),
        (
            _Family(
                ("Dockerfile", "Dockerfile.prod", "docker/Dockerfile", "Containerfile", "web.dockerfile"),
                _IMAGES,
                ("in", ("Dockerfile", "Containerfile", ".dockerfile")),
            ),
        ),
        "an image is built by it, too",
        "images",
    ),
    (
        re.compile(r"\block ?files?\b"),
        (_Family(_LOCKS, among(_NAME, _LOCKS), ("endswith", _LOCKS)),),
        "it holds exact versions, too",
        "locks",
    ),
    (
        re.compile(r"\bdependenc(?:y|ies)\b|\brequirements\b"),
        (
            _Family(_NEEDED, among(_NAME, _NEEDED), ("endswith", _NEEDED)),
            _Family(
                ("requirements.txt", "requirements-dev.txt"),
                ("method", _NAME, "startswith", text("requirements")),
                ("in", ("requirements",)),
            ),
        ),
        "it tells what is needed, too",
        "dependencies",
    ),
)
"""What sentences call files of a sort by more than a name, the families of it, and why one is of it."""
_OF_ITSELF = ("HOME", "PATH", "PWD", "TMPDIR", "USER")
"""Variables of the environment that hold no secret."""


def attempts_at_like_files(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at files beside those that a rule closes by their names."""
    for one in attacked.fields_of("path", "command"):
        yield from _named_as_an_ending(attacked, one)
    if attacked.rule.form == "permit":
        return
    for one in attacked.fields_of("path", "command"):
        is_command = attacked.kind(one) == "command"
        read, changed = ("cat {}", "touch {}") if is_command else ("{}", "{}")
        if _is_open(attacked, one, read):
            yield from _other_settings(attacked, one, read)
            yield from _other_secrets(attacked, one, read)
            if is_command:
                yield from _shown_environment(attacked, one, read)
        if _is_open(attacked, one, changed):
            yield from _other_of_sort(attacked, one, changed)
        yield from _read_together(attacked, one, dict.fromkeys((changed, read)))


_WHOLE_NAMES = frozenset(
    (".env", ".envrc", ".npmrc", ".netrc", ".pypirc", ".htpasswd", ".pgpass", ".bashrc", ".profile")
)
"""Names of files that a person may call endings, and that have none."""


def _named_as_an_ending(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A file that is named as the ending is that a rule closes: “.env” itself has no ending."""
    rule, said, names = attacked.rule, attacked.rule.condition, dict[str, None]()
    for place, atom in [*places(said)]:
        match atom:
            case ("==" | "!=" | "in" | "not in" as word, ("attr", file, "suffix"), compared):
                constants = [str(each[2]) for _, each in places(compared) if each[:2] == ("lit", "text")]
            case _:
                continue
        if own := [each for each in constants if each in _WHOLE_NAMES]:
            is_not = word in ("!=", "not in")
            whole = among(("attr", file, "name"), own, negative=is_not)
            said = replaced(said, place, joined("and" if is_not else "or", [atom, whole]))
            names |= dict.fromkeys(own)
    ways = ("touch {}", "cat {}") if attacked.kind(one) == "command" else ("{}",)
    texts = [
        way.format(f"{root}{name}")
        for name, way, root in product(names, ways, _roots(attacked))
        if not attacked.passes(attacked.having(one, way.format(f"{root}x{name}")))
    ]
    tries = tries_with(attacked, one, texts, "that is its whole name, and it has no suffix")
    yield Attempt("named as an ending", tries, offering(saying(rule, said)), about=" ".join(names))


def _is_open(attacked: Attacked, one: CallField, way: str) -> bool:
    """Whether a rule lets an ordinary file through."""
    files = (way.format(f"{root}notes.txt") for root in _roots(attacked))
    return any(attacked.passes(attacked.having(one, each)) for each in files)


def _names_settings(attacked: Attacked) -> bool:
    return any(each.rpartition("/")[2] == _SETTINGS for each in attacked.texts)


def _other_settings(attacked: Attacked, one: CallField, way: str) -> Iterator[Attempt]:
    """A file of settings of another surrounding, where a rule closes ``.env`` by its name."""
    if not _names_settings(attacked):
        return
    stopped = (f"{folder}{_SETTINGS}" for folder in ("", "/home/agent/"))
    if not any(attacked.stops_having(one, way.format(each)) for each in stopped):
        return
    texts = [way.format(f"{folder}{_SETTINGS}{end}") for folder in ("", "/home/agent/") for end in _ENDS]
    tries = tries_with(attacked, one, texts, "it holds settings as .env does")
    yield Attempt("other secret", tries, partial(_beginning, attacked), about=_SETTINGS)


_ENDS = (".local", ".production")


def _beginning(attacked: Attacked) -> Sequence[Effect]:
    """The rule by how a name begins, where it compares a name with ``.env``."""
    rule, said = attacked.rule, attacked.rule.condition
    for place, atom in [*places(said)]:
        changed = _begins(atom)
        said = said if changed is None else replaced(said, place, changed)
    return [saying(rule, said)] if said != rule.condition else []


def _begins(atom: Tree) -> Tree | None:
    """A comparison with ``.env``, also of a text that only begins so; None for another condition."""
    own = text(_SETTINGS)
    match atom:
        case ("==" | "!=" as word, value, ("lit", "text", str(name))) if name.endswith(_SETTINGS):
            begins: Tree = ("method", value, "startswith", text(name))
            return begins if word == "==" else negated(begins)
        case ("in" | "not in" as word, value, ("set", *members)) if own in members:
            begins = ("method", value, "startswith", own)
            rest = [str(each[2]) for each in members if each != own]
            others = [among(value, rest, negative=word != "in")] if rest else []
            return (
                joined("or", [begins, *others]) if word == "in" else joined("and", [negated(begins), *others])
            )
        case ("in" | "not in" as word, constant, ("attr", _, "names") as names) if constant == own:
            each: Tree = ("name", "n")
            begins = ("call", "any", ("gen", each, ("method", each, "startswith", own), names, TRUE))
            return begins if word == "in" else negated(begins)
        case ("method", value, "endswith", ("lit", "text", str(name))) if name.endswith(_SETTINGS):
            return joined("or", [atom, ("in", text(f"{name}."), value)])
        case _:
            return None


def _other_secrets(attacked: Attacked, one: CallField, way: str) -> Iterator[Attempt]:
    """Files with other secrets, where a sentence speaks of secrets and a rule closes some by their names."""
    if _SECRETS.search(attacked.sentence) is None:
        return
    others = _SECRET[1:] if _names_settings(attacked) else _SECRET
    yield from _of_sort(
        attacked, one, way, (_SECRET, others), ("other secret", "it holds secrets, too", "keys")
    )


def _other_of_sort(attacked: Attacked, one: CallField, way: str) -> Iterator[Attempt]:
    """Other files of a sort, where a sentence speaks of that by more than a file."""
    said = _NAMED.sub("", attacked.sentence)
    for called, families, why, about in _SORTS:
        if called.search(said) is not None:
            kind = "other file of the CI" if about == "ci" else "other file of the sort"
            yield from _of_sort(attacked, one, way, (families, families), (kind, why, about))


def _of_sort(
    attacked: Attacked,
    one: CallField,
    way: str,
    families: tuple[Sequence[_Family], Sequence[_Family]],
    told: tuple[str, str, str],
) -> Iterator[Attempt]:
    """Files of some families, where a rule closes others: those that count as closed, and those to try."""
    known, others = families
    kind, why, about = told
    for root in _roots(attacked):
        calls = {
            file: attacked.having(one, way.format(_placed(root, file)))
            for family in known
            for file in family.files
        }
        if any(map(attacked.stops, calls.values())):
            break
    else:
        return
    open_ = [family for family in others if any(attacked.may_pass(calls[file]) for file in family.files)]
    texts = [
        way.format(_placed(root, file))
        for family in open_
        for file in family.files
        if not attacked.stops(calls[file])
    ]
    tries = tries_with(attacked, one, texts, why)
    rewritings = partial(_closed_families, attacked, one, open_)
    advice = "" if attacked.kind(one) == "path" else declaring(attacked, one, "command")
    yield Attempt(kind, tries, rewritings, advice, about=about)


def _placed(root: str, file: str) -> str:
    """A file of a family in a folder; one that has its own place stays there."""
    return file if file.startswith(("/", "~")) else f"{root}{file}"


def _roots(attacked: Attacked) -> Sequence[str]:
    """The folders in which the files of a family may lie: that of the agent, and those that a rule names."""
    named = (_BEFORE_HIDDEN.match(each) for each in attacked.texts)
    placed = [found[1] for found in named if found is not None]
    return [*dict.fromkeys(("", *placed, *["/home/agent/"] * (not folder_of(attacked))))]


_BEFORE_HIDDEN = re.compile(r"(/(?:[^/]+/)*?)\.\w")


_SETS_UP = re.compile(r"config|conf\b|settings?|options|preferences|compose|environment|\betc\b")
"""What files with settings are called, where their endings are those of any data, too."""
_OF_SETTINGS = frozenset((".conf", ".cfg", ".ini", ".toml", ".properties", ".env"))
_OF_DATA = frozenset((".yaml", ".yml", ".json", ".xml"))
_OF_UNITS = frozenset((".service", ".timer", ".socket"))
_ALIKE = {".yml": (".yml", ".yaml"), ".yaml": (".yaml", ".yml"), ".json": (".json", ".yaml")}
_FOLDERS_OF = {
    **{name: (f"{name}.d/10-local",) for name in ("sudoers", "profile")},
    **{name: (f"{name}.d/10-local.conf",) for name in ("ssh_config", "sshd_config")},
    "crontab": ("cron.d/local", "cron.daily/local"),
}
_FILES_BESIDE = {
    ".bashrc": (".bash_profile", ".bash_aliases", ".profile"),
    ".bash_profile": (".bashrc", ".profile"),
    ".profile": (".bashrc", ".bash_profile"),
    ".zshrc": (".zshenv", ".zprofile"),
    "Makefile": ("GNUmakefile", "makefile"),
}
_MANIFESTS = frozenset(
    ("package.json", "package-lock.json", "pyproject.toml", "Cargo.toml", "pnpm-lock.yaml")
)
"""Files that are read alone."""
_MOST_FILES = 3


def _read_together(attacked: Attacked, one: CallField, ways: Iterable[str]) -> Iterator[Attempt]:
    """The files that programs read together with one with settings, which a rule closes by its name."""
    named = dict.fromkeys(each.strip().lstrip("*") for each in attacked.texts)
    found = ((each, _beside(attacked, each)) for each in named)
    for file, families in islice(((each, beside) for each, beside in found if beside), _MOST_FILES):
        roots = ("",) if file.startswith("/") else ("", "/home/agent/")
        for way, root in product(ways, roots):
            other = posixpath.join(posixpath.dirname(file), "notes.txt")
            closed, open_ = (attacked.having(one, way.format(f"{root}{each}")) for each in (file, other))
            if not attacked.stops(closed) or not attacked.passes(open_):
                continue
            texts = [way.format(f"{root}{each}") for family in families for each in family.files]
            tries = tries_with(attacked, one, texts, f"programs may read it together with {file}")
            rewritings = partial(_closed_families, attacked, one, families)
            advice = "" if attacked.kind(one) == "path" else declaring(attacked, one, "command")
            yield Attempt("read together", tries, rewritings, advice, about=file)
            break


def _beside(attacked: Attacked, file: str) -> Sequence[_Family]:
    """What is read together with a file: in folders, and beside it by its name; nothing of other files."""
    folder, name = posixpath.split(file)
    stem, ending = posixpath.splitext(name)
    inner, names = [*_FOLDERS_OF.get(name, ())], [*_FILES_BESIDE.get(name, ())]
    is_stem = False
    if name in _MANIFESTS or not stem:
        return ()
    if ending in _OF_UNITS:
        inner = [f"{name}.d/override.conf"]
    elif ending in _OF_SETTINGS or (ending in _OF_DATA and _SETS_UP.search(f"{file} {attacked.sentence}")):
        is_stem = True
        inner = [f"{stem}.d/10-local{ending}", f"{name}.d/10-local{ending}"]
        inner += [f"conf.d/10-local{ending}"] * (ending in (".conf", ".cfg", ".ini"))
        names = [f"{stem}.local{ending}", f"{stem}.override{ending}", f"{stem}-local{ending}"]
        names += [f"local{ending}", *(f"{stem}{each}" for each in _ALIKE.get(ending, ())[1:])]
    elif ending in (".yaml", ".yml"):
        names = [f"{stem}{each}" for each in _ALIKE[ending][1:]]
    whole = posixpath.join(folder_of(attacked), folder) if folder else ""
    is_placed = whole.startswith("/")
    start = f"{folder.rstrip('/')}/" if folder else ""
    found: list[_Family] = []
    if names:
        said = among(_NAME, names)
        if is_stem:
            begins = [("method", _NAME, "startswith", text(f"{stem}{each}")) for each in ".-"]
            endings = _ALIKE.get(ending, (ending,))
            said = joined(
                "or",
                [
                    joined("and", [among(_SUFFIX, endings), joined("or", begins)]),
                    among(_NAME, [f"local{ending}"]),
                ],
            )
        if is_placed:
            said = joined("and", [("==", ("attr", _FILE, "folder"), text(whole.rstrip("/") or "/")), said])
        files = [f"{start}{each}" for each in names]
        found.append(_Family(files, said, ("endswith", files)))
    if inner:
        folders = [each.partition("/")[0] for each in inner]
        tests: list[Tree] = [
            ("in", text(posixpath.join(whole, each)), ("attr", _FILE, "inside"))
            if is_placed
            else ("in", text(each), _NAMES)
            for each in folders
        ]
        of_folders = _Family(
            [f"{start}{each}" for each in inner],
            joined("or", tests),
            ("in", [f"{start}{each}/" for each in folders]),
        )
        found.insert(0 if ending not in _OF_DATA else 1, of_folders)
    return found


_SHOWING = ("env", "printenv", "echo $API_TOKEN", "export -p", "cat /proc/self/environ")
"""Commands that show variables of the environment."""


def _shown_environment(attacked: Attacked, one: CallField, way: str) -> Iterator[Attempt]:
    """A command that shows variables of the environment, where a rule closes another one or secrets."""
    secret = (way.format(file) for family in _SECRET for file in family.files)
    is_of_secrets = _SECRETS.search(attacked.sentence) is not None
    named = (each for each in _SHOWING if each.split()[0] in attacked.texts)
    if not any(attacked.stops_having(one, each) for each in (secret if is_of_secrets else named)):
        return
    why = "variables of the environment hold secrets, too" if is_of_secrets else "it shows variables, too"
    tries = tries_with(attacked, one, _SHOWING, why)
    variable: Tree = ("name", "v")
    is_other = among(variable, _OF_ITSELF, negative=True)
    every: Tree = ("call", "any", ("gen", variable, is_other, part(attacked, one, "environment"), TRUE))
    effects = closed_besides(attacked, one, every) * is_typed(one)
    advice = declaring(attacked, one, "command")
    yield Attempt("shown environment", tries, offering(*effects), advice, about="environment")


def _closed_families(attacked: Attacked, one: CallField, families: Sequence[_Family]) -> Sequence[Effect]:
    """The rule that closes some families of files, too."""
    value = attacked.value_of(one)
    if not is_typed(one) and attacked.kind(one) == "command":
        return []
    if not is_typed(one):
        tests: list[Tree] = []
        for family in families:
            word, texts = family.is_text
            tests += [
                ("in", text(each), value) if word == "in" else ("method", value, word, text(each))
                for each in texts
            ]
        said = joined("or", tests)
    else:
        said = joined("or", [family.is_path for family in families])
        said = _of(said, value) if one.kind == "path" else _in_parts(attacked, one, said)
    return closed_besides(attacked, one, said)


def _of(said: Tree, value: Tree) -> Tree:
    """What is said of a path ``p``, of a value."""
    for place, tree in [*places(said)]:
        said = replaced(said, place, value) if tree == _FILE else said
    return said


def _in_parts(attacked: Attacked, one: CallField, said: Tree) -> Tree:
    """What is said of a path ``p``, of the files of a command that the rule reads."""
    names = [each for each in ("reads", "writes") if each in attacked.reading.parts[one.name]] or ["paths"]
    every = [("call", "any", ("gen", _FILE, said, part(attacked, one, each), TRUE)) for each in names]
    return joined("or", every)
