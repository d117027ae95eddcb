"""The parts of a foreign sentence that may state a rule alone: without reasons, and clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.tokens import NUMBERS
from workbench.language.foreign_limits import with_limit, with_other_side, without_formalities
from workbench.language.vocabulary import words_named

_FEWEST_WORDS = 3
_MOST_CLAUSES = 6
_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_END = re.compile(
    r"(?<=[.!?;])\s+|\s+[—–-]+\s+|,\s+(?=(?:while|but(?!\s+(?:not\s+(?!if\b|when\b)|no\s|only\s|at\s))|whereas|though|although|therefore|hence|thus)\b)|\s+(?:and|but)\s+(?=never\b)"
    r"|,\s+(?=[^,]*\b(?:may|must|can|should)\s+not[\s.!]*$)"
    r"|,\s+(?=(?:and\s+)?\d[^,;]{0,20}\s+(?:is|are)\s+the\s+(?:limit|max|maximum|minimum|cap|ceiling)\b)"
    r"|,\s+(?=of\s+which\b)|,\s+and\s+(?=only\s+(?:with|after)\b)"
    r"|,\s+(?=(?:those|(?:all\s+)?others?|everything\s+else|the\s+rest)\b)"
    r"|(?<!not),?\s+(?<!not, )and\s+(?=(?:must|may|need|needs|has\s+to|have\s+to|should|cannot|can)\b)"
)
_SECOND = re.compile(
    r"\s+and\s+(?=(?:must|may|can|should|shall)\s+not\b|cannot\b|can't\b|mustn't\b)", re.IGNORECASE
)
_LIMITED = re.compile(r"\b(?:is|are)\s+(?:limited|restricted|confined|capped)\b", re.IGNORECASE)
_COMMA = re.compile(r",\s+(?:but\s+|and\s+)?")
_LISTED = re.compile(r",\s+(?:but\s+|and\s+)?(?=(?P<noun>[a-z]{4,}))")
_FREED = (
    r"(?:is|are)\s+(?:always\s+)?(?:fine|ok|okay|all\s+right|allowed|permitted|free|possible|"
    r"no\s+problem|exempt|excepted)"
)
ELLIPTIC = re.compile(
    rf"\b(?:(?:do|does)(?:\s+not|n't|n’t)?|must(?:\s+be)?|(?:need|may)\s+not(?:\s+be)?|{_FREED})[\s.!]*$",
    re.IGNORECASE,
)
"""What leaves out the verb at the end of a clause: "letters to Rome do not", "cheaper ones are fine"."""
_SUBORDINATE = re.compile(
    r"(?:if|when|whenever|unless|except|for|with|without|in|on|at|to|from|after|before|once|as|while|until|only|even|"
    r"provided|because|since|although|though)\b",
    re.IGNORECASE,
)
"""What stands before a comma and is said of what follows."""
_MOST_ELLIPTIC = 6
_TWO = re.compile(r"[^,]\s+and\s+never\b")
"""What says how a thing is, and how it never is: each is a rule, and both together would be neither."""
_REASON = re.compile(
    r"(?:(?:,|\s[—–-]|;)\s+(?:"
    + "|".join(re.escape(one) for one in sorted(words_named("reasons"), key=len, reverse=True))
    + r")|\s+because)\b[^;]*",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:because|as(?!\s+(?:long|soon|far|many|much|few|little|well)\b)|since|given that|considering that)"
    r"\s[^,;]*,\s+(?=\S)",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"(?:and|but|while|whereas|though|although|so|please|also|therefore|hence|thus)\s+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, where it begins, and whether only a reason is left out beside it."""

    text: str
    start: int
    whole: bool


_SO = re.compile(
    r",\s+(?:and\s+)?(?:so|therefore|hence|thus)\s+(?=(?:[\w']+\s+){1,3}?(?:can't|cannot|can\s+not|may\s+not|must|mustn't|"
    r"shall\s+not|should\s+not|are\s+not\s+allowed|is\s+not\s+allowed)\b)",
    re.IGNORECASE,
)
"""What stands before what follows from a reason, and forbids something."""


