"""Templates written by users: rendered in a sandbox, checked before they are kept.

The sandbox refuses attributes that lead out of plain data; templates see only what they are given; an undefined
variable is an error, never an empty text.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, meta
from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from apps.core.errors import BadInput

MAX_TEMPLATE_CHARS = 100_000
MAX_RANGE = 1_000


class TemplateProblem(BadInput):
    """A template that cannot be read or rendered; the message says where and why."""

    code = "template"


def _bounded_range(*args: int) -> range:
    """range(), refused beyond 1,000 items: a template has no need of more, a loop bomb has."""
    result = range(*args)
    if len(result) > MAX_RANGE:
        raise SecurityError(f"range() is limited to {MAX_RANGE} items in a template")
    return result


def _environment() -> ImmutableSandboxedEnvironment:
    # Plain text for a model, not HTML: escaping here would put &amp; into prompts.
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals.clear()
    environment.globals["range"] = _bounded_range
    return environment


_ENVIRONMENT = _environment()


@lru_cache(maxsize=256)
def _compiled(source: str) -> Template:
    if len(source) > MAX_TEMPLATE_CHARS:
        raise TemplateProblem(f"the template has {len(source):,} characters, the limit is {MAX_TEMPLATE_CHARS:,}")
    try:
        return _ENVIRONMENT.from_string(source)
    except TemplateSyntaxError as error:
        raise TemplateProblem(f"line {error.lineno}: {error.message}") from error
    except TemplateError as error:
        raise TemplateProblem(str(error)) from error


def undeclared_variables(source: str) -> frozenset[str]:
    """Names the template expects to be given. Raises TemplateProblem where it cannot be read. Cheap: no rendering."""
    _compiled(source)  # syntax and size first, with our message
    names = meta.find_undeclared_variables(_ENVIRONMENT.parse(source))
    return frozenset(names) - set(_ENVIRONMENT.globals)


def render(source: str, context: Mapping[str, Any]) -> str:
    """The template with the context filled in. Compiled once per source (256 kept).

    Raises TemplateProblem for an undefined variable, a forbidden attribute or a failing expression.
    """
    try:
        return _compiled(source).render(context)
    except (UndefinedError, SecurityError) as error:
        raise TemplateProblem(str(error)) from error
    except TemplateError as error:
        raise TemplateProblem(str(error)) from error
    except (TypeError, ValueError, ZeroDivisionError, AttributeError, LookupError) as error:
        raise TemplateProblem(f"the template cannot be rendered: {type(error).__name__}: {error}") from error
