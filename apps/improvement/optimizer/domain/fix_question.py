"""The question to a model for one fix, what is read of its answer, and the prompt with that fix in it. Pure.

Prompt, finding and transcripts are data between fences, with our instruction after them; what decides in the answer
stands under a key that only our question names (apps.evaluations.domain.secret_keys).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.connectors.llms.base import ChatMessage, LLMRequest
from apps.evaluations.domain.reply_objects import ParseError
from apps.evaluations.domain.secret_keys import SecretKeys
from apps.evaluations.domain.strict_schemas import keys_in_words, one_of, strict, text_of
from apps.evaluations.domain.transcript import neutralised
from apps.improvement.analysis.domain.findings import AnalysedConversation
from apps.improvement.analysis.domain.prompt import rendered
from apps.improvement.domain.prompt_sections import PromptSection, SectionKind, parse, render
from apps.improvement.prompt_templates.domain.texts import PromptTexts, fill_in

MAX_OUTPUT_TOKENS = 4096
MAX_CONVERSATIONS = 6
_TEXT, _SECTION = text_of(), {"type": "string"}  # a section is as long as it has to be
_BREAK = "\u200b"  # what `neutralised` puts into marks, and a model may copy


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFix:
    """One section anew: `number` of it from 0, and what the model says of the change."""

    number: int
    replacement: str
    hopes: str
    might_hurt: str


def fix_request(
    *,
    prompt: str,
    finding: Mapping[str, Any],
    subjects: Sequence[AnalysedConversation],
    texts: PromptTexts,
    nonce: str,
    timeout_s: float,
) -> LLMRequest:
    """The question. `subjects` are train conversations, worst first; the first few are shown. Where the finding names a
    section of the prompt, that one is asked for."""
    sections = parse(prompt)
    meant = section_number(str(finding.get("section") or ""), sections)
    keys = _keys(nonce, open_sections(sections) if meant is None else (f"S{meant + 1}",))
    lines = [*prompt_lines(prompt, nonce), *finding_lines(finding, nonce)]
    lines += [text for subject in subjects[:MAX_CONVERSATIONS] for text in ("", rendered(subject, nonce=nonce))]
    lines += ["", ask_lines(texts, nonce) + keys_in_words(keys.schema, nonce=nonce)]
    return LLMRequest(
        system=texts.system,
        messages=(ChatMessage("user", "\n".join(lines)),),
        schema=keys.schema,
        schema_name="fix",
        max_output_tokens=MAX_OUTPUT_TOKENS,
        timeout_s=timeout_s,
        facts={"task": "propose_fix", "nonce": nonce},
    )


def ask_lines(texts: PromptTexts, nonce: str) -> str:
    """Return the lines that follow the data and name its fence; the keys of the answer come on the line after them."""
    return fill_in(texts.ask, {"nonce": nonce}).rstrip() + "\n"


def prompt_lines(prompt: str, nonce: str) -> list[str]:
    """The prompt as a proposer sees it: section by section, between fences."""
    lines = [f"<<<AGENT PROMPT {nonce}>>>"]
    for number, section in enumerate(parse(prompt), 1):
        mark = " (protected)" if section.protected else ""
        lines += [f"[section S{number}: {one_line(section.title, nonce)}]{mark}"]
        lines.append(neutralised(section.text, nonce=nonce))
    return [*lines, f"<<<END AGENT PROMPT {nonce}>>>", ""]


def finding_lines(finding: Mapping[str, Any], nonce: str) -> list[str]:
    """One finding, between fences."""
    fields = [f"{name}: {one_line(str(finding.get(name) or ''), nonce)}" for name in ("title", "section", "suggestion")]
    return [f"<<<FINDING {nonce}>>>", *fields, f"<<<END FINDING {nonce}>>>"]


def read_fix(text: str, *, prompt: str, nonce: str) -> ProposedFix:
    """The fix in a reply. Raises ParseError where there is none, where there are two, and for a section that the prompt
    has not."""
    answers = [one for one in _keys(nonce).read(text, nonce=nonce) if isinstance(one.get("replacement"), str)]
    if not answers:
        raise ParseError("the reply has no object with replacement and the nonce of the question", raw=text)
    if any(answer != answers[-1] for answer in answers):
        raise ParseError("the reply has several fixes that differ", raw=text)
    last_answer, sections = answers[-1], parse(prompt)
    number = section_number(str(last_answer.get("section") or ""), sections)
    if number is None:
        raise ParseError(f"the prompt has no section {str(last_answer.get('section'))[:60]!r}", raw=text)
    if not last_answer["replacement"].strip():
        raise ParseError("the section would be empty", raw=text)
    return ProposedFix(
        number=number,
        replacement=unbroken(last_answer["replacement"], prompt),
        hopes=one_sentence(last_answer.get("hopes")),
        might_hurt=one_sentence(last_answer.get("might_hurt")),
    )


def with_fix(prompt: str, fix: ProposedFix) -> str:
    """The prompt with this section anew. Its heading stays where the model left it out, and so do the empty lines
    behind it."""
    sections = parse(prompt)
    old = sections[fix.number]
    text = fix.replacement.strip("\r\n")
    if old.kind is SectionKind.HEADING and not text.lstrip().startswith("#"):
        text = f"{old.text.splitlines()[0]}\n{text}"
    ends = old.text[len(old.text.rstrip()) :]
    new = PromptSection(kind=old.kind, title=old.title, text=text.rstrip() + ends)
    return render([*sections[: fix.number], new, *sections[fix.number + 1 :]])


def open_sections(sections: Sequence[PromptSection]) -> list[str]:
    """The marks of the sections that a proposer may write anew."""
    return [f"S{number}" for number, section in enumerate(sections, 1) if not section.protected]


def _keys(nonce: str, sections: Iterable[str] = ()) -> SecretKeys:
    """Return the secret keys of the answer.

    A model that keeps to a schema chooses from `sections`. Of a model that does not, any section is read.
    """
    shape = strict(
        {"nonce": _TEXT, "section": one_of(sections), "replacement": _SECTION, "hopes": _TEXT, "might_hurt": _TEXT}
    )
    return SecretKeys(names=("replacement",), salt=nonce, shape=shape, is_closed=True)


def section_number(said: str, sections: Sequence[PromptSection]) -> int | None:
    """The number of the section that `S2` or a title means, from 0; None where it cannot be told."""
    word = said.strip().strip("[]§ ").casefold()
    first = word.partition(":")[0].partition(" ")[0]
    if first[:1] == "s" and first[1:].isdecimal() and len(first) < 6 and 1 <= int(first[1:]) <= len(sections):
        return int(first[1:]) - 1
    named = [at for at, section in enumerate(sections) if section.title.casefold() == word]
    return named[0] if len(named) == 1 else None


def unbroken(words: str, prompt: str) -> str:
    """The words without the breaks that we put into marks, where the prompt itself has none."""
    return words if _BREAK in prompt else words.replace(_BREAK, "")


def one_line(text: str, nonce: str) -> str:
    """Somebody's words on one line, neutralised."""
    return " ".join(neutralised(text, nonce=nonce).split())[:2000]


def one_sentence(value: Any) -> str:
    """The model's sentence about its fix; "" where there is none."""
    return " ".join(value.split())[:500] if isinstance(value, str) else ""