def clauses(text: str) -> Iterator[Clause]:
    """Yield the sentence itself, without its reasons, and each of its clauses, where they are others."""
    seen: set[tuple[int, str]] = set()
    so = _SO.search(text)
    main = ForeignSentence(text[: so.start()]).norm if so is not None else None
    if so is not None and main is not None and main.cue is Cue.PERMIT:
        return  # "they need no key, so they can't open it" permits nothing
    whole = (
        () if _TWO.search(text) or _says_two(text) else (Clause(text, 0, whole=True), *_without_reasons(text))
    )
    for one in (*whole, *_parts(text)):
        is_short = len(one.text.split()) < _FEWEST_WORDS and not one.text.startswith("never ")
        if (one.start, one.text) not in seen and not is_short:
            seen.add((one.start, one.text))
            yield one
    if not seen:
        yield Clause(text, 0, whole=True)


_NEAR = r"(?:through|by|with|via|using|on|in|from|to|at|under|below|inside|within)"
_BY = r"(by|to|for|with|in|from|at|on)"
_LIMIT = r"(?:more|longer|less|fewer|later|earlier|above|over|below|under|beyond)"
_NEED = r"(?:must|has\s+to|have\s+to|needs\s+to|need\s+to)"
_FINE = r"(allowed|permitted|possible|fine|okay|ok)"
_CONTRAST = r"(?:not|never)\s+(?:otherwise|elsewhere|in\s+any\s+other\s+way|by\s+any\s+other\s+means)"
"""What says at the end of a sentence that what it said is all."""
_FIGURE = (
    r"\d[\d.,]*(?:\s*%)?(?:\s+(?:percent|euros?|EUR|dollars?|USD|pounds?|GBP|CHF|[kKMG]B|"
    r"hours?|days?|minutes?|weeks?|months?))?"
)
_COUNT = rf"(?:\d+|{'|'.join(NUMBERS)})"
_ROOM = r"(?:has|have|allows?|holds?|takes?|permits?|bears?|offers?|provides?|contains?)"
_VERB = r"(?:does|do|is|are|may|can|must|should|has|have)"
_WHICH = r"(?:the|all|every|each|an?|both|its|our|your)"
_TIMES = {"third": "two", "fourth": "three", "fifth": "four", "sixth": "five"}
"""How often something was done before it is done one time more."""


def _with_one_no(found: re.Match[str]) -> str:
    return found.group(1) + re.sub(r"\bno\s+", "", found.group(2), flags=re.IGNORECASE)


