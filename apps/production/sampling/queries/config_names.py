"""Evaluator configs by name, whatever the version, as the database looks for them."""


def name_pattern(config: str) -> str:
    """A regular expression of the database for this config (a name or name@version) in all its versions: signs of the
    name mean themselves."""
    name = "".join(one if one.isalnum() else f"\\{one}" for one in config.partition("@")[0])
    return rf"^{name}(@|$)"
