"""A persona as a form that a conversation designer fills: a group of fields a section, behaviours as pairs in rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from apps.catalog.admin.admin_actions import clean_language
from apps.catalog.admin.rows import LinesField, PairsField
from apps.catalog.models import Persona
from apps.catalog.personas.domain.spec import PATIENCE_WORDS, TYPING_WORDS, Typing, read_persona_spec
from apps.core.errors import BadInput

EMPTY_ROWS = 3  # for further behaviours, below those there are
_PAIR = ("name", "instruction", "violation")


class BehaviourRows(forms.Widget):
    """Widget with a row for each behaviour: name, instruction, sign of a violation. Holds mappings."""

    template_name = "catalog/admin/behaviour_rows.html"

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        rows = [*(value or []), *({} for _ in range(EMPTY_ROWS))]
        context["widget"] |= {"rows": list(enumerate(rows)), "input": " ".join(INPUT_CLASSES)}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, str]]:
        rows = []
        index = 0
        while f"{name}-{index}-name" in data:
            rows.append({key: data.get(f"{name}-{index}-{key}", "").strip() for key in _PAIR})
            index += 1
        return [row for row in rows if any(row.values())]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-0-name" not in data

    def id_for_label(self, id_: str | None, index: str | None = None) -> str:
        return ""


class BehavioursField(forms.Field):
    """Cleans to the behaviours that have anything written in them."""

    widget = BehaviourRows


def _line(label: str, help_text: str, **more: Any) -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, required=False, widget=UnfoldAdminTextInputWidget, **more)


def _area(label: str, help_text: str) -> forms.CharField:
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 2})
    return forms.CharField(label=label, help_text=help_text, required=False, widget=widget)


_PATIENCE = [("", "not said"), *((str(level), f"{level}: {words}") for level, words in PATIENCE_WORDS.items())]
_TYPING = [(one.value, f"Writes {TYPING_WORDS[one]}") for one in Typing]
# Form field -> where its value stands in the spec.
PLACES: Mapping[str, tuple[str, ...]] = {
    "demographics": ("demographics",),
    "code_mixing": ("code_mixing",),
    "temper": ("temper",),
    "patience": ("patience",),
    "typing": ("typing",),
    "goal": ("goal", "text"),
    "success": ("goal", "success"),
    "knows": ("knowledge", "knows"),
    "does_not_know": ("knowledge", "does_not_know"),
    "behaviours": ("behaviours",),
    "hidden_constraints": ("hidden_constraints",),
    "never": ("never",),
}
SECTIONS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("Who they are", ("demographics", "code_mixing", "temper", "patience", "typing")),
    ("What they want", ("goal", "success")),
    ("What they know", ("knows", "does_not_know")),
    ("How they behave", ("behaviours",)),
    ("Where they stop", ("hidden_constraints", "never")),
)


class PersonaForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The portrait, and the structured persona in sections; nothing of the latter is required."""

    demographics = PairsField(separator=":", label="Demographics", help_text="One a line, like age: 34 or work: nurse.")
    code_mixing = _line("Mixing of languages", "As “Swahili, with English words for hair styles”.", max_length=300)
    temper = _line("Temper", "In a word or two: hurried, suspicious, chatty.", max_length=60)
    patience = forms.ChoiceField(label="Patience", choices=_PATIENCE, required=False, widget=UnfoldAdminSelectWidget)
    typing = forms.MultipleChoiceField(
        label="Typing", choices=_TYPING, required=False, widget=forms.CheckboxSelectMultiple
    )
    goal = _area("Goal", "What they want. A scenario's own goal goes before it.")
    success = _area("They have it when", "By what it shows: a time that was confirmed, a price that was named.")
    knows = LinesField(label="Knows", help_text="One a line: what they can say when asked.")
    does_not_know = LinesField(label="Does not know", help_text="One a line: what they must not be able to say.")
    behaviours = BehavioursField(
        required=False,
        label="Behaviours",
        help_text="What they do makes the persona; what violates it is looked for in what the simulated customer "
        "wrote. Give all three, or leave the row empty.",
    )
    hidden_constraints = LinesField(
        label="Hidden constraints", help_text="One a line: what holds for them and comes out only when it matters."
    )
    never = LinesField(label="Never", help_text="One a line: what they would never do or say.")

    class Meta:
        model = Persona
        fields = ("name", "language", "text")
        labels = {"text": "Portrait"}
        help_texts = {
            "name": "What runs and results call it.",
            "language": "en, sw, it, or mixed for Swahili and English in one sentence.",
            "text": "Who they are in a few sentences. The simulator plays this and what is filled in below.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored: Mapping[str, Any] = self.instance.spec or {}
        for name, (first, *rest) in PLACES.items():
            value = self.stored.get(first)
            value = (value or {}).get(rest[0]) if rest else value
            if name in self.fields:
                self.fields[name].initial = _shown(name, value)

    def clean_language(self) -> str:
        return clean_language(self)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not set(PLACES) & set(self.fields):  # an archived one is shown, not edited
            return cleaned
        try:
            self.instance.spec = read_persona_spec(_raw(cleaned)).as_json()
        except BadInput as error:
            self._refuse(error)
        return cleaned

    def edited(self) -> bool:
        """Tell whether what a validation rests on differs from what is stored."""
        return bool({"text", "language"} & set(self.changed_data)) or self.instance.spec != self.stored

    def _refuse(self, error: BadInput) -> None:
        at = tuple((error.pointer or "").strip("/").split("/"))
        field = next((name for name, place in PLACES.items() if at[: len(place)] == place), None)
        number = next((int(step) + 1 for step in at[1:] if step.isdigit()), None)
        problem = error.message.partition(" ")[2] or error.message
        part = f"{at[2]} " if field == "behaviours" and len(at) > 2 else ""
        words = f"{'Row' if field == 'behaviours' else 'Line'} {number}: {part}{problem}" if number else problem
        self.add_error(field if field in self.fields else None, words[:1].upper() + words[1:])


def _raw(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """The form's values as the spec they stand for; a field that was refused is left out."""
    raw: dict[str, Any] = {}
    for name, (first, *rest) in PLACES.items():
        value = cleaned.get(name)
        if not value:
            continue
        if name == "patience":
            value = int(value)
        elif name == "demographics":
            value = dict(value)
        if rest:
            raw.setdefault(first, {})[rest[0]] = value
        else:
            raw[first] = value
    return raw


def _shown(name: str, value: Any) -> Any:
    if name == "demographics":
        return [f"{key}: {one}" for key, one in (value or {}).items()]
    return str(value or "") if name == "patience" else value
