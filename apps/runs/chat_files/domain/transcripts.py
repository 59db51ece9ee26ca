"""Conversations that are no JSON: tables with a row a message, WhatsApp's exported chats, transcripts. Pure.

Who is the customer is read from the speakers' names where they say it ("Customer", "Agent"); where two names do not,
whoever brings the file says it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.core.chat_messages import role_named, role_of
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput
from apps.core.portable.csv_rows import csv_records
from apps.core.redaction import redact
from apps.core.timestamps import parse_timestamp

_COLUMNS: Mapping[str, Sequence[str]] = {
    "conversation": (
        "conversation_id",
        "conversation",
        "conversationid",
        "session_id",
        "sessionid",
        "session",
        "thread_id",
        "chat_id",
        "dialogue_id",
        "dialog_id",
        "ticket_id",
        "case_id",
    ),
    "speaker": ("role", "speaker", "sender", "author", "participant", "from", "who", "user_type", "sender_type"),
    "text": ("content", "text", "message", "message_text", "utterance", "body", "msg", "words", "value"),
    "time": ("ts", "timestamp", "created_at", "time", "date", "sent_at", "datetime", "absolutetime"),
}
_PAIRS = (
    ("user_message", "bot_response"),
    ("user", "bot"),
    ("user", "assistant"),
    ("customer", "agent"),
    ("question", "answer"),
    ("prompt", "completion"),
    ("prompt", "response"),
    ("input", "output"),
    ("input", "response"),
)
_TEXTS = ("content", "text", "message", "value", "utterance", "body")
_WHO = ("role", "from", "sender", "speaker", "author", "participantrole", "participant_role", "sender_role")
_WHATSAPP = re.compile(
    r"[\u200e\u200f]*\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? +(?:alle ore +)?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"(?:[\s\u202f]*[ap]\.?m\.?)?\]?(?: -)? +(?P<rest>.*)",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"[\u200e\u200f]*(?P<who>[^:\n]{1,60}): ?(?P<text>.*)", re.DOTALL)
_BREAK = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|#{1,3} .*|conversation \S+:?)\s*", re.IGNORECASE)
_CUSTOMER = re.compile(
    r"\b(?:customer|client|caller|guest|visitor|buyer|patient|mteja|cliente|utente)\b", re.IGNORECASE
)
_AGENT = re.compile(
    r"\b(?:agent|bot|chatbot|support|operator|advisor|representative|rep|desk|helpdesk|wakala|mhudumu|operatore)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Instructions for reading a file: the customer's speaker, and the columns ({"speaker": "from"})."""

    customer: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


def reading_of(*, customer: str, columns: str) -> Reading:
    """The reading as it is typed: `speaker=from,text=body`. Raises BadInput (`ask_columns`)."""
    pairs = [part.partition("=") for part in columns.split(",") if part.strip()]
    if any(not name.strip() or part.strip() not in _COLUMNS for part, _, name in pairs):
        hint = f"columns are told as speaker=COLUMN,text=COLUMN; the parts are {', '.join(_COLUMNS)}"
        raise BadInput(hint, code="ask_columns")
    return Reading(customer=customer.strip(), columns={part.strip(): name.strip() for part, _, name in pairs})


@dataclass(slots=True)
class _Transcript:
    id: str
    lines: list[tuple[str, str, str]] = field(default_factory=list)  # speaker, text, time


def table_documents(text: str, how: Reading) -> list[dict[str, Any]]:
    """The conversations of a CSV file with a row a message, a pair of messages or a whole conversation. Raises BadInput
    where a column is not known."""
    transcripts: dict[str, _Transcript] = {}
    whole = _whole_column(text, how)
    pair = () if whole else _pair(_head(text), how)
    columns = {} if whole or pair else _columns(_head(text), how)
    for number, (row, record) in enumerate(csv_records(text), start=1):
        if row.fault:
            raise BadInput(f"line {row.line}: {row.fault}", code="not_csv")
        if whole or pair:
            name = next((record[one] for one in record if one.lower() in _COLUMNS["conversation"]), "") or str(number)
            transcript = transcripts.setdefault(name, _Transcript(""))
            transcript.lines += (
                [line for part in _split_transcripts(record[whole]) for line in part.lines] if whole else []
            )
            transcript.lines += [(who, record[column], "") for who, column in pair]
            continue
        transcript = transcripts.setdefault(record.get(columns.get("conversation", ""), "1"), _Transcript(""))
        speaker, spoken = record.get(columns["speaker"], ""), record.get(columns["text"], "")
        transcript.lines.append((speaker, spoken, record.get(columns.get("time", ""), "")))
    for name, transcript in transcripts.items():
        transcript.id = name
    return _documents(list(transcripts.values()), how, masked=False)


