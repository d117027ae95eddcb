"""The grammar names the parts of everyday sentences; no part has a word of duty besides those of the form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.author.rules.test_modal_words import samples
from workbench.author.rules.everyday_sentences import everyday_sentence, restriction

RESTRICTIONS = {
    "A refund may be issued only once the identity was verified": (
        "A refund may not be issued",
        "once the identity was verified",
    ),
    "Users are allowed to send mail only to colleagues": ("Users may not send mail", "to colleagues"),
    "Films can only be lent to readers from 16": ("Films may not be lent", "to readers from 16"),
    "A line is only suspended when its bill is overdue": (
        "A line may not be suspended",
        "when its bill is overdue",
    ),
    "Viewing records is only possible between 9:00 and 17:00": (
        "Viewing records is forbidden",
        "between 9:00 and 17:00",
    ),
    "Payments above 1,000 EUR are allowed only for managers": (
        "Payments above 1,000 EUR is forbidden",
        "for managers",
    ),
    "Hiring a boat always needs a calm lake": ("Hiring a boat is forbidden", "needs a calm lake"),
    "Guests that are able to pay require no longer than a day": None,
    "Renew a loan only once the member agreed": ("never Renew a loan", "once the member agreed"),
    "Open notes only in the read-only mode": None,
    "Notes may be opened only in the read-only mode": ("Notes may not be opened", "in the read-only mode"),
    "Loans may be extended only if the user is able to pay": (
        "Loans may not be extended",
        "if the user is able to pay",
    ),
    'Users may search "a, b; c" only with a licence': ('Users may not search "a, b; c"', "with a licence"),
}


@pytest.mark.parametrize("text", RESTRICTIONS)
def test_a_restriction_is_a_prohibition_and_the_condition_that_lifts_it(text: str) -> None:
    restricted = restriction(text)
    assert (restricted and (restricted.prohibition, restricted.condition)) == RESTRICTIONS[text]


@pytest.mark.parametrize(
    "text",
    [
        "Emails may not be sent only to colleagues",
        "Users who may pay refund only if the manager agreed",
        "Refunds may only be made only if the manager agreed",
        "Lockers do not need a calm lake",
        "Refunds need no approval",
        "Refunds need to be approved",
        "Boats may be hired only if it is sunny, and lockers are free",
        "For guests under 16, boats may be hired only with a parent",
        "Loans can be renewed only once",
        "Loans can be renewed only",
        "Boats may be hired only if it is sunny but lockers always",
        "Boats",
        "",
    ],
)
def test_a_second_statement_or_another_duty_is_no_restriction(text: str) -> None:
    assert restriction(text) is None


@pytest.mark.parametrize(
    "words",
    [
        *samples("MODAL_VERBS"),
        *samples("REMOTE_MODAL_VERBS"),
        *samples("DEMANDING_VERBS"),
        *samples("RESTRICTIONS"),
        *samples("ALLOWING"),
        *samples("FORBIDDING"),
        *(word for word in samples("NEGATIONS") if word not in ("not", "no", "without")),
        *("do not", "does not", "is not", "are not"),
    ],
)
def test_a_word_of_duty_in_the_subject_or_the_condition_states_more_than_a_restriction(words: str) -> None:
    assert restriction(f"A boat {words} here may be hired only if the lake is calm") is None
    assert restriction(f"A boat may be hired only if the lake {words} calm") is None
    assert restriction(f"Hire boats only if the lake {words} calm") is None


_WORDS = (
    *("the", "boat", "hire_boat", "9:00", "5,000", "EUR", '"a, b"', "(late)", "no", "%", "`x`", "a/b", "who"),
    *("was", "under", "10%", "user's", "x@example.com", "and", "or", "is", "be", "–", "need-based"),
)
_PHRASES = st.lists(st.sampled_from(_WORDS), min_size=2, max_size=6).map(" ".join)
_FORMS = (
    *("{} may {} only if {}", "{} can only be hired {} {}", "{} are only allowed {} {}", "{} needs a {} {}"),
    "{} {} only once {}",
)


@given(st.sampled_from(_FORMS), _PHRASES, _PHRASES, _PHRASES)
def test_a_restriction_drops_no_word_of_its_parts(form: str, subject: str, deed: str, condition: str) -> None:
    restricted = restriction(form.format(subject, deed, condition))
    if restricted is not None:
        rest_of_sentence = f"{restricted.prohibition} {restricted.condition}".split()
        assert {*subject.split(), *deed.split(), *condition.split()} <= {*rest_of_sentence}


@pytest.mark.parametrize(
    ("form", "text", "parts"),
    [
        (
            "done_to",
            "The books may never be lent, or sold",
            ("thing: books", "modal: may never", "verb: lent"),
        ),
        ("does", "Our members may look up books", ("verb: look", "modal: may", "rest: books")),
        ("does", "The agent may issue at most 3 fines", ("verb: issue", "rest: at most 3 fines")),
        ("commanded", "Please do not hand out books", ("verb: hand", "rest: books")),
        ("none_of", "No meetings before 9:00", ("thing: meetings",)),
        ("bounded", "A meeting may not be longer than 2 hours", ("thing: meeting", "number: 2 hours")),
        ("bounded", "Fees can only cost up to €1,000.50", ("thing: Fees", "verb: cost", "number: €1,000.50")),
        ("only_who", "Only a nurse may see what it needs", ("person: a nurse", "act: see what it needs")),
        ("only_by", "Fees may only be waived by librarians", ("matter: Fees", "person: librarians")),
        ("only_for", "Films are only for adults", ("matter: Films", "person: adults")),
        (
            "needed",
            "Refunds, if any, need my approval",
            ("whatever: Refunds, if any,", "consent: my approval"),
        ),
        ("asked", "Always ask first before it pays", ("asked_person: ", "asked_for: ", "act: it pays")),
        ("asked", "Ask a nurse for an ok before you leave", ("asked_person: a nurse", "asked_for: an ok")),
    ],
)
def test_a_form_names_its_parts(form: str, text: str, parts: tuple[str, ...]) -> None:
    sentence = everyday_sentence(text, form)
    assert sentence is not None
    for part in parts:
        name, _, words = part.partition(": ")
        assert sentence.part(name) == words


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("done_to", "Books may not only be lent"),
        ("does", "Members may only lend books"),
        ("only_who", "Only librarians may not waive fees"),
        ("only_who", "Only librarians may waive fees, and fines"),
        ("only_by", "Books have access only to be lent by librarians"),
        ("needed", "Refunds need approval, always"),
        ("asked", "Never ask before waiving fees"),
        ("bounded", "A meeting may not be longer than expected"),
    ],
)
def test_other_sentences_are_not_of_a_form(form: str, text: str) -> None:
    assert everyday_sentence(text, form) is None
