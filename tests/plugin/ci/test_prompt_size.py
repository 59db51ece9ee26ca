"""A comment says how large the prompts were and are, from git alone."""

from pytest_ratiba.ci.prompt_size import prompt_size_note
from pytest_ratiba.ci.repeating import with_note
from pytest_ratiba.ci.scope import project_change


def test_a_prompt_that_grows_is_told_in_bytes_and_by_name(repository) -> None:
    config = "agent: {name: shop, callable: 'a:b', prompts: ['prompts/*.md']}\nscenarios: talks\n"
    repository.commit({"ratiba.yaml": config, "prompts/desk.md": "Be kind.\n", "prompts/tail.md": "Bye.\n"})
    repository.branch("change")
    assert prompt_size_note(project_change(repository.folder, base="main"), "shop") == ""
    repository.commit({"prompts/desk.md": "Be kind.\n" * 500, "notes.md": "x" * 9000})
    note = prompt_size_note(project_change(repository.folder, base="main"), "shop")
    assert note == "Prompts: 14 to 4,505 bytes (prompts/desk.md)."
    gate = with_note({"markdown": "### ✅ pass\n\n- why\n", "terminal": "PASS"}, note, above=True)
    assert gate["markdown"].splitlines()[2:] == [f"`{note}`", "", "- why"]
