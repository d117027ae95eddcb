"""The tool that an everyday sentence is about, from its name, or from a synonym of its verb and its object.

“Members may borrow books” is about ``lend_book``, “emails may only go to” about ``send_email``. If the verb
is not the tool's own, taking it is an assumption, which is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.author.rules.context_reasons import named_tools
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.words import HOLDERS, PEOPLE, USERS, split_words, stem, word_set
from workbench.clarify.covered_words import Place
from workbench.clarify.reversing_words import turns
from workbench.clarify.synonyms import in_any_sense, of_same_sense, with_same_nouns
from workbench.clarify.word_meanings import OpenedWord, WordRole, tool_is_open

_SHORTEST_VERB = 4
_PARTICLES = word_set("up out off down back at into over in on")
_DOERS = frozenset(
    map(stem, HOLDERS | USERS | PEOPLE | word_set("client clients guest guests visitor visitors"))
)


@dataclass(frozen=True, slots=True)
class MeantTool:
    """The tool that a sentence is about, the places of the words that name it, and the assumption about them.

    If only a verb names the tool, all other words of the sentence must be understood.
    """

    name: str
    places: tuple[Place, ...]
    verb: str = ""
    by_verb_alone: bool = False

    @property
    def assumed(self) -> tuple[str, ...]:
        """The assumption that a verb means this tool, if it is not the tool's own verb; otherwise empty."""
        return (f"“{self.verb}” means {self.name}",) if self.verb else ()


def meant_tool(text: str, words: Sequence[OpenedWord], lexicon: Lexicon) -> MeantTool | None:
    """The one tool that a sentence is about; None if there are none or several."""
    content = [word for word in words if word.role is not WordRole.UNKNOWN or not turns(word.text)]
    verb = _verb([word for word in content if word.role is not WordRole.ADDS_NOTHING])
    tools = [*_fitting(text, content, verb, lexicon)]
    by_verb = not tools and verb is not None and verb.role is not WordRole.TOOL
    if by_verb and verb is not None:
        tools = [tool for tool in _known(lexicon) if of_same_sense(verb.text, split_words(tool)[0])]
    if len(tools) != 1:
        return None
    tool_stems = named_for(tools[0])
    own_verb = verb is None or bool(_stems_of(verb.text) & tool_stems)
    if verb is not None and not own_verb and not _same_sense(verb.text, tools[0]):
        return None
    if own_verb and tool_is_open(content, tools):
        return None
    named = [
        word
        for word in words
        if tool_stems & with_same_nouns(_stems_of(word.text)) or stem(word.text) in _DOERS
    ]
    places = [word.place for word in named]
    if verb is None or own_verb:
        return MeantTool(tools[0], tuple(places))
    places += [verb.place, *_particle(words, verb)]
    return MeantTool(tools[0], tuple(places), verb.text.lower(), by_verb)


def named_for(tool: str) -> frozenset[str]:
    """The stems of the words of a tool's name."""
    return frozenset(map(stem, split_words(tool)))


def _stems_of(text: str) -> frozenset[str]:
    """The stems of the words of a text; for “deployment” the stem of its verb too."""
    words = split_words(text)
    verbs = (word.removesuffix("s").removesuffix("ment") for word in words)
    return frozenset(map(stem, (*words, *(verb for verb in verbs if len(verb) >= _SHORTEST_VERB))))


def _known(lexicon: Lexicon) -> tuple[str, ...]:
    action = lexicon.action()
    return action.type.values if action is not None else ()


def _verb(words: Sequence[OpenedWord]) -> OpenedWord | None:
    """The word at the place of the main verb: after a duty, otherwise at the beginning of the sentence."""
    duties = [place for place, word in enumerate(words) if word.role is WordRole.DUTY]
    for place in duties or [-1]:
        behind = words[place + 1 : place + 2]
        if behind and behind[0].role in (WordRole.UNKNOWN, WordRole.TOOL, WordRole.ARGUMENT):
            return behind[0]
    return None


def _fitting(
    text: str, words: Sequence[OpenedWord], verb: OpenedWord | None, lexicon: Lexicon
) -> Iterator[str]:
    """Yield the tools that a sentence names by their names or by their objects."""
    known_tools, text_stems = _known(lexicon), _stems_of(text)
    meant = " ".join(word.meaning for word in words if word.role is WordRole.TOOL)
    by_name = [tool for tool in known_tools if f'"{tool}"' in meant]
    named = with_same_nouns(text_stems)
    by_object = [tool for tool in known_tools if (object_stems := _object(tool)) and object_stems <= named]
    if verb is not None and verb.role is not WordRole.TOOL and by_object:
        yield from (
            tool
            for tool in by_object
            if _stems_of(verb.text) & named_for(tool) or _same_sense(verb.text, tool)
        )
        return
    by_name_and_object = [tool for tool in by_name if tool in by_object]
    said_verb = [tool for tool in known_tools if stem(split_words(tool)[0]) in text_stems]
    yield from by_name_and_object or by_name or named_tools(text, lexicon, acting=True) or said_verb


def _object(tool: str) -> frozenset[str]:
    return frozenset(map(stem, split_words(tool)[1:]))


def _same_sense(verb: str, tool: str) -> bool:
    """Whether a verb, which is not the tool's own, names the action of a tool."""
    return in_any_sense(verb) or of_same_sense(verb, split_words(tool)[0])


def _particle(words: Sequence[OpenedWord], verb: OpenedWord) -> Iterator[Place]:
    """Yield the place of the particle of a verb: “look *up* orders”."""
    behind = words[words.index(verb) + 1 :][:1]
    yield from (word.place for word in behind if word.text.lower() in _PARTICLES)
