"""Forms of the platform's admin: a new tenant, a host name, a first owner, and the name typed before one is deleted."""

from typing import Any

from django import forms

from apps.core.errors import RatibaError

_AT = {"tenant_exists": "slug", "domain_taken": "domains", "user_exists": "username"}  # refusals without a pointer


class PlatformForm(forms.Form):
    """A form whose refusals come from a service: each is shown at its own field."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.setdefault("class", "rb-input")
            if field.help_text:
                field.widget.attrs["aria-describedby"] = f"help-{name}"

    def refuse(self, error: RatibaError) -> None:
        """Show a service's refusal at the field its pointer or code names, above the form where it names none."""
        pointer = str(getattr(error, "pointer", None) or "")
        named = pointer.strip("/").replace("/", "-") or _AT.get(error.code)
        self.add_error(named if named in self.fields else None, error.message)


class AddTenantForm(PlatformForm):
    """The form for a new tenant. The rules are those of services.add_tenant, which names each fault."""

    slug = forms.CharField(
        max_length=63,
        label="Short name",
        help_text="Lower-case letters and digits, words joined by hyphens: nairobi-spa. It becomes part of the address "
        "and cannot be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )
    name = forms.CharField(max_length=120, required=False, label="Name", help_text="For people. Empty: the short name.")
    vertical = forms.CharField(max_length=63, label="Vertical", help_text="What it is about, in one word: spa, sales.")
    domains = forms.CharField(
        required=False,
        label="Host names",
        help_text="One a line; the first is the main one. Empty: the short name under this platform's own domain.",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )

    def clean_domains(self) -> list[str] | None:
        """Return the domains; None where nothing was written: the service then chooses."""
        return [line.strip().lower() for line in self.cleaned_data["domains"].splitlines() if line.strip()] or None


class HostNameForm(PlatformForm):
    """One more host name. The rules are those of host_names.add_host_name."""

    domains = forms.CharField(
        max_length=253,
        label="One more host name",
        help_text="As people type it, without https:// and without a port: eval.spa.example. Its DNS and its "
        "certificate are the operator's.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )

    def clean_domains(self) -> str:
        return str(self.cleaned_data["domains"]).lower()


class FirstOwnerForm(PlatformForm):
    """The form for a tenant's first person. The rules are those of first_owner.make_first_owner."""

    username = forms.CharField(
        max_length=150,
        label="User name",
        help_text="To sign in with. Letters, digits and @ . + - _",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}),
    )
    email = forms.EmailField(
        label="E-mail",
        help_text="To know who it is; nothing is sent there.",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )


class DeleteTenantForm(forms.Form):
    """The tenant's short name, typed."""

    typed = forms.CharField(
        label="Short name",
        required=False,
        strip=True,
        widget=forms.TextInput(
            attrs={"class": "rb-input", "autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
        ),
    )

    def __init__(self, *args: Any, slug: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = slug

    def clean_typed(self) -> str:
        typed = str(self.cleaned_data["typed"])
        if typed != self.slug:
            raise forms.ValidationError(f"This is not {self.slug!r}. Nothing was deleted.")
        return typed
