"""`ratiba-ci gate`: may this pull request pass?

Exit 0 pass or nothing to ask, 1 worse, 2 wrong use, configuration or a play that was tampered with, 3 could not be
measured; of several agents the first of 2, 1, 3. An advisory gate exits with 1 where it shows a loss, unless the rule
says `advisory_loss: warn`, else with 0.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_ratiba.ci.acceptance import accepted_by_a_person
from pytest_ratiba.ci.asking import GateAsking
from pytest_ratiba.ci.github import CommentRefused, annotation, append_summary, comments_of_environment
from pytest_ratiba.ci.machine_files import files_of_no_commit
from pytest_ratiba.ci.opened_files import OpenedFiles
from pytest_ratiba.ci.play_watch import PlayWatch
from pytest_ratiba.ci.runner_lines import say
from pytest_ratiba.ci.scope import ProjectChange, project_change, refuse_uncommitted
from pytest_ratiba.ci.side import SideUnmeasurable
from pytest_ratiba.client import RatibaClient, ServerError, client_of_environment
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import top_folder
from pytest_ratiba.portable.changes.matrix import GateNeed
from pytest_ratiba.repository_process import AGENT_PREFIX, agent_prefix

MISCONFIGURED, UNMEASURABLE = 2, 3
_WORST = (MISCONFIGURED, 1, UNMEASURABLE, 0)  # a loss that was shown stands above what could not be measured


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this subcommand."""
    parser.add_argument("--base", default="", help="branch or commit to compare with; the default branch by default")
    parser.add_argument("--changed-files", type=Path, help="file of changed paths, one a line, instead of git's answer")
    parser.add_argument("--need", choices=list(GateNeed), default="", help="override the matrix")
    parser.add_argument("--only-matrix", action="store_true", help="say what is needed, and stop")
    parser.add_argument("--github-output", type=Path, help="write need=… and base=… to this file")
    parser.add_argument("--junit", type=Path, help="write JUnit XML")
    parser.add_argument(
        "--report", type=Path, help="folder for report.html, .json and .md; of several agents, one below it for each"
    )
    parser.add_argument("--summary", type=Path, help="append Markdown here; $GITHUB_STEP_SUMMARY by default")
    parser.add_argument("--no-comment", action="store_true", help="write no comment on the pull request")


def run(options: argparse.Namespace) -> int:
    """See the module."""
    change = project_change(Path.cwd(), base=options.base, listed=options.changed_files, need=options.need)
    outputs = _Outputs(options)
    _say_scope(change)
    if options.github_output:
        with options.github_output.open("a", encoding="utf-8") as file:
            file.write(f"need={change.scope.need}\nbase={change.base}\n")
    if options.only_matrix:
        return 0
    if change.scope.need is GateNeed.NOTHING:
        outputs.summary("**Evaluation gate:** nothing to evaluate: no rule asks for it.")
        return 0
    refuse_uncommitted(change.project.folder)
    blocking = change.scope.need is GateNeed.BLOCKING
    client = client_of_environment()
    if client is None:
        return outputs.unmeasured(
            "not run: RATIBA_URL and RATIBA_API_KEY are not set (a fork has no secrets); "
            "a maintainer can start the workflow by hand",
            blocking=blocking,
        )
    if notice := key_notice(effective_user=os.geteuid(), folder=change.project.folder):
        say(notice, to=sys.stderr)
    return _ask(client, change, outputs, blocking=blocking)


def key_notice(*, effective_user: int, folder: Path) -> str:
    """Return a warning where the pull request's code runs as root beside the key; "" where it does not."""
    if effective_user or agent_prefix(folder):
        return ""
    return (
        f"root runs the pull request's code here, and root can read the server's key: set {AGENT_PREFIX} "
        "(docs/gate.md) so that it runs as another user"
    )