def whatsapp_documents(text: str, how: Reading) -> list[dict[str, Any]]:
    """The chat of an exported `_chat.txt`, one conversation; names of those who write are masked in its words."""
    transcript = _Transcript("whatsapp")
    for line in text.splitlines():
        match = _WHATSAPP.match(line)
        spoken = _SPEAKER.fullmatch(match["rest"]) if match else None
        if spoken:
            transcript.lines.append((spoken["who"].strip(), spoken["text"], ""))
        elif not match and transcript.lines and line.strip():
            who, said, at = transcript.lines[-1]
            transcript.lines[-1] = (who, f"{said}\n{line}", at)
    return _documents([transcript], how, masked=True)


def transcript_documents(text: str, how: Reading) -> list[dict[str, Any]]:
    """A transcript of lines `Customer: …`; a line of dashes or a heading begins the next conversation."""
    return _documents(_split_transcripts(text), how, masked=True)


def _split_transcripts(text: str) -> list[_Transcript]:
    transcripts = [_Transcript("1")]
    for line in text.splitlines():
        match = _SPEAKER.fullmatch(line.strip())
        if _BREAK.fullmatch(line) and transcripts[-1].lines:
            transcripts.append(_Transcript(str(len(transcripts) + 1)))
        elif match and not line.startswith((" ", "\t")):
            transcripts[-1].lines.append((match["who"].strip().strip("*"), match["text"].strip(" *"), ""))
        elif transcripts[-1].lines and line.strip():
            who, spoken, at = transcripts[-1].lines[-1]
            transcripts[-1].lines[-1] = (who, f"{spoken}\n{line.strip()}", at)
    return [transcript for transcript in transcripts if transcript.lines]


def spoken_documents(documents: Sequence[Any], how: Reading) -> list[Any]:
    """JSON documents whose messages name their speakers otherwise ("patient", "nurse"): as a transcript's. Raises
    BadInput (`ask_customer`) where nothing says who is the customer."""
    transcripts = {
        n: transcript for n, document in enumerate(documents) if (transcript := _transcript_of(document, n)) is not None
    }
    read = dict(zip(transcripts, _documents(list(transcripts.values()), how, masked=False), strict=True))
    return [read.get(n, document) for n, document in enumerate(documents)]


def _transcript_of(document: Any, number: int) -> _Transcript | None:
    named = document if isinstance(document, Mapping) else {}
    held = next((named[name] for name in ("messages", "turns") if isinstance(named.get(name), list)), None)
    if not held or not all(map(is_spoken, held)) or all(role_of(one) for one in held):
        return None
    lines = [(_first(one, _WHO), _first(one, _TEXTS), _first(one, _COLUMNS["time"])) for one in held]
    return _Transcript(str(named.get("id") or number + 1), lines)


def is_spoken(message: Any) -> bool:
    """Tell whether a message says who speaks, by whatever name, and what."""
    return isinstance(message, Mapping) and bool(_first(message, _WHO)) and bool(_first(message, _TEXTS))


def _first(message: Mapping[str, Any], names: Sequence[str]) -> str:
    held = {str(name).lower(): value for name, value in message.items()}
    return next((held[name] for name in names if isinstance(held.get(name), str) and held[name].strip()), "")


def looks_like_whatsapp(text: str) -> bool:
    """Tell whether the first lines have WhatsApp's time and speaker."""
    matches = [match for line in text.splitlines()[:20] if (match := _WHATSAPP.match(line))]
    return bool(matches) and any(_SPEAKER.fullmatch(match["rest"]) for match in matches)


def looks_like_a_transcript(text: str, how: Reading) -> bool:
    """Tell whether lines begin with a speaker, at least two of them, and most of the first with one of few."""
    lines = [line.strip() for line in text.splitlines()[:60] if line.strip()]
    speakers = [match["who"].strip() for line in lines if (match := _SPEAKER.fullmatch(line))]
    knows_speakers = any(_role_of(speaker, how) for speaker in speakers)
    return (
        len(speakers) * 2 >= len(lines) > 1
        and 1 < len(set(speakers)) <= 4
        and (knows_speakers or len(set(speakers)) == 2)
    )


def looks_like_a_table(text: str, how: Reading) -> bool:
    """Tell whether the first line names columns of messages."""
    head = _head(text)
    names = {name.lower() for name in head}
    known = any(names & set(_COLUMNS[part]) for part in ("speaker", "text"))
    return len(names) > 1 and (bool(how.columns) or known or bool(_pair(head, how)) or bool(_whole_column(text, how)))


