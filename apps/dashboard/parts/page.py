"""Parts a page is made of: where it is, its first line, its one main action, what it says when there is nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from apps.dashboard.domain.sentences import Headline
from apps.dashboard.navigation import here, shown_pages, trail, waiting_at

register = template.Library()
FOLDER = "dashboard/parts"


def drawn(name: str, /, **context: Any) -> SafeString:
    return SafeString(render_to_string(f"{FOLDER}/{name}.html", context))


def trimmed(content: str) -> SafeString:
    """The content of a block tag: a template rendered it, so it is markup already."""
    return SafeString(content.strip())


@dataclass(frozen=True, slots=True)
class Crumb:
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One view of a page. `count` or what is `waiting` stands beside the word; the address says which is open."""

    text: str
    url: str
    here: bool = False
    count: int | None = None
    waiting: str = ""


@register.simple_tag(takes_context=True)
def breadcrumb(context: Any, page: str, *rest: Any) -> SafeString:
    """Draw a breadcrumb, as `{% breadcrumb "Runs" run.name run_url "Matrix" %}`.

    It has a page of the sidebar, with its place before it, then a text and its address in turn; the page itself is
    last, without an address. Raises KeyError for a page that the sidebar has not.
    """
    crumbs = [Crumb(gettext(text), url) for text, url in trail(page, context["request"])]
    if not rest:
        crumbs[-1] = Crumb(crumbs[-1].text)
    texts, addresses = rest[::2], [*rest[1::2], ""]
    crumbs += [Crumb(str(text), str(url)) for text, url in zip(texts, addresses, strict=False)]
    return drawn("breadcrumb", crumbs=crumbs, here=crumbs[-1].text)


@register.simple_block_tag
def page_header(content: str, headline: Headline, crumbs: str = "", live: bool = False) -> SafeString:
    """The decision sentence, then what stands inside: one main action (`rb-main`) first, the others after it."""
    return drawn("page_header", headline=headline, crumbs=crumbs, actions=content, live=live)


@register.simple_tag
def decision(text: str, but: str = "", note: str = "") -> SafeString:
    """Render the headline from a template: the answer, its drawback in red, and a line below."""
    return drawn("headline", headline=Headline(text=text, but=but, note=note))


@register.simple_block_tag
def empty(content: str, sentence: str) -> SafeString:
    """A list or panel without rows: whether that is good, and inside what to do first (may be nothing)."""
    return drawn("empty", sentence=sentence, inside=trimmed(content))


@register.simple_block_tag
def refusal(content: str, title: str, remedy: str = "") -> SafeString:
    """A note in place of a button: the action that is impossible, the reason (inside) and the way out. It replaces the
    button, so that nobody presses a dead one."""
    return drawn("refusal", title=title, remedy=remedy, why=trimmed(content))


@register.simple_tag
def loading(what: str) -> SafeString:
    """Stands where something arrives as a second partial."""
    return drawn("loading", what=what)


@register.simple_tag
def evaluation_tabs(evaluation_id: UUID, here: str) -> SafeString:
    """The three views of one evaluation: `here` is evaluation, matrix or slices."""
    every = [
        Tab(text=name.capitalize(), url=reverse(name, args=[evaluation_id]), here=name == here)
        for name in ("evaluation", "matrix", "slices")
    ]
    return drawn("tabs", tabs=every, label="Views of this evaluation")


@register.simple_tag(takes_context=True)
def place_tabs(context: Any) -> SafeString:
    """Draw the pages of this place of the sidebar as tabs; nothing where it has one page.

    Where they are listed, draw the way back to their list.
    """
    request = context.get("request")
    at = here(request) if request is not None and request.user.is_authenticated else None
    if at is None:
        return SafeString("")
    place, page = at
    pages = shown_pages(place, request)
    if place.listed:
        back = [Tab(text=f"← All {place.title.lower()}", url=pages[0].link())] if pages and page != pages[0] else []
        return drawn("tabs", tabs=back, label=f"Pages of {place.title}") if back else SafeString("")
    every = [Tab(text=one.title, url=one.link(), here=one == page, waiting=waiting_at([one], request)) for one in pages]
    return drawn("tabs", tabs=every, label=f"Pages of {place.title}") if len(every) > 1 else SafeString("")


@register.simple_tag(takes_context=True)
def shell_crumbs(context: Any, parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The shell's own breadcrumb in the sidebar's words: place and page in the stead of app and model."""
    request = context["request"]
    at = here(request) if len(parts) > 1 else None
    if at is None:
        return list(parts)
    return [*({"title": text, "link": url} for text, url in trail(at[1].title, request)), *parts[2:]]


@register.simple_block_tag
def side_panel(content: str, title: str, back: str, key: str = "panel") -> SafeString:
    """Details beside a list, opened by an address: focus goes to it, Escape and Close lead `back`."""
    return drawn("side_panel", title=title, back=back, inside=content, key=key)


@register.simple_tag
def progress(done: int, total: int, what: str, left: str = "") -> SafeString:
    """Draw how far work is, with words beside the bar; `left` is the time to go or what it waits for."""
    share = 100 * done / total if total else 0.0
    return drawn("progress", done=done, total=total, what=what, left=left, share=f"{share:.1f}")


@register.simple_tag
def keys(**every: str) -> SafeString:
    """Draw the page's own keys, behind `?` and one button: `{% keys j="next turn" k="previous turn" %}`."""
    return drawn("keys", keys=[(name.replace("_", " "), text) for name, text in every.items()])