def _ask(client: RatibaClient, change: ProjectChange, outputs: "_Outputs", *, blocking: bool) -> int:
    watch = PlayWatch(root=top_folder(change.project.folder), ours=outputs.places)
    watch.refuse_more_files(change.commit)  # while it costs nothing
    every = GateAsking(
        client=client,
        change=change,
        watch=watch,
        pull_request=_budget_name(change.commit),
        title=os.environ.get("RATIBA_PULL_REQUEST_TITLE", ""),
        report=lambda line: say(line, to=sys.stderr),
    )
    outside = files_of_no_commit(watch.root, watch.files(change.commit), ours=outputs.places)
    codes = [_of_gone(client, change, outputs, name, blocking=blocking) for name in change.gone]
    others = {name for name in change.scope.others if replace(every, change=change.advisory()).plays(name)}
    agents = [name for name in change.agents if name in {*change.scope.agents, *others}]
    for agent in agents:
        own = change if agent in change.scope.agents else change.advisory()
        asking = replace(every, change=own, opened=OpenedFiles(change.changed, outside=outside))
        try:
            gate = asking.gate_of(agent)
            junit, html = client.gate_junit(gate["id"]), client.gate_report(gate["id"])
        except (SideUnmeasurable, ServerError) as error:
            if getattr(error, "status", 0) in (401, 403):
                raise ProjectError(f"the server does not take RATIBA_API_KEY for this: {error}") from error
            stops = asking.blocks or (getattr(error, "by_agent", False) and asking.stops_on_loss)
            codes.append(outputs.unmeasured(f"{agent}: {error}", blocking=stops))
        except ProjectError as error:  # the other agents have their answer all the same
            outputs.unmeasured(f"{agent}: {error}", blocking=True)
            codes.append(MISCONFIGURED)
        else:
            codes.append(int(gate["exit_code"] or 0) if gate["blocks"] else 0)
            folder = agent if len(agents) > 1 else ""
            outputs.gate(gate, junit=junit, html=html, folder=folder)
    if watch.tampered:
        codes.append(outputs.tampered(watch.tampered))
    outputs.comment()
    client.close()
    return next((code for code in _WORST if code in codes), 0)


def _of_gone(client: RatibaClient, change: ProjectChange, outputs: "_Outputs", name: str, *, blocking: bool) -> int:
    """An agent that was gated at the merge base and is not any more, or is no code of this repository any more: the
    commit's own one cannot be played, so a person decides."""
    if any(accepted_by_a_person(client, agent, change) for agent in change.scope.agents):
        return 0
    sentence = (
        "it was gated at the merge base as code of this repository, and the configuration has it no more or has it "
        "answer elsewhere; a curator accepts it on a gate's page"
    )
    return outputs.unmeasured(f"{name}: {sentence}", blocking=blocking)


def _budget_name(commit: str) -> str:
    """Name the budget that pays: that of this pull request of this repository, else that of this commit."""
    number = os.environ.get("RATIBA_PULL_REQUEST", "").strip()
    place = next((one for name in ("GITHUB_REPOSITORY", "CI_PROJECT_PATH") if (one := os.environ.get(name, ""))), "")
    return f"{place} {f'PR {number}' if number else f'commit {commit[:12]}'}".strip()[:200]


def _say_scope(change: ProjectChange) -> None:
    about = ", ".join(change.scope.agents) or "no agent's gate is needed for what changed"
    say(f"{change.scope.need}: {about}", to=sys.stderr)
    if change.scope.others:
        say(f"{GateNeed.ADVISORY}, where scenarios name it: {', '.join(change.scope.others)}", to=sys.stderr)
    for what, why in change.scope.reasons[:10]:
        say(f"  {what!r}: {why}", to=sys.stderr)
    for note in change.scope.notes:
        say(f"  {note}", to=sys.stderr)