_REWRITINGS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"(?<=[\w:]\s)(no\s+[\w-]+)((?:(?:,|,?\s+(?:and|or))\s+no\s+[\w-]+)+)", _with_one_no),
    (r"^(no\s+[^,;.:]+?)((?:,\s+no\s+[^,;.:]+?)*,?\s+(?:and|or)\s+no\s+(?=\w))", _with_one_no),
    (r",?\s+(?:but|and)\s+(?:not|never)\s+an?\s+\w+\s+time(?=[\s.!;]*$)", ""),
    (
        rf"\ba\s+({'|'.join(_TIMES)})\s+time\b",
        lambda found: f"more than {_TIMES[found.group(1).casefold()]} times",
    ),
    (r"\bbetween\s+(?:two|any\s+two)\s+(?=\w+s\b)(\w+?)s\b", r"since the last \1"),
    (r",?\s+\(?(?:i\.e\.|viz\.),?\s+", ", that is "),
    (r"\be\.g\.,?\s+", "such as "),
    (r"\b(?:prior|previous|previously)\s+to\b", "before"),
    (r"\b(?:subsequent|subsequently)\s+to\b", "after"),
    (r"\b(I|we|you|they)['’]ve\b", r"\1 have"),
    (r"\b(that|which|who)['’]s\b(?!\s+it\b)", r"\1 is"),
    (r"\b((?:that|which|who)\s+(?:is|are))\s+(?:merely|only|just|simply)\s+(?=an?\b)", r"\1 "),
    (
        r"^((?:the\s+)?[\w-]+s)\s+(?=(?:may|can|must|should|shall)\b)(.+?[,;]\s+(?:but\s+|and\s+)?)they(?=\s+(?:may|can|must|should|shall)\b)",
        r"\1 \2\1",
    ),
    (rf"\b({_COUNT})\s+(?:different|distinct|separate)(?=\s+\w+s\b)", r"\1"),
    (
        rf"(?-i:(?<!from )(?<!between )(?<!up )\b((?i:{_COUNT}))\s+(?:to|[-–])\s+((?i:{_COUNT}))"
        r"(?=\s+[a-z])(?!\s+(?:h|hrs?|[ap]\.?m|o.clock)\b))",
        r"between \1 and \2",
    ),
    (r"\b(must|should|shall|have\s+to|has\s+to)\s+add\s+up\s+to\s+(?=\d)", r"\1 in total be exactly "),
    (r"\badds?\s+up\s+to\s+(?=\d)", "in total is exactly "),
    (
        r"(?:\bfrom\s+)?(?<!between )\b(\d{1,2}:\d\d)\s*(?:to|till|until|[-–])\s*(\d{1,2}:\d\d)",
        r"between \1 and \2",
    ),
    (
        rf"^(?!nobody\b|no\s+one\b)(.*?)\b(?:of\s+)?(?:up\s+to|until|under|below)\s+({_FIGURE})(?![\w.])[^,;—–]*?[,;—–-]\s+(?:and\s+|but\s+)?"
        r"(?:(?:anything|everything|all|whatever\s+is|what\s+is|those|the\s+rest)\s+)?"
        r"(?:(?:above|over|beyond)(?:\s+(?:that|this|it))?|(?:more|higher|larger|bigger)(?:\s+than\s+(?:that|this))?(?:\s+ones)?)"
        r",?\s+(?!than\b|and\b|or\b|that\b|this\b|it\b)(?=\w+\s+\w)",
        r"\1over \2, ",
    ),
    (
        r"(?<=\w\s)(?:I|we)\s+(?:want|need|have|wish|(?:would|['’]d)\s+like)\s+to\s+(?:okay|ok|approve|confirm|agree\s+to)"
        r"(?:\s+(?:it|them|that|those))?(?:\s+(?:first|beforehand|myself|ourselves))?(?=\s*(?:[.;,!]|$))",
        "need my approval",
    ),
    (r",\s+([^,;]+?)\s+only(?=[\s.!]*$)", r", only \1"),
    (
        r"\b(?:only\s+)?after\s+(?=I\s+(?:have\s+)?(?:said|agreed|approved|confirmed|okayed|seen)\b)",
        "only if ",
    ),
    (
        r",\s+(?:with\s+)?((?:[\w-]+\s+){1,3}?)(?:(?:is|are|being)\s+)?(?:excepted|excluded|exempted|exempt|aside|apart)"
        r"(?:\s+(?:obviously|naturally|only))?(?=[\s.!]*$)",
        r" except \1",
    ),
    (
        rf"^(.+?)\s+(is|are)\s+{_FINE}[,;]\s+(?:and\s+|but\s+)?(?:all\s+|any\s+)?others?\s+(?:is|are)\s+not(?=[\s.!]*$)",
        r"only \1 \2 \3",
    ),
    (
        r"\b(gets?|has|have|receives?)\s+([^,;]{1,60}?)\s+(?:and|but)\s+nothing\s+(?:more|else|beyond(?:\s+that)?)\b",
        r"\1 only \2",
    ),
    (
        rf"^(.+?)\s+({_VERB}(?:n't|n’t|\s*not)\b.*?),?\s+(?:(?:and|nor)\s+)?(?:neither|nor)\s+{_VERB}\s+(?!those\b)(.+?)(?=[\s.!]*$)",
        r"\1 or \3 \2",
    ),
    (
        r"((?:n't|n’t|\bnot|\bnever|\bno)\b.*?)(?:,\s+(?:so|and|hence)\s+)?\bno\s+(“[^”]*”)\s+(?:and|or|nor)\s+(?:no\s+)?(“[^”]*”)",
        r"\1: \2 or \3",
    ),
    (
        r"^((?:until|from|after|before|since|between|on)\s[^,;]*?\b\d{4}),?\s+(no\s+[^,;]+?)(?=[\s.!]*$)",
        r"\2 \1",
    ),
    (r"(?<=\w)\s+as\s+well\s+as\s+", " and "),
    (rf"\b(?:{_NEED}|should|ought\s+to|will)\s+be\s+(?=(?:enough|plenty|sufficient)\b)", "is "),
    (r"\b(?:is|are)\s+the\s+(?:very\s+)?end(?:\s+of\s+it)?\b", "is the limit"),
    (r"\b(?:ends?|stops?|tops?\s+out)\s+at\s+(?=\d)", "is at most "),
    (
        r"(?-i:\bI\s+(?:(?:always|first|also|must|want|need|have|should|would|like|to)\s+)+(?:see|check|look\s+at|review|read|know\s+about|hear\s+about|"
        r"approve|agree(?:\s+to|\s+with)?|confirm|decide(?:\s+on)?|say\s+yes(?:\s+to)?)\b)",
        "I approve",
    ),
    (
        r"\s*[:,–—-]\s*(?:please\s+)?(?:always\s+)?ask(?:\s+me|\s+us)?(?:\s+first|\s+beforehand)?(?=[\s.!]*$)",
        " needs approval",
    ),
    (r"\b(?:is|are)\s+(?:always\s+)?decided\s+(?:up)?on?\s*by\s+(?=a\s+(?:human|person))", "is decided by "),
    (
        r"\b(?:is|are)\s+(?:kept|retained|preserved)\s+(?:for\s?ever|for\s+good|permanently|indefinitely)\b",
        "must never be deleted",
    ),
    (r"\b(?:is|are)\s+(?:read-only|immutable|unchangeable|unalterable)\b", "must never be changed"),
    (r"\b(?:is|are)\s+non-?(\w+)able\b", r"must never be \1ed"),
    (
        r"\b(to|at|in|from|for|by|on|with|into)\s+no\s+(\w+)\s+(?:but|other\s+than|except(?:\s+for)?|apart\s+from)\s+"
        r"(?:the\s+)?(?:ones?|those)\b",
        r"only \1 the \2",
    ),
    (
        r"^(?:please\s+)?(?:(?:it\s+is|it's)\s+(?:clear|understood|our\s+(?:rule|policy|custom))|it\s+goes\s+without\s+saying|"
        r"(?:bear|keep|have)\s+in\s+mind|note|mind|remember|be\s+aware|we\s+(?:insist|hold|want|expect)|"
        r"(?:our|the)\s+(?:rule|policy|principle)\s+is)\s+that\s+",
        "",
    ),
    (
        r"^it\s+is\s+(?:necessary|required|mandatory|compulsory|essential|important)\s+that\s+(.+?)\s+(?:has|have)\s+",
        r"\1 must have ",
    ),
    (
        rf"^(.*\b(?:may|can|fine|ok|okay|allowed|permitted)\b.*),\s+(?:and\s+|but\s+)?{_CONTRAST}(?=[\s.]*$)",
        r"\1 and nowhere else",
    ),
    (rf",\s+(?:and\s+|but\s+)?{_CONTRAST}(?=[\s.]*$)", ""),
    (r"(\w+)\s+or\s+not\s+at\s+all\b", r"only \1"),
    (rf"\bbut\s+(not|never)\s+(?:for|to|on|in|with|at|by|of|from)\s+(?={_LIMIT}\b)", r"but \1 "),
    (rf"^it(?:'s|’s|\s+is)\s+not\s+(?:true|the\s+case)\s+that\s+(.+?)\s+{_NEED}\s+", r"\1 need not "),
    (rf"\b{_FINE}\s+({_NEAR}|for)\s+no\s+(?=\w)(?!more|less|fewer|later)", r"not \1 \2 any "),
    (
        r"^no\s+((?!approval|permission|consent|confirmation).{1,40}?)\s+(?:is|are)\s+(?:needed|required|necessary)\s+for\s+"
        r"([^,;]+?)(?=[\s.]*$)",
        r"\2 need no \1",
    ),
    (r"\bnot\s+(?:elsewhere|anywhere\s+else)\b", "nowhere else"),
    (r"\s+(?:isn't|aren't|is\s+not|are\s+not|can't|cannot|may\s+not)\s+either\b", ""),
    (r"^once\s+(?=(?:an?|the|any|this|that|it)\s)", "if "),
    (r"\bno\s+more\s+(\w+)\s+than\s+(\w+)", r"no more than \2 \1"),
    (
        rf"\b(more|less|fewer)\s+((?:\w+\s+){{1,6}}?)than\s+(?=(?:there|what)\b|(?:the|its|an?)\s+[\w\s]+?{_ROOM}\b)",
        r"\2\1 than ",
    ),
    (
        r"^no\s+(.{1,40}?)\s+(?:but|other\s+than|except(?:\s+for)?|apart\s+from)\s+(?:the\s+)?(?:ones?|those)\b",
        r"only \1",
    ),
    (r"^(.+?)\s+(?:is|are)\s+the\s+only\s+(\w+)\s+(?:that|which|who|for)\b", r"only \2 \1"),
    (r"^((?:the\s+)?\w+(?:\s+\w+)?)\s+alone\s+(?=(?:may|can|must|should|shall)\b)", r"only \1 "),
    (rf"(?<!\bleave )(?<!\bleft )\b({_NEAR}\s+(?:`[^`]*`|[^\s,;]+)(?:\s+\w+)?)\s+alone\b", r"only \1"),
    (r"\b(leaves?|keeps?)\s+(.{1,60}?)\s+(alone|away\s+from)\b", r"\1 \3 \2"),
    (
        rf"^((?:(?!\b(?:no|not|never|only|may|can)\b)[^,;])*?)\b{_BY}\s+([^,;]+),\s+(?:but\s+|and\s+)?not\s+\2\s+"
        r"[^,;]+?(?=[\s.]*$)",
        r"\1only \2 \3",
    ),
    (r"\b(gets?|has|have|receives?|is|are)\s+([^,;\d]+?)\s+at\s+best(?=[\s.]*$)", r"\1 only \2"),
    (r"\bother\s+than\s+(?:those|(?:the\s+)?ones)\b", "not"),
    (r"^(.+?)\s+(?:is|are)\s+the\s+only\s+ones?\b", r"only \1"),
    (
        rf"^((?:before|after|prior\s+to)\s+(?:{_WHICH}\s+)?(?:[\w'’-]+\s+){{0,6}}?[\w'’-]+(?<!\bof)(?<!\bto)(?<!\bfor)(?<!\bin)"
        r"(?<!\bon)(?<!\bwith)(?<!\bfrom)(?<!\bby)(?<!\band)(?<!\bor))\s+"
        rf"(?={_WHICH}\s+(?:(?:(?:of|for|in|on)\s+{_WHICH}\s+)?(?!{_WHICH}\b)[\w'’-]+\s+){{1,6}}?"
        r"(?:must|should|shall|has|have|had|are|is|was|were|needs?|runs?)\b)",
        r"\1, ",
    ),  # "before a commit the tests have run"
)
"""How what is said apart is put together; letters are small or capital but within ``(?-i:…)``."""
_SAID_APART = tuple((re.compile(apart, re.IGNORECASE), together) for apart, together in _REWRITINGS)


