"""How requests are understood: sentences read, troubles found, questions asked.

Run: python benchmarks/clarify.py

The first table covers the corpora of sentences in the manner of published policies
(tests/author/rules/corpus/). The second puts one trouble at a time into the clean requests of the shipped
sessions. In the third, simulated users answer truthfully by a policy that they have in mind.
"""

from __future__ import annotations

import time
from collections import Counter

from tests.author.rules.sentence_corpus import ASKED, CORPORA, READ, WRONG, corpus, judge, outcomes
from tests.clarify.planted_troubles import CLEAN, PLANTED, PUBLISHED
from tests.clarify.simulated_users import AMBIGUOUS, interview
from workbench.author.rules import RulesAuthor
from workbench.clarify import Situation, find_questions
from workbench.model import AgentSpec, Question

SEEDS = 4
AUTHOR = RulesAuthor()


def questions(spec: AgentSpec, request: str) -> tuple[Question, ...]:
    """The questions of a request without any answers."""
    return find_questions(Situation(request, spec, AUTHOR.draft(request, spec, {}), {}, AUTHOR))


def sentences() -> None:
    """Print the reading of the corpora."""
    for name in CORPORA:
        counts = outcomes(name)
        open_ = sum(
            len(corpus_sentence.meanings) != 1 and judge(corpus_sentence).outcome == ASKED
            for corpus_sentence in corpus(name)
        )
        print(f"corpus/{name}.toml: {counts.total()}")
        print(f"  read as meant    {counts[READ]:3}  {100 * counts[READ] / counts.total():.0f} %")
        print(f"  read wrongly     {counts[WRONG]:3}")
        print(f"  asked about      {counts[ASKED]:3}  of which {open_} have no plain meaning")
    every = sum(map(outcomes, CORPORA), start=Counter[str]())
    print(f"all corpora: {every.total()}, {every[READ]} / {every[ASKED]} / {every[WRONG]}")


def troubles() -> None:
    """Print precision and recall on planted troubles and on clean requests."""
    found = missed = other = 0
    for planted in PLANTED:
        kinds = [question.kind for question in questions(planted.spec, planted.request)]
        found += planted.kind in kinds
        missed += planted.kind not in kinds
        other += sum(kind != planted.kind for kind in kinds)
    false = other + sum(len(questions(spec, request)) for spec, request in CLEAN)
    print(f"planted troubles: {len(PLANTED)} of {len({planted.kind for planted in PLANTED})} kinds")
    print(f"  recall           {found / (found + missed):.3f}  ({missed} missed)")
    print(f"  precision        {found / (found + false):.3f}  ({false} questions about nothing planted)")
    own = [
        [question.id for question in questions(spec, request)] == [id_] for spec, request, id_ in PUBLISHED
    ]
    print(f"  published requests whose own flaw is the one question: {sum(own)} of {len(own)}")


def users() -> None:
    """Print the number of simulated users who reach their policy, and the number of questions they answer."""
    every = [interview(spec, request, seed) for spec, request in AMBIGUOUS for seed in range(SEEDS)]
    print(f"simulated users: {len(every)}")
    print(f"  reached an equivalent policy (proved)  {sum(interviewed.reached for interviewed in every)}")
    print(
        f"  questions asked                        {sum(interviewed.question_count for interviewed in every)}"
    )
    print(f"  questions if everything open is asked  {sum(interviewed.blind for interviewed in every)}")
    print(f"  if every bound and conflict is asked   {sum(interviewed.every for interviewed in every)}")


def speed() -> None:
    """Print the time for finding the questions of a long request."""
    lines = [
        *(
            f"Users under {age} may not {deed}."
            for age, deed in ((18, "book a hotel"), (16, "purchase anything"))
        ),
        *("Users over 65 may not book a flight.", "Users above 80 may not rent a car."),
        *(
            "Members may book a hotel.",
            "Members may purchase anything.",
            "Users may apply for a job if they are members.",
        ),
        *("Only vaccinated users may book a flight.", "Users abroad may not search for media."),
        *("Users below 15 may not apply for a job.", "Users over 90 may not purchase anything."),
        *("Unvaccinated users may not book a hotel.", "Users without a driver's licence may not rent a car."),
        *("Users over 70 may not apply for a job.", "Non-members may not apply for a job."),
        *("Users under 12 may not search for media.", "Users above 99 may not book a hotel."),
        *("Vaccinated users may book a flight.", "Never book a flight unless the user is a member."),
        "Residents may book anything.",
    ]
    request = "\n".join(lines)
    from tests.author.specs_for_author import SHOPPING

    started = time.process_time()
    asked_questions = questions(SHOPPING, request)
    spent = time.process_time() - started
    print(f"speed: {len(lines)} sentences, {len(asked_questions)} questions in {spent:.2f} s of CPU")


if __name__ == "__main__":
    sentences()
    troubles()
    users()
    speed()
