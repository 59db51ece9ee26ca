"""House rules a machine can read off the source."""

import ast
import re

from apps.connectors.llms.registry import key_variables
from tests.guards.source import EVERYTHING, PLUGIN, PRODUCT, ROOT, called, files, module_level_imports, nodes, place

DRAWERS = {"utils", "helpers", "common", "manager", "managers", "data", "info", "misc", "extras"}
FILE_LIMIT, TEST_FILE_LIMIT, TASKS_LIMIT, ADAPTER_LIMIT, FUNCTION_LIMIT = 500, 500, 150, 150, 40

# What is longer today, each with the reason. Nothing is added here: split it instead.
LONGER_FILES: dict[str, str] = {}
LONGER_FUNCTIONS: dict[str, str] = {}
ONCE_PER_ROOM = {
    "Meta", "Command", "Migration", "Media",  # Django looks for these names
    "LLMResponse",  # the seeds call it so in the file that an agent carries by itself (plugin/src/ratiba_router.py)
}  # fmt: skip


def lines(path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_nobody_enters_a_tenant_by_with_tenant():
    """Its stack of previous tenants is one list for all threads: two of them come out in each other's schema."""
    wrong = []
    for path in files(*PRODUCT, "benchmarks", "examples"):
        for node in nodes(path):
            if isinstance(node, ast.With | ast.AsyncWith):
                for item in node.items:
                    text = ast.unparse(item.context_expr)
                    if re.fullmatch(r"(\w+\.)*(tenant|\w+_tenant)", text) or re.match(r"(Tenant\.|get_tenant)", text):
                        wrong.append(place(path, node))
            if isinstance(node, ast.Call) and re.search(r"(^|\.|_)tenant\.(activate|deactivate)$", called(node), re.I):
                wrong.append(place(path, node))
    assert not wrong


def test_schemas_are_switched_in_one_place_only():
    allowed = {"apps/tenants/context.py", "apps/tenants/middleware.py", "apps/tenants/schema_template.py"}
    words = re.compile(r"\b(schema_context|tenant_context|set_schema|set_tenant|set_schema_to_public)\b")
    wrong = [place(path) for path in files(*PRODUCT) if words.search(path.read_text()) and place(path) not in allowed]
    assert not wrong, "use apps.tenants.context.in_tenant"


def test_in_tenant_is_never_a_decorator():
    """One instance would be shared by every call."""
    wrong = [
        place(path, node)
        for path in files(*EVERYTHING)
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any("in_tenant" in ast.unparse(one) for one in node.decorator_list)
    ]
    assert not wrong


def test_no_chords_groups_chains_or_eager_mode():
    """Their state lives in the broker; ours lives in rows."""
    wrong = []
    for path in [path for path in files(*PRODUCT, "tests") if "guards" not in path.parts]:
        for node in nodes(path):
            from_celery = isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "celery"
            if from_celery and {alias.name for alias in node.names} & {"chord", "chain", "group", "chunks", "canvas"}:
                wrong.append(place(path, node))
            if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).lower().endswith("task_always_eager"):
                wrong.append(place(path, node))
    assert not wrong, "rows owe work; a tick pays it"


def test_services_never_import_tasks():
    wrong = [
        f"{place(path, node)} imports {name}"
        for path in files("apps")
        if "services" in path.parts or path.name == "services.py"
        for name, node in module_level_imports(path)
        if re.fullmatch(r"apps\.\w+\.tasks", name)
    ]
    assert not wrong


def test_no_drawers():
    wrong = [place(path) for path in files(*EVERYTHING) if path.stem in DRAWERS]
    wrong += [place(path) for path in files(*EVERYTHING) if DRAWERS & set(path.relative_to(ROOT).parts[:-1])]
    assert not wrong, "name a file after what it does"


def test_no_file_is_too_long():
    wrong = [
        f"{place(path)}: {lines(path)}"
        for path in files(*EVERYTHING)
        if lines(path) > (TEST_FILE_LIMIT if place(path).startswith("tests/") else FILE_LIMIT)
        and place(path) not in LONGER_FILES
    ]
    wrong += [
        f"{place(path)}: {lines(path)}"
        for path in files("apps")
        if path.name == "tasks.py" and lines(path) > TASKS_LIMIT
    ]
    assert not wrong


def test_no_adapter_does_two_jobs():
    adapters = files(
        "apps/connectors/agents", "apps/connectors/llms", "apps/connectors/tracing", "apps/connectors/judges"
    )
    assert not [f"{place(path)}: {lines(path)}" for path in adapters if lines(path) > ADAPTER_LIMIT]


