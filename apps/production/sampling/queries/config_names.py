"""Evaluator configs by name, whatever the version, as the database looks for them."""


def name_pattern(config: str) -> str:
    """Return a regular expression of the database for this config in all its versions.

    The config is a name or name@version; signs of the name mean themselves.
    """
    name = "".join(one if one.isalnum() else f"\\{one}" for one in config.partition("@")[0])
    return rf"^{name}(@|$)"