def _pair(head: Sequence[str], how: Reading) -> tuple[tuple[str, str], ...]:
    """(who, their column) of what was asked and what was answered, where a row holds both."""
    by_name = {name.lower(): name for name in head}
    speakers = () if _is_plain(head, how) else next((pair for pair in _PAIRS if set(pair) <= by_name.keys()), ())
    return tuple((who, by_name[speaker]) for who, speaker in zip(("user", "assistant"), speakers, strict=False))


def _is_plain(head: Sequence[str], how: Reading) -> bool:
    """Tell whether a row is a message: its columns were told, or name a speaker and words."""
    names = {name.lower() for name in head}
    return bool(how.columns) or all(names & set(_COLUMNS[part]) for part in ("speaker", "text"))


def _whole_column(text: str, how: Reading) -> str:
    """The column whose first cell is a transcript."""
    head = _head(text)
    if len(head) < 2 or _is_plain(head, how):
        return ""
    _, record = next(csv_records(text), (None, {}))
    return next((name for name, cell in record.items() if looks_like_a_transcript(cell, how)), "")


def _head(text: str) -> list[str]:
    from apps.core.portable.csv_rows import csv_rows  # noqa: PLC0415 - its first row alone

    first = next(csv_rows(text), None)
    return [] if first is None or first.fault else [cell.strip() for cell in first.cells]


def _columns(head: Sequence[str], how: Reading) -> dict[str, str]:
    by_name = {name.lower(): name for name in head}
    columns = {part: next((by_name[one] for one in names if one in by_name), "") for part, names in _COLUMNS.items()}
    for part, name in how.columns.items():
        if part not in _COLUMNS or name not in head:
            raise BadInput(f"there is no column {name!r} for {part}; there are: {', '.join(head)}", code="ask_columns")
        columns[part] = name
    missing = [part for part in ("speaker", "text") if not columns[part]]
    if missing:
        raise BadInput(
            f"which column is {' and which is '.join(missing)}? There are: {', '.join(head)}. Say it as "
            "speaker=COLUMN,text=COLUMN,conversation=COLUMN",
            code="ask_columns",
        )
    return {part: name for part, name in columns.items() if name}


def _documents(transcripts: Sequence[_Transcript], how: Reading, *, masked: bool) -> list[dict[str, Any]]:
    speakers = list(dict.fromkeys(who for transcript in transcripts for who, _, _ in transcript.lines))
    roles = _roles(speakers, how)
    names = [who for who in speakers if masked and role_named(who) is None] if masked else []
    return [
        {"id": transcript.id, "turns": list(_turns(transcript, roles, names))}
        for transcript in transcripts
        if transcript.lines
    ]


def _turns(transcript: _Transcript, roles: Mapping[str, TurnRole], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for who, text, at in transcript.lines:
        turn: dict[str, Any] = {"role": roles[who].value, "content": redact(text, names=names) if names else text}
        yield turn | ({"ts" if _is_time(at) else "time": at} if at else {})


def _is_time(at: str) -> bool:
    try:
        parse_timestamp(at)
    except ValueError:
        return False
    return True


def _roles(speakers: Sequence[str], how: Reading) -> dict[str, TurnRole]:
    if how.customer:
        if how.customer not in speakers:
            raise BadInput(
                f"nobody called {how.customer!r} speaks; there are: {', '.join(speakers)}", code="ask_customer"
            )
        return {who: TurnRole.USER if who == how.customer else TurnRole.ASSISTANT for who in speakers}
    roles = {who: _role_of(who, how) for who in speakers}
    open_names = [who for who, role in roles.items() if role is None]
    if len(open_names) == 1 and len(speakers) == 2:
        other = next(role for role in roles.values() if role is not None)
        roles[open_names[0]] = TurnRole.ASSISTANT if other is TurnRole.USER else TurnRole.USER
    elif open_names:
        raise BadInput(
            f"which of these is the customer: {', '.join(speakers[:20])}? Say it (--customer NAME, or on the page)",
            code="ask_customer",
        )
    return {who: role for who, role in roles.items() if role is not None}


def _role_of(who: str, how: Reading) -> TurnRole | None:
    if how.customer and who == how.customer:
        return TurnRole.USER
    named = role_named(who)
    if named is not None:
        return named
    customer, agent = bool(_CUSTOMER.search(who)), bool(_AGENT.search(who))
    if customer is agent:
        return None
    return TurnRole.USER if customer else TurnRole.ASSISTANT
