"""`ratiba-ci goldens import|export`: ConversationalGoldens of DeepEval as scenarios, and scenarios as goldens.

Exit 0 done, 2 for a file that cannot be read or would be overwritten. DeepEval need not be installed.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pytest_ratiba.collecting import SCENARIOS, all_scenarios
from pytest_ratiba.config import read_project
from pytest_ratiba.deepeval.golden_files import read_golden_rows
from pytest_ratiba.deepeval.golden_import import GoldenImportOptions, imported_goldens
from pytest_ratiba.deepeval.golden_rows import golden_row
from pytest_ratiba.errors import ProjectError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this subcommand."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="import|export")
    bring = verbs.add_parser("import", help="a dataset (.json, .jsonl) becomes a file of scenarios")
    bring.add_argument("file", type=Path, help="what EvaluationDataset.save_as wrote")
    bring.add_argument("--into", type=Path, help="the YAML file to write; default: beside the project's scenarios")
    bring.add_argument("--language", default="en", help="where a golden's metadata names none; default: en")
    bring.add_argument("--scripted", action="store_true", help="the turns of a golden are the whole conversation")
    bring.add_argument(
        "--approved-by", default="", metavar="NAME", help="who lets the personas play without a validation"
    )
    bring.add_argument("--force", action="store_true", help="overwrite the file")
    send = verbs.add_parser("export", help="the project's scenarios become a dataset")
    send.add_argument("file", type=Path, help="the .json to write")
    send.add_argument("--only", action="append", metavar="CASE", help="only this case; may be given several times")
    send.add_argument("--force", action="store_true", help="overwrite the file")


def run(options: argparse.Namespace) -> int:
    """See the module. What is not carried over, or not used on the other side, is said on stderr."""
    return _import(options) if options.verb == "import" else _export(options)


def _import(options: argparse.Namespace) -> int:
    rows = read_golden_rows(options.file)
    made = imported_goldens(
        rows,
        now=datetime.now(UTC),
        options=GoldenImportOptions(
            language=options.language, approved_by=options.approved_by, scripted=options.scripted
        ),
    )
    folder = read_project(Path.cwd()).folder_of("scenarios", SCENARIOS)
    target: Path = options.into or folder / f"{options.file.stem}.yaml"
    _write(target, f"# From {options.file.name}, a dataset of DeepEval.\n{made.as_yaml()}", force=options.force)
    _notes(made.notes)
    waiting = [str(persona["name"]) for persona in made.personas if "status" not in persona]
    print(f"{target}: {len(made.scenarios)} scenarios, {len(made.personas)} personas")
    if waiting:
        print(
            f"These personas wait for their validation on the server: {', '.join(waiting)}"
            " (or import again with --approved-by NAME)"
        )
    return 0


def _export(options: argparse.Namespace) -> int:
    every = all_scenarios(read_project(Path.cwd()))
    cases = every.scenarios
    wanted = options.only or [case.id for case in cases]
    missing = next((name for name in wanted if name not in {case.id for case in cases}), None)
    if missing is not None:
        raise ProjectError(f"there is no case {missing!r}; there are {', '.join(case.id for case in cases) or 'none'}")
    if not cases:
        raise ProjectError("the project has no scenarios")
    personas = [entry for section in every.sections for entry in section.get("personas") or ()]
    goldens = [(case, golden_row(case, personas)) for case in cases if case.id in wanted]
    text = json.dumps([dict(one.row) for _, one in goldens], ensure_ascii=False, indent=4, default=str)
    _write(options.file, f"{text}\n", force=options.force)
    _notes(f"{case.source.path}:{case.line}: {case.id}: {note}" for case, one in goldens for note in one.notes)
    print(f"{options.file}: {len(goldens)} goldens")
    return 0


def _write(path: Path, text: str, *, force: bool) -> None:
    if path.exists() and not force:
        raise ProjectError("is there already; --force overwrites it", where=str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ProjectError(f"cannot be written: {error}", where=str(path)) from error


def _notes(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr)
