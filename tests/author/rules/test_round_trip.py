"""From a meaning to English and back: the sentence has its original meaning, or is asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.author.rules.sentence_corpus import READ, WRONG, CorpusSentence, corpus, judge
from tests.examples import examples
from workbench.author.rules.file_text import annotation, type_name
from workbench.model import AgentSpec, Kind
from workbench.policy.check import check
from workbench.policy.read_aloud import rule_sentence

AGENTS: dict[str, AgentSpec] = {
    corpus_sentence.spec.name: corpus_sentence.spec for corpus_sentence in corpus("domains")
}
DATA, CLINIC = AGENTS["data-agent"], AGENTS["clinic-agent"]
FEW = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])

ROLES = {"analyst": "analysts", "engineer": "engineers", "auditor": "auditors", "marketing": "marketing"}
VERBS = {
    "read": ("reading", "read"),
    "export": ("exporting", "exported"),
    "delete": ("deleting", "deleted"),
    "share": ("sharing", "shared"),
}
SETS = ("customers", "invoices", "receipts", "salaries", "clickstream")
CONDITIONS = {
    "there are more than 100 rows": "rows > 100",
    "there are at most 20 rows": "rows <= 20",
    "there are no more than 30 rows": "rows <= 30",
    "there are up to and including 40 rows": "rows <= 40",
    "there are between 5 and 10 rows": "",
    "there are over 100 rows": "",
    "the region is the EU": "region == 'eu'",
    "the region is the EU or the US": "region in {'eu', 'us'}",
    "the region is neither the EU nor the US": "region == 'apac'",
    "personal columns are masked": "masked",
    "personal columns are not masked": "not masked",
    "the purpose is audit": "purpose == 'audit'",
    "the purpose is not audit": "purpose != 'audit'",
}
# Words that change the meaning of a sentence, or that have no known meaning.
DISTRACTORS = [
    "blue",
    "quarterly",
    "almost",
    "some",
    "most",
    "first",
    "former",
    "fake",
    "rarely",
    "probably",
    "nearly",
    "half",
    "twice",
    "other",
    "temporary",
    "their_own",
]


@dataclass(frozen=True)
class Meant:
    """A sentence and the condition of the dialect under which it denies; empty if a bound is open."""

    text: str
    denies: str

    def sentence(self, text: str = "", spec: AgentSpec = DATA) -> CorpusSentence:
        """The sentence, or another text with its meaning, for the corpus's judge."""
        return CorpusSentence("made", spec, text or self.text, (self.denies,) if self.denies else (), False)


def _some(values: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)


def _listed(words: list[str], joint: str) -> str:
    *before, last = words
    return f"{', '.join(before)} {joint} {last}" if before else last


def _among(argument: str, values: list[str]) -> str:
    return f"{argument} in {{{', '.join(map(repr, values))}}}"


@st.composite
def sentences(draw: st.DrawFn) -> Meant:
    """A rule over roles, actions, data sets and at most one condition, in one of the language's forms."""
    roles = draw(_some(tuple(ROLES)))
    verbs, sets = draw(_some(tuple(VERBS))), draw(_some(SETS))
    joint = draw(st.sampled_from(["and", "or"]))
    condition = draw(st.sampled_from(["", "", *CONDITIONS]))
    who, deed = _among("role", roles), f"{_among('action', verbs)} and {_among('dataset', sets)}"
    people = _listed([ROLES[role] for role in roles], "and")
    either = _listed([ROLES[role] for role in roles], "or")
    objects, acted = _listed(sets, joint), _listed(verbs, "or")
    done = _listed([VERBS[verb][1] for verb in verbs], "or")
    doing = _listed([VERBS[verb][0] for verb in verbs], "or")
    tails = {
        "": "True",
        f" if {condition}": CONDITIONS.get(condition, ""),
        f" unless {condition}": f"not ({CONDITIONS.get(condition)})",
    }
    tail = draw(st.sampled_from([*tails][1:] if condition else [""]))
    held = tails[tail] if condition else "True"
    forms = [
        (f"{people} may not {acted} {objects}", f"{who} and {deed}"),
        (f"{people} must never {acted} {objects}", f"{who} and {deed}"),
        (f"never {acted} {objects}", deed),
        (f"{objects} may not be {done} by {either}", f"{who} and {deed}"),
        (f"{objects} must not be {done}", deed),
        (f"{doing} {objects} is forbidden", deed),
        (f"nobody but {people} may {acted} {objects}", f"not {who} and {deed}"),
        (f"only {people} may {acted} {objects}", f"not {who} and {deed}"),
    ]
    if len(roles) == 2:
        first, second = (ROLES[role] for role in roles)
        forms.append((f"neither {first} nor {second} may {acted} {objects}", f"{who} and {deed}"))
    if len(verbs) == 2:
        forms.append((f"{people} may neither {verbs[0]} nor {verbs[1]} {objects}", f"{who} and {deed}"))
    form, denies = draw(st.sampled_from(forms))
    text = f"{form}{tail}."
    open_ = condition and not CONDITIONS[condition]
    return Meant(text[0].upper() + text[1:], "" if open_ else f"({denies}) and ({held})")


