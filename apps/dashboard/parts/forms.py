"""Parts of a form: help and errors at the field, a consequence before an act, a secret shown once."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from apps.dashboard.parts.page import drawn, trimmed

register = template.Library()


@register.simple_tag
def form_errors(errors: Any, title: str = "Nothing was saved") -> SafeString:
    """Above a form: what is wrong as links to the fields (GOV.UK's error summary). `errors` is field name to sentences,
    as Django's `form.errors`; nothing without errors."""
    lines = [(name, text) for name, texts in (errors or {}).items() for text in _sentences(texts)]
    return drawn("form_errors", lines=lines, title=title) if lines else SafeString("")


@register.simple_block_tag
def field(content: str, name: str, label: str, help: str = "", errors: Any = None) -> SafeString:
    """A labelled field; inside stands the control, which carries `id="id_NAME"` and
    `aria-describedby="help_NAME error_NAME"`."""
    return drawn("field", name=name, label=label, help=help, errors=_sentences(errors), control=trimmed(content))


@register.simple_tag
def form_field(bound: Any, mark_needed: bool = True) -> SafeString:
    """Draw a Django form's field: label, control, help and errors. Ids are set for screen readers.

    Without `mark_needed` nothing says that it is needed: on a form where nearly every field is, and is filled.
    """
    described = {"class": "rb-input", "aria-describedby": f"help_{bound.html_name} error_{bound.html_name}"}
    if bound.errors:
        described["aria-invalid"] = "true"
    return drawn(
        "field",
        name=bound.html_name,
        label=bound.label,
        help=bound.help_text,
        errors=list(bound.errors),
        control=bound.as_widget(attrs={**bound.field.widget.attrs, **described}),
        required=bound.field.required and mark_needed,
    )


@register.simple_block_tag(takes_context=True)
def confirm(
    context: Any,
    content: str,
    key: str,
    button: str,
    action: str,
    consequence: str,
    verb: str = "",
    danger: bool = True,
    main: bool = False,
) -> SafeString:
    """A button that first says what will happen and cannot be undone (`consequence`), then asks. Inside may stand
    further fields or the difference. POST to `action`; without script too. `key` is the part's id on the page, `main`
    whether it is the page's one main action."""
    return drawn(
        "confirm",
        key=key,
        button=button,
        action=action,
        consequence=consequence,
        verb=verb or button,
        danger=danger,
        main=main,
        inside=trimmed(content),
        csrf_token=context.get("csrf_token", ""),
    )


@register.simple_tag
def secret_once(secret: str, what: str, back: str = "") -> SafeString:
    """A key just made: shown this once, to be copied; what is stored cannot give it back."""
    return drawn("secret_once", secret=secret, what=what, back=back)


def _sentences(errors: Any) -> list[str]:
    return [errors] if isinstance(errors, str) else [str(error) for error in errors or ()]
