"""System prompt templates: which variables they may use.

The judge's prompt builder fills exactly these in; publishing refuses any other, so no template can fail for a
variable once it is in use.
"""

from apps.core.errors import BadInput
from apps.core.templating import TemplateProblem, undeclared_variables

JUDGE_VARIABLES = {
    "criteria": "list of {name, description, scoring_guide, weight, pass_mark, kind}",
    "config": "name of the evaluator config",
    "version": "its version number",
    "parameters": "the version's parameters",
    "language": "language of the conversation, as far as known",
    "prompt_language": "language the instructions are written in",
    "rubric_language": "language of the criteria",
    "reason_language": "language the reasons are wanted in",
    "latency": "latency statistics of the conversation",
    "nonce": "the token that fences the transcript",
}


def check_template(source: str, pointer: str = "/system_prompt_template") -> None:
    """Refuse a template that cannot be read or that names a variable nobody fills in. "" is the built-in one."""
    if not source:
        return
    try:
        unknown = sorted(undeclared_variables(source) - set(JUDGE_VARIABLES))
    except TemplateProblem as error:
        raise BadInput(f"{pointer}: {error}", code="template", pointer=pointer) from error
    if unknown:
        raise BadInput(
            f"{pointer}: unknown variables {', '.join(unknown)}; known are {', '.join(JUDGE_VARIABLES)}",
            code="unknown_template_variables",
            pointer=pointer,
            unknown_variables=unknown,
        )
