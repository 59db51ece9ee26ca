"""Mask credentials and personal data of people, which never reach a recording in clear.

A mask keeps the length and the kind of every character (`+254 712 345 678` -> `+100 000 000 000`), so that JSON stays
JSON, streamed replies keep their chunks, and masking twice changes nothing. It is a floor: names nobody listed and
numbers in words pass.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_CREDENTIALS = (
    r"(?:[\w-]{0,40}(?:password|passwd|passphrase|secret|api[_-]?key|(?:access|refresh|id|auth|session|bearer)[_-]?token"
    r"|private[_-]?key|consumer[_-]?key|secret[_-]?key|access[_-]?key|passkey|credentials?)"
    r"|x-goog-api-key|pin|authorization|assertion|cvv|cvc|otp|(?:set-)?cookie)"
)
_PARAMETER_NAME = rf"(?:{_CREDENTIALS}|key|token|sig|signature)"  # in a body these are ordinary words
SECRET = "<secret>"  # noqa: S105 - what stands in its place
_SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"
    r"|\b(?:sk|rk|pk|whsec|ghp|gho|ghs|glpat|xox[abprs]|hf|gsk|AKIA|ASIA|github_pat)[-_](?:[A-Za-z]+-)*[\w-]{16,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w.-]{10,}|(?<=[Bb]earer )[\w.~+/=-]{12,}",
    re.DOTALL,
)
# What a name says is one, written inside a text: JSON or Python in a text at any depth of quoting (the arguments and
# results of tools), `name=value`, and what stands in an address before @ or behind ? and &.
_NAMED = re.compile(
    rf"""(?<!\\)(?P<quote>\\{{0,16}}["'])(?i:{_CREDENTIALS})(?P=quote)\s*[:=]\s*(?:"""
    r"""(?P<close>\\{0,16}["'])(?P<quoted>(?:(?!(?<!\\)(?P=close)).)*)|(?P<bare>-?\d[\w.+-]*))"""
    rf"""|(?<![\w-])(?i:{_CREDENTIALS}|token)=(?P<plain>[^\s&"'<>\\;,(){{}}\[\]]{{3,}})"""
    rf"""|[?&](?i:{_PARAMETER_NAME})=(?P<parameter>[^\s&"'<>\\#]+)"""
    r"""|://[^\s/@:"'\\]{0,100}:(?P<user>[^\s/@"'\\]{1,200})(?=@)""",
    re.DOTALL,
)
_NAME_HINT = re.compile(
    r"(?i:pass(?:wo?r?d|phrase|key)|secret|key|token|credential|pin|auth|assert|cvv|cvc|otp|cookie|sig)[\w-]{0,9}[\\\"']{0,17}\s*[:=]"
    r"|:[^\s/@]{1,200}@"
)  # a cheaper look, by which most texts are passed over
_NO_WORD = r"(?<![A-Za-z0-9+/=_.-])"
_PERSONAL = re.compile(
    r"(?P<email>[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b)"
    rf"|(?P<phone>(?<![\w+])(?:\+|00)[1-9](?:[ ()./-]{{0,2}}\d){{7,14}}(?!\d)"
    rf"|{_NO_WORD}(?:254|0)[ -]?[17](?:[ -]?\d){{8}}(?!\d)"
    rf"|{_NO_WORD}(?=(?:254(?:\.?\d){{9}}|0(?:\.?\d){{9}})(?!\.?\d))(?:254\.|0)[17]\d{{0,2}}(?:\.\d{{2,4}}){{2,4}}"
    rf"|{_NO_WORD}\(?\d{{3}}\)?[ .-]\d{{3}}[ .-]\d{{4}}(?![\d-])"
    rf"|{_NO_WORD}[17]\d\d[ -]\d{{3}}[ -]\d{{3}}(?!\d))"
    rf"|(?P<number>{_NO_WORD}\d(?:[ -]?\d){{12,18}}(?![\d-])|{_NO_WORD}\d{{9,}}(?![\w.]))"
    r"|(?P<pin>(?<![A-Za-z0-9])[AaPp]\d{9}[A-Za-z](?![A-Za-z0-9]))"
)
_SECRET_KEY = re.compile(_CREDENTIALS, re.I)
_SECRET_PARAMETER = re.compile(_PARAMETER_NAME, re.I)
_VALUES = ("quoted", "bare", "plain", "parameter", "user")  # of _NAMED
_DATE_LIKE = re.compile(r"(?:19|20)\d\d[-/.]\d\d[-/.]\d\d")
_ENVIRONMENT = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSKEY|CREDENTIAL)S?$")
_MIN_SECRET = 12  # characters of a variable's value below which it may be an ordinary word
Span = tuple[int, int]