_PARAGRAPH = re.compile(
    r"\s*(?:(?:§+\s*)?\d{1,3}(?:\.\d{1,3}){2,}[.)]?|§+\s*\d{1,3}(?:\.\d{1,3})*[a-z]?[.)]?|\d{1,3}[.)]|\(?[a-zA-Z0-9]{1,4}\)"
    r"|\d{1,3}\.\d{1,3}[.)]?(?=\s+(?:[“\"]|[A-Z](?:[a-z]|\s))))\s+(?=\S)"
)
"""The number of a paragraph at the head of a sentence; "2.5 hours" are an amount."""


def without_paragraph(text: str) -> str:
    """A sentence without the number of its paragraph: "2.1", "§ 3", "(b)"."""
    found = _PARAGRAPH.match(text)
    return text if found is None else text[found.end() :]


def said_together(text: str) -> str:
    """A sentence with what belongs together in one place: “leave alone won deals”, “not below 500”."""
    text = without_formalities(with_other_side(text))
    for apart, together in _SAID_APART:
        text = apart.sub(together, text)
    return with_limit(text)


_APPROVED = re.compile(
    rf"\b(?:{_NEED}|should|shall)\s+(?:first\s+|always\s+)?be\s+(?:approved|authori[sz]ed|okayed)\b(?!\s+by\b)",
    re.IGNORECASE,
)


