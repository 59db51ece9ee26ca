"""Names to classes: lazily, loudly, replaceable in tests."""

import subprocess
import sys

import pytest

from apps.connectors.llms.base import ModelSpec
from apps.connectors.llms.registry import ProviderKind, llm_for, provider_names, register
from apps.core.errors import BadInput


def test_an_unknown_provider_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(BadInput, match=", ".join(provider_names())) as caught:
        llm_for(ModelSpec(provider="mystery", model="m"))
    assert caught.value.code == "unknown_provider"


@pytest.mark.parametrize("name", ["anthropic", "openai", "google", "vertex"])
def test_every_name_makes_a_model_that_keeps_its_spec(name: str) -> None:
    spec = ModelSpec(provider=name, model="m", api_key="k")
    assert llm_for(spec).spec is spec
    assert "'k'" not in repr(spec)


def test_a_test_can_put_its_own_in_and_take_it_out() -> None:
    class Fake:
        def __init__(self, spec: ModelSpec) -> None:
            self.spec = spec

    undo = register("fake", ProviderKind(Fake))
    assert isinstance(llm_for(ModelSpec(provider="fake", model="m")), Fake)
    undo()
    assert "fake" not in provider_names()


def test_naming_one_provider_imports_neither_prices_nor_google() -> None:
    code = (
        "import sys; from apps.connectors.llms.base import ModelSpec;"
        "from apps.connectors.llms.registry import ProviderKind, llm_for;"
        "llm_for(ModelSpec(provider='openai', model='m'));"
        "heavy = ('genai_prices', 'google.auth', 'django', 'apps.connectors.llms.vertex');"
        "print([name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