class Masker:
    """Finds what has to be masked. `names` are people's names, `patterns` the user's own, `secrets` literal values."""

    def __init__(
        self, *, names: Iterable[str] = (), patterns: Sequence[re.Pattern[str]] = (), secrets: Iterable[str] = ()
    ) -> None:
        words = {word for name in names for word in re.findall(r"\w[\w'’-]*", name) if len(word) >= 3}
        escaped = {word.encode("ascii", "backslashreplace").decode() for word in words}
        ordered = sorted(words | escaped, key=lambda word: (-len(word), word))
        self._names = (
            re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, ordered)) + r")(?!\w)", re.I) if words else None
        )
        self._patterns = tuple(patterns)
        values = sorted({value for value in secrets if len(value) >= _MIN_SECRET}, key=len, reverse=True)
        self._values = re.compile("|".join(map(re.escape, values))) if values else None

    def with_secrets(self, secrets: Iterable[str]) -> "Masker":
        """The same, which also knows the credentials a request carried."""
        values = sorted({value for value in secrets if len(value) >= 8}, key=len, reverse=True)
        if not values:
            return self
        known = [self._values.pattern] if self._values else []
        copy = Masker()
        copy._names, copy._patterns = self._names, self._patterns
        copy._values = re.compile("|".join([*map(re.escape, values), *known]))
        return copy

    def secret_spans(self, text: str) -> list[Span]:
        """(start, end) of each credential, in order."""
        finders = [_SECRETS] + ([self._values] if self._values else [])
        found = [match.span() for finder in finders for match in finder.finditer(text)]
        return _apart([*found, *named_spans(text)])

    def personal_spans(self, text: str) -> list[Span]:
        """(start, end) of each piece of personal data, in order. Linear in the length of the text."""
        found = list(_personal(text))
        for finder in (*self._patterns, *([self._names] if self._names else [])):
            found += [match.span() for match in finder.finditer(text) if match.end() > match.start()]
        return _apart(found)

    def request_text(self, text: str, values: list[str]) -> str:
        """A request's text: credentials as `<secret>`, personal data masked; `values` gets each piece that is new."""
        text = _replaced(text, self.secret_spans(text), lambda _: SECRET)

        def note(piece: str) -> str:
            if piece not in values:
                values.append(piece)
            return mask(piece)

        return _replaced(text, self.personal_spans(text), note)


def mask(piece: str) -> str:
    """The piece with its characters hidden and its shape kept, byte for byte. Idempotent."""
    hidden = []
    first = True
    for char in piece:
        if char.isdigit() and char.isascii():
            hidden.append("1" if first and char != "0" else "0")
            first = False
        elif char.isalpha():
            hidden.append({1: "x", 2: "ø", 3: "＊", 4: "𝔵"}[len(char.encode("utf-8", "surrogatepass"))])
        else:
            hidden.append(char)
    return "".join(hidden)


def environment_secrets(environ: Mapping[str, str] | None = None) -> list[str]:
    """Values of variables that are named like credentials."""
    environ = os.environ if environ is None else environ
    return [value for name, value in environ.items() if _ENVIRONMENT.search(name.upper()) and len(value) >= _MIN_SECRET]


def header_secrets(headers: Mapping[str, str]) -> list[str]:
    """The credentials that a request carries in its headers."""
    found = []
    for name in ("authorization", "x-api-key", "x-goog-api-key", "api-key", "proxy-authorization", "cookie"):
        value = headers.get(name, "")
        found += [value, value.partition(" ")[2]]
    return [value.strip() for value in found if len(value.strip()) >= 8]


def is_secret_key(name: str) -> bool:
    """Whether what stands under this key is a credential, whatever it looks like."""
    return _SECRET_KEY.fullmatch(name) is not None


def is_secret_parameter(name: str) -> bool:
    """The same of a parameter of an address, where `key` and `token` are never ordinary words."""
    return _SECRET_PARAMETER.fullmatch(name) is not None


def named_spans(text: str) -> Iterator[Span]:
    """(start, end) of each value that a name in the same text calls a credential, whatever it looks like."""
    if _NAME_HINT.search(text) is None:
        return
    for match in _NAMED.finditer(text):
        start, end = match.span(next(name for name in _VALUES if match[name] is not None))
        if end > start and text[start:end] != SECRET:
            yield start, end


def _personal(text: str) -> Iterator[Span]:
    if "@" not in text and sum(map(text.count, "0123456789")) < 7:
        return
    for match in _PERSONAL.finditer(text):
        piece = match.group()
        if match.lastgroup == "number" and (_DATE_LIKE.match(piece) or not _long_number(piece)):
            continue
        yield match.span()


def _long_number(piece: str) -> bool:
    """In groups only what passes as a card; in one piece any account or phone number."""
    digits = [int(char) for char in piece if char.isdigit()]
    if len(digits) == len(piece):
        return True
    doubled = sum(sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(reversed(digits)))
    return doubled % 10 == 0


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Sorted, and none over another; of two that meet the earlier and longer stays."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _replaced(text: str, spans: Sequence[Span], by: Callable[[str], str]) -> str:
    if not spans:
        return text
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], by(text[start:end])]
        last = end
    return "".join([*parts, text[last:]])
