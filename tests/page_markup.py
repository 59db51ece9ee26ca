"""Pages as a browser takes them, for tests that look for words and markup: how a template is laid out says nothing.

Blanks and line breaks are one blank, none beside what begins a line of its own; a tag stands on one line. What is read
as it is written (`pre`, `textarea`, scripts, styles) stays.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_AS_WRITTEN = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.S)
_TAG_OR_TEXT = re.compile(r"(<[a-zA-Z/](?:[^<>\"]|\"[^\"]*\")*>)|[^<]+")
_VALUE = re.compile(r'("[^"]*")')
_OWN_LINE = (
    "html|head|body|title|meta|link|main|div|p|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|td|th|caption|section|"
    "article|header|footer|nav|aside|form|fieldset|legend|h[1-6]|details|summary|dialog|hr|br|select|option|optgroup|"
    "datalist|svg|rect|line|path|g|text|polyline|polygon|blockquote"
)
_BESIDE = re.compile(rf" ?(</?(?:{_OWN_LINE})\b(?:[^<>\"]|\"[^\"]*\")*>) ?")
_EDGES = re.compile(r"(<(button|a|label)\b(?:[^<>\"]|\"[^\"]*\")*>) | (</(?:button|label)>)")


class PageMarkup:
    """The outermost middleware of tests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and not response.streaming and "Content-Encoding" not in response.headers:
            response.content = as_taken(response.content.decode()).encode()
        return response


def as_taken(page: str) -> str:
    parts = _AS_WRITTEN.split(page)
    # Of each match the whole and the name of its tag come back; the name is left out.
    return "".join(one if at % 3 == 1 else _laid_out(one) for at, one in enumerate(parts) if at % 3 != 2)


def _laid_out(markup: str) -> str:
    markup = _TAG_OR_TEXT.sub(lambda one: _on_one_line(one[0]) if one[1] else re.sub(r"\s+", " ", one[0]), markup)
    return _EDGES.sub(lambda found: found[1] or found[3], _BESIDE.sub(r"\1", markup))


def _on_one_line(tag: str) -> str:
    """Blanks between attributes are one; a value stays as it is, but for that of `class`."""
    tag = "".join(one if at % 2 else re.sub(r"\s+", " ", one) for at, one in enumerate(_VALUE.split(tag)))
    tag = re.sub(r'(?<= class=")[^"]*', lambda names: " ".join(names[0].split()), tag)
    return re.sub(r" (/?>)$", r"\1", tag)
