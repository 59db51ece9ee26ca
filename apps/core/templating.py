"""Templates written by users: an allow-list of what they may be made of, and a meter on what rendering costs.

A template is checked (`template_rules`) whenever it is read, so what was stored before a rule was made is held by it
too. Rendering counts loop turns, what filters make and what comes out, and stops at the limit. The sandbox refuses
attributes that lead out of plain data; an undefined variable is an error, never an empty text.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, meta, nodes, pass_context
from jinja2.compiler import CodeGenerator
from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from apps.core.errors import BadInput
from apps.core.template_rules import FILTERS, TESTS, fault, size

MAX_TEMPLATE_CHARS = 100_000
MAX_OUTPUT_CHARS = 1_000_000  # about 250,000 tokens: more than a judge's context holds
MAX_STEPS = 200_000  # parts evaluated; 100 criteria with 11 marks each take 10,000
_CHARS_A_STEP = 64  # copying 64 characters costs about as much as evaluating one part
_METER = "_meter"
_COUNTED = "_counted"


class TemplateProblem(BadInput):
    """A template that cannot be read or rendered; the message says where and why."""

    code = "template"


def undeclared_variables(source: str) -> frozenset[str]:
    """Names the template expects to be given. Raises TemplateProblem where it cannot be read or has a part that is not
    allowed. Nothing of the template is evaluated."""
    return _ready(source).names


def render(source: str, context: Mapping[str, Any]) -> str:
    """The template with the context filled in. Compiled once per source (256 kept).

    Raises TemplateProblem for what `undeclared_variables` refuses, an undefined variable, a forbidden attribute, a
    failing expression, and where rendering takes more than MAX_STEPS or gives more than MAX_OUTPUT_CHARS.
    """
    template = _ready(source).template
    meter = _Meter()
    try:
        return "".join(meter.passed(template.generate({**context, _METER: meter})))
    except (UndefinedError, SecurityError, TemplateError) as error:
        raise TemplateProblem(_short(error)) from error
    except TemplateProblem:
        raise
    except Exception as error:  # whatever a template of users raises is that template's fault, and stops no neighbour
        raise TemplateProblem(f"the template cannot be rendered: {type(error).__name__}: {_short(error)}") from error


@dataclass(slots=True)
class _Meter:
    """The cost of one rendering so far, in steps and characters."""

    steps: int = 0
    chars: int = 0

    def spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise TemplateProblem("the template takes too long: fewer loops and filters, or loops over less")

    def passed(self, parts: Iterable[str]) -> Iterator[str]:
        for part in parts:
            self.chars += len(part)
            if self.chars > MAX_OUTPUT_CHARS:
                raise TemplateProblem(f"the template gives more than {MAX_OUTPUT_CHARS:,} characters")
            yield part


class _Unfolded(CodeGenerator):
    """Jinja's compiler, which evaluates nothing while it compiles."""

    def _output_child_to_const(self, node: nodes.Expr, frame: Any, finalize: Any) -> str:
        if not isinstance(node, nodes.TemplateData):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)


class _Environment(ImmutableSandboxedEnvironment):
    code_generator_class = _Unfolded


def _environment() -> _Environment:
    # Plain text for a model, not HTML: escaping here would put &amp; into prompts.
    environment = _Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, optimized=False)
    environment.globals.clear()
    environment.filters = {name: _metered(name) for name in FILTERS} | {_COUNTED: _counted}
    environment.tests = {name: environment.tests[name] for name in TESTS}
    return environment


def _metered(name: str) -> Any:
    @pass_context
    def apply(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        meter: _Meter = context[_METER]
        meter.spend(1 + _cost(value) + _growth(name, value, args, kwargs))
        made = _LIBRARY.call_filter(name, value, args, kwargs, context=context)
        meter.spend(_cost(made))
        return made

    return apply


def _cost(value: Any) -> int:
    if isinstance(value, str):
        return len(value) // _CHARS_A_STEP
    return len(value) if isinstance(value, (Mapping, list, tuple)) else 0


def _growth(name: str, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> int:
    """The steps for the output of the two filters that can multiply their input, counted before they run."""
    chars = 0
    if name == "replace":
        old, new = ((*args, kwargs.get("new", ""), "")[0:2]) if args else (kwargs.get("old", ""), kwargs.get("new", ""))
        chars = (len(str(value)) // max(1, len(str(old))) + 1) * len(str(new))
    elif name == "join":
        between = str(args[0] if args else kwargs.get("d", ""))
        chars = len(between) * (len(value) if hasattr(value, "__len__") else 0)
    return chars // _CHARS_A_STEP


@pass_context
def _counted(context: Context, given: Any, parts: int) -> Iterator[Any]:
    """Yield the items of a loop; each turn is charged with the parts of the loop's body."""
    meter: _Meter = context[_METER]
    for item in given:
        meter.spend(parts)
        yield item


_LIBRARY = ImmutableSandboxedEnvironment(undefined=StrictUndefined)  # only its filters are used, through `_metered`
_ENVIRONMENT = _environment()


def _short(error: Exception) -> str:
    """The error's text, cut so that a very long name does not fill it."""
    text = str(error)
    return text if len(text) <= 300 else f"{text[:300]}…"


def _tree(source: str) -> nodes.Template:
    if len(source) > MAX_TEMPLATE_CHARS:
        raise TemplateProblem(f"the template has {len(source):,} characters, the limit is {MAX_TEMPLATE_CHARS:,}")
    try:
        tree = _ENVIRONMENT.parse(source)
    except TemplateSyntaxError as error:
        raise TemplateProblem(f"line {error.lineno}: {_short(error)}") from error
    except RecursionError:
        raise TemplateProblem("the template is nested too deeply") from None
    except (TemplateError, ValueError) as error:  # ValueError: a number of thousands of digits
        raise TemplateProblem(f"the template cannot be read: {_short(error)}") from error
    problem = fault(tree)
    if problem:
        raise TemplateProblem(f"line {problem[0]}: {problem[1]}")
    return tree


@dataclass(frozen=True, slots=True)
class _Ready:
    template: Template
    names: frozenset[str]


def _ready(source: str) -> _Ready:
    ready = _compiled(source)
    if isinstance(ready, str):
        raise TemplateProblem(ready)
    return ready


@lru_cache(maxsize=256)
def _compiled(source: str) -> _Ready | str:
    """Ready to be rendered, or what is wrong: a faulty one is not read again for each of a thousand conversations."""
    try:
        tree = _tree(source)
        return _made_ready(tree)
    except TemplateProblem as problem:
        return problem.message
    except Exception as error:  # the compiler's own limits
        return f"the template cannot be read: {type(error).__name__}: {_short(error)}"


def _made_ready(tree: nodes.Template) -> _Ready:
    names = frozenset(meta.find_undeclared_variables(tree))
    for loop in list(tree.find_all(nodes.For)):
        charge = nodes.Filter(loop.iter, _COUNTED, [nodes.Const(size(loop))], [], None, None, lineno=loop.lineno)
        loop.iter = charge.set_environment(_ENVIRONMENT)
    return _Ready(Template.from_code(_ENVIRONMENT, _ENVIRONMENT.compile(tree), {}), names)