def approved_by_somebody(text: str) -> str:
    """A sentence with the person by whom something must be approved, where it names none."""
    return _APPROVED.sub(r"\g<0> by a person", text)


_OF_A_HEADING = (
    (Cue.NO_ASK, "without asking "),
    (Cue.ASK, "approval for "),
    (Cue.FORBID, "never "),
    (Cue.PERMIT, "you may "),
)
"""What the headings of lists say of each thing that stands below them."""
_MOST_OF_A_HEADING = 8
_SAME = re.compile(
    r"^(?:and\s+)?the\s+same\s+(?:goes|applies|holds|is\s+true)\s+(?:for|to|of|with)\s+", re.IGNORECASE
)
"""What says of other things what the sentence before said."""
_TOPIC = re.compile(r"(?:who|whom|when|where|how|why|which)\b", re.IGNORECASE)
_OF_WHOM = re.compile(r"^what\s+(.+)\s+do\b[\s:]*$", re.IGNORECASE)
_FIRST_CLAUSE = re.compile(r"[^,;—–]*")


def under_heading(text: str, around: str) -> str:
    """A part of a sentence with what the heading says of it: "sharing a sheet" below "Not allowed".

    "The same goes for" takes it from the sentence beside it.
    """
    if (same := _SAME.match(text)) is not None:
        said = (begin for line in around.splitlines()[1:] if (begin := _begins(ForeignSentence(line))))
        return f"{begin}{text[same.end() :]}" if (begin := next(said, "")) else text
    found = None if _SUBORDINATE.match(text) else _FIRST_CLAUSE.match(text)
    first = ForeignSentence(found.group() if found is not None else text)
    if first.norm is not None or first.asks or first.has(Cue.ONLY) or first.states:
        return text
    said = (begin for line in around.splitlines() if (begin := _of_heading(line)))
    return f"{next(said, '')}{text}"


