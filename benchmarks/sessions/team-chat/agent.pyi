"""The calls, records and context of the agent, for editors; `workbench stub` writes this file."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as _date
from datetime import datetime
from datetime import time as _time
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

_Earlier = TypeVar("_Earlier", covariant=True)

class Text(str):
    """A text of a call or of its run."""

    source: frozenset[str]
    """The places of the run that it came from, before its own call."""
    def source_before(self, call: _Outcome, /) -> frozenset[str]:
        """The places that it came from before this earlier call."""
    def sentences_with(self, value: str | int | Decimal, /) -> Text:
        """Its sentences in which this value stands."""
    web_addresses: tuple[Text, ...]
    words: frozenset[Text]

@dataclass(frozen=True)
class Call:
    """A call of any tool."""

    tool: str
    time: _Time

@dataclass(frozen=True)
class _Outcome:
    succeeded: bool
    failed: bool
    approved: bool
    result: Text

class _Time(datetime):
    """A point in time, with its parts."""

    @property
    def date(self) -> _date: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def time(self) -> _time: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def weekday(self) -> int: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]

class _Of(Generic[_Earlier]): ...
class _Record: ...

@dataclass(frozen=True)
class GetChannels(Call, _Of[EarlierGetChannels]):
    """Get the list of channels in the slack."""

    tool: Literal["get_channels"]

@dataclass(frozen=True)
class EarlierGetChannels(GetChannels, _Outcome): ...

@dataclass(frozen=True)
class AddUserToChannel(Call, _Of[EarlierAddUserToChannel]):
    """Add a user to a given channel."""

    tool: Literal["add_user_to_channel"]
    user: Text
    channel: Text

@dataclass(frozen=True)
class EarlierAddUserToChannel(AddUserToChannel, _Outcome): ...

@dataclass(frozen=True)
class ReadChannelMessages(Call, _Of[EarlierReadChannelMessages]):
    """Read the messages from the given channel."""

    tool: Literal["read_channel_messages"]
    channel: Text

@dataclass(frozen=True)
class EarlierReadChannelMessages(ReadChannelMessages, _Outcome): ...

@dataclass(frozen=True)
class ReadInbox(Call, _Of[EarlierReadInbox]):
    """Read the messages from the given user inbox."""

    tool: Literal["read_inbox"]
    user: Text

@dataclass(frozen=True)
class EarlierReadInbox(ReadInbox, _Outcome): ...

@dataclass(frozen=True)
class SendDirectMessage(Call, _Of[EarlierSendDirectMessage]):
    """Send a direct message from `author` to `recipient` with the given `content`."""

    tool: Literal["send_direct_message"]
    recipient: Text
    body: Text

@dataclass(frozen=True)
class EarlierSendDirectMessage(SendDirectMessage, _Outcome): ...

@dataclass(frozen=True)
class SendChannelMessage(Call, _Of[EarlierSendChannelMessage]):
    """Send a channel message from `author` to `channel` with the given `content`."""

    tool: Literal["send_channel_message"]
    channel: Text
    body: Text

@dataclass(frozen=True)
class EarlierSendChannelMessage(SendChannelMessage, _Outcome): ...

@dataclass(frozen=True)
class GetUsersInChannel(Call, _Of[EarlierGetUsersInChannel]):
    """Get the list of users in the given channel."""

    tool: Literal["get_users_in_channel"]
    channel: Text

@dataclass(frozen=True)
class EarlierGetUsersInChannel(GetUsersInChannel, _Outcome): ...

@dataclass(frozen=True)
class InviteUserToSlack(Call, _Of[EarlierInviteUserToSlack]):
    """Invites a user to the Slack workspace."""

    tool: Literal["invite_user_to_slack"]
    user: Text
    user_email: Text

@dataclass(frozen=True)
class EarlierInviteUserToSlack(InviteUserToSlack, _Outcome): ...

@dataclass(frozen=True)
class RemoveUserFromSlack(Call, _Of[EarlierRemoveUserFromSlack]):
    """Remove a user from the Slack workspace."""

    tool: Literal["remove_user_from_slack"]
    user: Text

@dataclass(frozen=True)
class EarlierRemoveUserFromSlack(RemoveUserFromSlack, _Outcome): ...

@dataclass(frozen=True)
class GetWebpage(Call, _Of[EarlierGetWebpage]):
    """Returns the content of the webpage at a given URL."""

    tool: Literal["get_webpage"]
    url: Text

@dataclass(frozen=True)
class EarlierGetWebpage(GetWebpage, _Outcome): ...

@dataclass(frozen=True)
class PostWebpage(Call, _Of[EarlierPostWebpage]):
    """Posts a webpage at a given URL with the given content."""

    tool: Literal["post_webpage"]
    url: Text
    content: Text

@dataclass(frozen=True)
class EarlierPostWebpage(PostWebpage, _Outcome): ...

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

class Run:
    """The run of the agent before the call."""

    context: Context
    said: Text
    """All that the user has said in the run."""
    last_said: Text
    """What the user has said last."""
    first_said: Text
    """The first message of the user, which an application's template writes."""
    def earlier(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """The earlier calls of these tools in the run, in order."""
    def last(self, calls: Iterable[_Earlier], /) -> _Earlier | Any:
        """The last of these calls; None if there is none."""
    def since(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run after this call, or the last of these, or all of it."""
    def until(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run before this call, or the first of these, or all of it."""
    def calls(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """In a theorem: the calls of these tools in the whole run that were allowed."""
    def before(self, call: Call, /) -> Run:
        """In a theorem: the run as it was when this call was decided."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
