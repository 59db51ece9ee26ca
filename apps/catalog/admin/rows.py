"""Form fields that show as rows what the database keeps as JSON: criteria with weights, models by role, lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import INPUT_CLASSES, SELECT_CLASSES, UnfoldAdminTextareaWidget

from apps.catalog.domain.catalog_yaml import dump, load
from apps.core.errors import BadInput

ROLES = ("judge", "cross_check", "panel", "analyzer", "simulator", "validator", "optimizer")


class CriteriaRows(forms.Widget):
    """Every criterion of the catalog as a row: used, weight, pass mark, blocking. Value: a list of row mappings."""

    template_name = "catalog/admin/criteria_rows.html"
    _keys = ("name", "kind", "domain", "weight", "mark")

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        rows = [{**row, "index": index} for index, row in enumerate(value or [])]
        context["widget"] |= {"rows": rows, "input": " ".join(INPUT_CLASSES)}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, Any]]:
        rows = []
        index = 0
        while f"{name}-{index}-name" in data:
            row: dict[str, Any] = {key: data.get(f"{name}-{index}-{key}", "") for key in self._keys}
            ticked = {key: f"{name}-{index}-{key}" in data for key in ("used", "blocking")}
            rows.append({**row, **ticked})
            index += 1
        return rows

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-0-name" not in data

    def id_for_label(self, id_: str | None, index: str | None = None) -> str:
        return ""


class CriteriaField(forms.Field):
    """Cleans to (criteria as a version has them, pass marks); a weight of 1 and a mark of 6 are the defaults."""

    widget = CriteriaRows

    def clean(self, value: Any) -> tuple[dict[str, Any], dict[str, float]]:
        criteria: dict[str, Any] = {"core": [], "domain": [], "weights": {}, "blocking": []}
        marks: dict[str, float] = {}
        for row in value or []:
            if not row["used"]:
                continue
            name = row["name"]
            criteria["core" if row["kind"] == "core" else "domain"].append(name)
            if row["weight"].strip():
                criteria["weights"][name] = _number(row["weight"], f"weight of {name}")
            if row["mark"].strip():
                marks[name] = _number(row["mark"], f"pass mark of {name}")
            if row["blocking"]:
                criteria["blocking"].append(name)
        return criteria, marks


class RoleRows(forms.Widget):
    """A row a role: provider and model, and the fallback's. Value: a list of row mappings."""

    template_name = "catalog/admin/role_rows.html"
    _keys = ("provider", "model", "fallback_provider", "fallback_model")
    providers: Sequence[str] = ()

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        context["widget"] |= {
            "rows": value or [],
            "providers": self.providers,
            "input": " ".join(INPUT_CLASSES),
            "select": " ".join(SELECT_CLASSES),
        }
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, str]]:
        return [
            {"role": role, **{key: data.get(f"{name}-{role}-{key}", "").strip() for key in self._keys}}
            for role in ROLES
        ]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-{ROLES[0]}-model" not in data

    def id_for_label(self, id_: str | None, index: str | None = None) -> str:
        return ""


class RolesField(forms.Field):
    """Cleans to llm_config; a row without a model is a role without a model of its own (the tenant's is used)."""

    widget = RoleRows

    def clean(self, value: Any) -> dict[str, Any]:
        config: dict[str, Any] = {}
        for row in value or []:
            if not row["model"] and not row["provider"]:
                continue
            entry: dict[str, Any] = {"provider": row["provider"], "model": row["model"]}
            if row["fallback_model"]:
                provider = row["fallback_provider"] or row["provider"]
                entry["fallback"] = {"provider": provider, "model": row["fallback_model"]}
            config[row["role"]] = entry
        return config


def role_rows(llm_config: Mapping[str, Any]) -> list[dict[str, str]]:
    """The rows of a stored llm_config, one for every role there can be."""
    rows = []
    for role in ROLES:
        entry = llm_config.get(role) or {}
        fallback = entry.get("fallback") or {}
        if isinstance(fallback, str):
            fallback = {"provider": entry.get("provider", ""), "model": fallback}
        rows.append(
            {
                "role": role,
                "provider": entry.get("provider", ""),
                "model": entry.get("model", ""),
                "fallback_provider": fallback.get("provider", ""),
                "fallback_model": fallback.get("model", ""),
            }
        )
    return rows


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False, "widget": UnfoldAdminTextareaWidget(attrs={"rows": 4}), **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        return [line.strip() for line in (value or "").splitlines() if line.strip()]


class PairsField(LinesField):
    """Lines of `left SEPARATOR right` as a list of pairs, split at the first separator. A refusal names the line's
    number and not its text, which may be a secret."""

    def __init__(self, *, separator: str, **kwargs: Any) -> None:
        self.separator = separator
        super().__init__(**kwargs)

    def clean(self, value: Any) -> list[tuple[str, str]]:
        pairs = []
        for number, line in enumerate(super().clean(value), start=1):
            left, separator, right = line.partition(self.separator)
            if not separator or not left.strip() or not right.strip():
                raise ValidationError(f"line {number}: write it as name{self.separator}value")
            pairs.append((left.strip(), right.strip()))
        return pairs


class SettingsField(forms.CharField):
    """A mapping written as lines of YAML, `name: value`: what people write in catalog files, never a box of JSON."""

    def __init__(self, **kwargs: Any) -> None:
        area = UnfoldAdminTextareaWidget(attrs={"rows": 5, "spellcheck": "false"})
        super().__init__(**{"required": False, "widget": area, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return dump(value) if value else ""
        return value

    def clean(self, value: Any) -> dict[str, Any]:
        try:
            documents = load(value or "", "this field")
        except BadInput as error:
            raise ValidationError(error.message) from error
        if not documents:
            return {}
        if len(documents) > 1 or not isinstance(documents[0].value, dict):
            raise ValidationError("Write one setting a line, as name: value.")
        return documents[0].value

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.clean(data) != (initial or {}))
        except ValidationError:
            return True


def _number(text: str, what: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ValidationError(f"{what}: {text!r} is not a number") from None