@FEW
@given(sentences())
def test_a_sentence_means_what_it_was_made_of(meant: Meant) -> None:
    judged = judge(meant.sentence())
    assert judged.outcome != WRONG, judged.policy


def test_the_forms_that_the_page_promises_are_read() -> None:
    """The property above would hold of an author that asks about everything."""
    promised = {
        "Analysts may not read or export invoices and receipts.": "role == 'analyst' and"
        " action in {'read', 'export'} and dataset in {'invoices', 'receipts'}",
        "Neither analysts nor marketing may share salaries.": "role in {'analyst', 'marketing'} and"
        " action == 'share' and dataset == 'salaries'",
        "Only auditors may read salaries, and only if the purpose is audit.": "action == 'read' and"
        " dataset == 'salaries' and not (role == 'auditor' and purpose == 'audit')",
        "Never export customers unless personal columns are masked.": "action == 'export' and"
        " dataset == 'customers' and not masked",
    }
    for text, denies in promised.items():
        assert judge(Meant(text, denies).sentence()).outcome == READ, text


@FEW
@example(Meant("Customers may not be read by analysts.", "action == 'read'"), "their_own", 3)
@example(Meant("Invoices must not be exported.", "action == 'export'"), "their_own", 3)
@given(sentences(), st.sampled_from(DISTRACTORS), st.integers(0, 40))
def test_a_word_that_changes_the_meaning_is_asked_about(meant: Meant, word: str, place: int) -> None:
    spaces = [match.start() for match in re.finditer(" ", meant.text)]
    at = spaces[place % len(spaces)]
    text = f"{meant.text[:at]} {word.replace('_', ' ')}{meant.text[at:]}"
    judged = judge(meant.sentence(text))
    assert judged.kinds, f"{text}\n{judged.policy}"


def aloud(denies: str) -> str:
    """The sentence of a rule that denies if a condition of the dialect holds."""
    parameters = ", ".join(f"{argument.name}: {annotation(argument)}" for argument in DATA.arguments)
    names = ", ".join(argument.name for argument in DATA.arguments)
    enums = "\n".join(
        f"{type_name(argument)} = Literal[{', '.join(map(repr, argument.type.values))}]"
        for argument in DATA.arguments
        if argument.type.kind is Kind.ENUM
    )
    terms = check(
        f"from typing import Literal\n\n{enums}\n\n\n"
        f'def forbid_it({parameters}) -> bool:\n    """No."""\n    return {denies}\n\n\n'
        f"def allow({parameters}) -> bool:\n    return not forbid_it({names})\n"
    )
    return rule_sentence(terms.rules[0], terms)


ATOMS = [condition for condition in CONDITIONS.values() if condition]


@st.composite
def built_rules(draw: st.DrawFn) -> str:
    """The condition of a rule that is built without a sentence: actions, then conditions of any shape."""
    acts = _among("action", draw(_some(tuple(VERBS))))
    tests = draw(
        st.lists(st.sampled_from([*ATOMS, "role == 'analyst'", "dataset != 'invoices'"]), max_size=3)
    )
    joint = draw(st.sampled_from([" and ", " or "]))
    either = draw(st.sampled_from(["{}", "not ({})"])).format(joint.join(f"({test})" for test in tests))
    return f"{acts} and ({either})" if tests else acts


@FEW
@given(built_rules())
def test_a_rule_that_is_built_reads_back_as_itself_or_is_asked_about(denies: str) -> None:
    sentence = aloud(denies)
    judged = judge(Meant(sentence, denies).sentence())
    assert judged.outcome != WRONG, f"{sentence}\n{judged.policy}"


def test_most_built_rules_read_back_without_a_question() -> None:
    """Without this, the property above would also hold if no sentence were read."""
    denied = [f"action in {{'read', 'share'}} and ({condition})" for condition in ATOMS]
    read = [judge(Meant(aloud(condition), condition).sentence()).outcome == READ for condition in denied]
    assert all(read), [
        aloud(condition) for condition, is_read in zip(denied, read, strict=True) if not is_read
    ]


@FEW
@given(
    st.integers(0, 23),
    st.integers(0, 23),
    st.sampled_from(["between {} and {}", "from {} to {}", "outside {} to {}"]),
    st.sampled_from(["if it is {}", "{}"]),
)
def test_a_window_of_time_may_pass_midnight(first: int, last: int, window: str, how: str) -> None:
    sentence = how.format(window.format(f"{first}:00", f"{last}:00"))
    low, high = f"now >= time({first}, 0)", f"now <= time({last}, 0)"
    inside = f"({low} {'and' if first <= last else 'or'} {high})"
    outside = window.startswith("outside")
    denies = f"action == 'view_record' and {'not ' if outside else ''}{inside}"
    judged = judge(Meant(f"Never view records {sentence}.", denies).sentence(spec=CLINIC))
    assert judged.outcome != WRONG, judged.policy
