"""DeepEval's modules, imported when they are wanted: `import deepeval` takes two seconds."""

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pytest_ratiba.errors import ProjectError

OLDEST = (3, 9)


def deepeval_module(name: str = "") -> Any:
    """`deepeval`, or `deepeval.<name>`. Raises `ProjectError` where it is missing or older than 3.9.

    Its telemetry is switched off, unless DEEPEVAL_TELEMETRY_OPT_OUT says otherwise.
    """
    try:
        installed = version("deepeval")
    except PackageNotFoundError as error:
        raise ProjectError("deepeval is not installed: pip install 'pytest-ratiba[eval]'") from error
    numbers = tuple(int(part) for part in installed.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        raise ProjectError(f"deepeval {installed} is too old: pip install 'deepeval>=3.9'")
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    return import_module(f"deepeval.{name}" if name else "deepeval")


def accepted(model: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Of these fields those that a class of DeepEval has in the installed version, without those that are None."""
    return {name: value for name, value in fields.items() if name in model.model_fields and value is not None}


def tool_calls(test_case: Any, calls: Iterable[Mapping[str, Any]]) -> list[Any] | None:
    """Tool calls of ours (name, arguments, result) as those of DeepEval's module `test_case`; None for none."""
    model = test_case.ToolCall
    made = [
        model(
            name=str(call["name"]),
            **accepted(model, {"input_parameters": call.get("arguments"), "output": call.get("result")}),
        )
        for call in calls
    ]
    return made or None