def _of_heading(line: str) -> str:
    """How a sentence begins that stands below a heading; empty for what only says what it is about."""
    heading = ForeignSentence(line)
    if line.rstrip().endswith(".") or len(heading.words) > _MOST_OF_A_HEADING or _TOPIC.match(line):
        return ""
    cues = {one.cue for one in heading.norms}
    if (of_whom := _OF_WHOM.match(line)) is not None and not cues.isdisjoint((Cue.FORBID, Cue.PERMIT)):
        return f"{of_whom[1]} "
    return _begins(heading)


def _begins(said: ForeignSentence) -> str:
    """How a sentence begins of which another says what is forbidden, asked or allowed."""
    if said.asks:
        return next(begin for cue, begin in _OF_A_HEADING if cue is (Cue.NO_ASK if said.is_free else Cue.ASK))
    cues = {one.cue for one in (*said.norms, *([said.norm] if said.norm else []))}
    return next((begin for cue, begin in _OF_A_HEADING if cue in cues), "")


_TOLD = re.compile(
    r"(?:[,;]|\s[—–-])\s+(?:"
    r"(?:it|they|this|that|we|you|he|she|these|those|somebody|someone|people)\s+\w+"
    r"|(?:the|our|their|its|last|these|those)\s+[^,;]*?"
    r"\b(?:does|do|is|are|has|have|was|were|did|got|had|will|would|costs?|looks?)\b"
    r")(?![^,;]*\b(?:must|may|can|cannot|should|shall|unless|only|if|when|except|allowed|approval|approve|others?|rest)\b)[^,;]*$",
    re.IGNORECASE,
)
"""A last clause that tells something: "…, the licence does not cover it"."""


