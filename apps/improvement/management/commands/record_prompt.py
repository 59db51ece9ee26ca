"""Command `record_prompt FILE --tenant T`: record a prompt file, or standard input.

It becomes a version, or a draft of the live one.
"""

from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.prompts.services.recording import record_prompt
from apps.core.actor import actor_now
from apps.core.documents import as_json
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.queries.documents import draft_document
from apps.improvement.drafts.services.drafting import draft_from_file
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Keep a prompt file as a version, named after the commit that last changed it, and print that name. A version "
        "that is new is live from then on: it is played where nobody names one. With --draft it is a draft of the live "
        "prompt of its name, which guards look at: refused with their reasons (exit 1), or ready to be tried, with "
        "what they warn of. Where no prompt of that name is live, or --revision names its commit, a draft is only "
        "recorded: a rollout may try it as a canary."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the prompt; `-` reads standard input, and wants --name")
        parser.add_argument("--name", default=None, help="the prompt's name; default: the file's, without its ending")
        parser.add_argument("--revision", default="", help="the commit it is named after; default: what git says")
        parser.add_argument("--draft", action="store_true", help="a draft: nothing becomes live")

    def answer(self, *, tenant: str, file: str, name: str | None, revision: str, draft: bool, **_: Any) -> Any:
        made = draft_from_file(path=file, name=name, by=actor_now()) if draft and not revision else None
        if made is None:
            version = record_prompt(path=file, name=name, revision=revision, draft=draft, by="command")
            return {"tenant": tenant, "version": version, "draft": draft}
        document = as_json(draft_document(made))
        answer = {"tenant": tenant, "version": document["prompt_version"], "draft": True, "id": document["id"]}
        answer |= {"status": document["status"], "refusals": document["refusals"], "warnings": document["warnings"]}
        return answer, Exit.NO if document["status"] == DraftStatus.REFUSED else Exit.DONE

    def show(self, answer: Any) -> None:
        if answer["version"]:
            self.stdout.write(answer["version"])
        for word, reasons in (("refused", "refusals"), ("warning", "warnings")):
            for one in answer.get(reasons, ()):
                place = f"line {one['where']['line']}: " if one["where"] else ""
                self.stdout.write(f"{word} ({one['code']}): {place}{one['message']}")
