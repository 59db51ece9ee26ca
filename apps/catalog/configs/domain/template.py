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
    "persona": "the simulated customer's text, where one played",
    "goal": "what that customer wanted",
    "agent_profile": "what is known of the agent, as JSON",
    "nonce": "the token that fences the transcript",
}


def check_language(source: str, pointer: str = "/system_prompt_template") -> frozenset[str]:
    """The variables of a template; whether somebody fills them in is asked when it is published. Raises BadInput where
    it cannot be read or has a part that no template may have. "" is the built-in one."""
    try:
        return undeclared_variables(source) if source else frozenset()
    except TemplateProblem as error:
        raise BadInput(f"{pointer}: {error}", code="template", pointer=pointer) from error


def check_template(source: str, pointer: str = "/system_prompt_template") -> None:
    """Refuse a template that cannot be read or that names a variable nobody fills in. "" is the built-in one."""
    unknown = sorted(check_language(source, pointer) - set(JUDGE_VARIABLES))
    if unknown:
        raise BadInput(
            f"{pointer}: unknown variables {', '.join(unknown)}; known are {', '.join(JUDGE_VARIABLES)}",
            code="unknown_template_variables",
            pointer=pointer,
            unknown_variables=unknown,
        )