def _without_reasons(text: str) -> Iterator[Clause]:
    start = found.end() if (found := _LEADING.match(text)) is not None else 0
    rest = text[start:]
    for pattern in (_REASON, _TOLD):
        if (reason := pattern.search(rest)) is not None:
            rest = rest[: reason.start()]
    bare = _PARENTHESIS.sub("", rest.rstrip(" ."))
    if start or len(bare) < len(text.rstrip(" .")):
        yield Clause(bare, start, whole=True)


def _parts(text: str) -> Iterator[Clause]:
    """The clauses between strong marks; a question is read with what follows it."""
    at = 0
    ends = [
        *(*_END.finditer(text), *_again(text), *_before_elliptic(text), *_before_second(text)),
        *_before_colon(text),
    ]
    cuts = [one for one in ends if text[one.start() - 1 : one.start()] != "?"]
    cuts = sorted(cuts, key=lambda one: one.start())[:_MOST_CLAUSES]
    if not cuts:
        return
    for start, end in zip(
        (0, *(one.end() for one in cuts)), (*(one.start() for one in cuts), len(text)), strict=True
    ):
        part = text[start:end]
        lead = _STARTS.match(part)
        at = start + (lead.end() if lead is not None else 0)
        part = text[at:end]
        reason = _REASON.search(part)
        yield Clause(part[: reason.start()] if reason is not None else part, at, whole=False)


def _before_colon(text: str) -> Iterator[re.Match[str]]:
    """Where a clause begins that says what another forbids: "never tell a price: no mail with prices"."""
    for one in _COLON.finditer(text):
        if (norm := ForeignSentence(text[: one.start()]).norm) is not None and norm.cue is Cue.FORBID:
            yield one


_COLON = re.compile(r":\s+(?=(?:no|never|nothing|nobody)\b)", re.IGNORECASE)


def _before_elliptic(text: str) -> Iterator[re.Match[str]]:
    """Yield the comma before a last clause that leaves out its verb: "…, cheaper ones are fine"."""
    for one in _COMMA.finditer(text):
        rest = text[one.end() :]
        begins = _SUBORDINATE.match(text) or _SUBORDINATE.match(rest)
        is_short = 1 < len(rest.split()) <= _MOST_ELLIPTIC and "," not in rest
        if is_short and not begins and ELLIPTIC.search(rest) is not None:
            yield one


def _says_two(text: str) -> bool:
    return any(True for _ in _before_second(text))


def _before_second(text: str) -> Iterator[re.Match[str]]:
    """Yield the "and" before what else must not be, after a limit: "is limited to 60 and must not …"."""
    for one in _SECOND.finditer(text):
        if _LIMITED.search(text[: one.start()]) is not None:
            yield one


def _again(text: str) -> Iterator[re.Match[str]]:
    """Yield the commas after which a noun stands again: "letters to Rome may go, letters to Paris never"."""
    for one in _LISTED.finditer(text):
        if re.search(rf"\b{re.escape(one['noun'])}\b", text[: one.start()], re.IGNORECASE):
            yield one