class _Outputs:
    """The outputs write the gate's answer to every place that is asked for.
    The places are the terminal, files, the runner's summary and annotations, and the pull request."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._on_github = os.environ.get("GITHUB_ACTIONS") == "true"
        step = os.environ.get("GITHUB_STEP_SUMMARY", "")
        self._summary: Path | None = options.summary or (Path(step) if step else None)
        self._junit: list[str] = []
        self._sections: list[str] = []  # of the comment
        self._refuse_unwritable()

    @property
    def places(self) -> tuple[Path, ...]:
        """Files and folders that are written to."""
        options = self._options
        every = (self._summary, options.junit, options.report, options.github_output, options.changed_files)
        return tuple(one for one in every if one is not None)

    def _refuse_unwritable(self) -> None:
        """Before anything is played: a place that cannot be written to is found out while it costs nothing."""
        for path in (self._summary, self._options.junit, self._options.report):
            try:
                if path is not None and path is self._options.report:
                    path.mkdir(parents=True, exist_ok=True)
                elif path is not None:
                    path.open("a").close()
            except OSError as error:
                raise ProjectError(f"cannot be written: {error.strerror}", where=str(path)) from error

    def summary(self, text: str) -> None:
        if self._summary is not None:
            append_summary(text, self._summary)

    def unmeasured(self, sentence: str, *, blocking: bool) -> int:
        say(f"unmeasurable: {sentence}")
        line = " ".join(sentence.replace("`", " ").split())
        self._sections.append(f"### ⚠️ unmeasurable — could not be measured\n\n`{line}`")
        self.summary(f"**Evaluation gate:** could not be measured. `{line}`")
        self._annotate("error" if blocking else "warning", f"could not be measured: {sentence}")
        return UNMEASURABLE if blocking else 0

    def tampered(self, found: Sequence[str]) -> int:
        """Report the files that were written to while the agents were played.
        The exit status is that of wrong use, whatever the gate says."""
        sentence = f"the play was tampered with: {'; '.join(found[:5])}"
        say(sentence)
        self.summary(f"**Evaluation gate:** `{' '.join(sentence.replace('`', ' ').split())}`")
        self._annotate("error", sentence)
        return MISCONFIGURED

    def gate(self, gate: Mapping[str, Any], *, junit: str, html: str, folder: str) -> None:
        say(gate["terminal"])
        self._sections.append(str(gate["markdown"]))
        self.summary(str(gate["markdown"]))
        if gate["exit_code"]:
            told = "" if gate["blocks"] else " and lets it through"
            self._annotate("error" if gate["blocks"] else "warning", str(gate["sentence"]), title=f"gate{told}")
        if self._options.report:
            place = self._options.report / folder.replace("/", "_")
            place.mkdir(parents=True, exist_ok=True)
            document = json.dumps(gate, indent=2, ensure_ascii=False) + "\n"
            for name, text in (("json", document), ("html", html), ("md", str(gate["markdown"]))):
                (place / f"report.{name}").write_text(text, encoding="utf-8", errors="replace")
        if self._options.junit:
            self._junit.append(junit)
            self._options.junit.write_text(_one_junit(self._junit), encoding="utf-8")

    def comment(self) -> None:
        comments = None if self._options.no_comment or not self._sections else comments_of_environment()
        if comments is None:
            return
        head = os.environ.get("RATIBA_PULL_REQUEST_HEAD", "").strip()
        try:
            address = comments.put("\n\n".join(self._sections), name="eval", head=head)
        except CommentRefused as error:  # the step's summary has it all
            say(f"no comment was written: {error}", to=sys.stderr)
        else:
            say(f"comment: {address}", to=sys.stderr)

    def _annotate(self, kind: str, sentence: str, *, title: str = "gate") -> None:
        if self._on_github:
            print(annotation(kind, sentence, title=f"Evaluation {title}"))


def _one_junit(documents: Sequence[str]) -> str:
    """The suites of several agents in one file."""
    from xml.etree import ElementTree

    whole = ElementTree.fromstring(documents[0])  # noqa: S314 - from our own server
    for text in documents[1:]:
        other = ElementTree.fromstring(text)  # noqa: S314
        whole.extend(list(other))
        for name in ("tests", "failures", "errors", "skipped"):
            whole.set(name, str(int(whole.get(name, "0")) + int(other.get(name, "0"))))
    return ElementTree.tostring(whole, encoding="unicode", xml_declaration=True)