def test_no_function_is_too_long():
    wrong = []
    for path in files(*PRODUCT, PLUGIN, "examples"):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LIMIT and f"{place(path)} {node.name}" not in LONGER_FUNCTIONS:
                    wrong.append(f"{place(path, node)} {node.name}: {length}")
    assert not wrong


def test_what_may_be_longer_is_longer():
    """An entry whose file or function was split is deleted with it."""
    functions = {
        f"{place(path)} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in files(*PRODUCT, "examples")
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert not [name for name in LONGER_FUNCTIONS if functions.get(name, 0) <= FUNCTION_LIMIT]
    assert not [name for name in LONGER_FILES if not (ROOT / name).exists() or lines(ROOT / name) <= FILE_LIMIT]


def test_a_class_name_is_used_once():
    """Who reads `Estimate` must not have to look which one it is."""
    where: dict[str, list[str]] = {}
    for path in files(*PRODUCT, PLUGIN):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and node.name not in ONCE_PER_ROOM:
                where.setdefault(node.name, []).append(place(path, node))
    assert {name: places for name, places in where.items() if len(places) > 1} == {}


def test_heavy_packages_are_imported_only_when_used():
    """deepeval costs 2.5 s and 117 MB, langfuse 0.8 s: web, beat and check must not pay."""
    wrong = [
        f"{place(path, node)} imports {name}"
        for path in files(*PRODUCT)
        for name, node in module_level_imports(path)
        if name.split(".")[0] in {"deepeval", "langfuse", "pyarrow", "a2a"}
        and not place(path).startswith("apps/checks/metrics/")
    ]
    assert not wrong


def test_the_plugin_knows_nothing_of_the_server():
    """It lives in the user's environment: no Django, and packages of the user may be called apps or examples."""
    wrong = [
        f"{place(path, node)} imports {name}"
        for path in files(PLUGIN)
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
        if name.split(".")[0] in {"django", "apps", "examples", "ratiba_eval", "tests"}
    ]
    assert not wrong


def test_rules_take_time_and_chance_as_arguments():
    words = re.compile(r"timezone\.now\(|datetime\.now\(|date\.today\(|time\.time\(|random\.random\(|uuid4\(|uuid7\(")
    wrong = [place(path) for path in files("apps") if "domain" in path.parts and words.search(path.read_text())]
    assert not wrong


def test_every_variable_that_is_read_is_explained():
    """In .env.example, with a sentence; and nothing stands there that nobody reads."""
    read = set()
    reader = re.compile(
        r"env\.(text|flag|integer|decimal|number|listing|folder|secret)$|port_from$|environ\.get$|getenv$|environment\.get$"
    )
    for path in files(*PRODUCT, "examples"):
        for node in nodes(path):
            name = None
            if isinstance(node, ast.Call) and reader.search(called(node)) and node.args:
                name = node.args[0]
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ"):
                name = node.slice
            if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isupper():
                read.add(name.value)
    read |= set(key_variables())
    read |= set(re.findall(r"\$\{([A-Z][A-Z0-9_]*)", (ROOT / "docker-compose.yml").read_text()))
    read -= {
        "PATH",
        "DJANGO_SETTINGS_MODULE",
        "MAKELEVEL",
        "PYTHONPATH",
        "PYTHONUNBUFFERED",
        "HOME",
        "TERM",
        "NO_COLOR",
        "CI",
    }
    explained, comment = set(), False
    for line in (ROOT / ".env.example").read_text().splitlines():
        comment = comment or line.startswith("#")
        if found := re.match(r"([A-Z][A-Z0-9_]*)=", line):
            explained.add(found[1])
            assert comment, f"{found[1]} has no sentence"
    assert read - explained == set(), "read, but not in .env.example"
    assert explained - read == set(), "in .env.example, but nobody reads it"


def test_decisions_are_numbered_once_and_told_completely():
    """Each ADR has its own number and says what was decided and whether it still holds."""
    numbers: dict[str, str] = {}
    for path in sorted((ROOT / "docs" / "adr").glob("*.md")):
        if path.name == "README.md":
            continue
        found = re.fullmatch(r"(\d{4})-[a-z0-9-]+\.md", path.name)
        assert found, f"{path.name}: NNNN-words-with-hyphens.md"
        assert found[1] not in numbers, f"{path.name} and {numbers[found[1]]} have one number"
        numbers[found[1]] = path.name
        text = path.read_text()
        for heading in ("Status", "Decision"):
            assert re.search(rf"^(#+ |\*\*){heading}", text, re.M), f"{path.name}: no {heading}"
    assert numbers
