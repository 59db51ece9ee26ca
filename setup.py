"""What pyproject.toml cannot say of the wheel: the pins of requirements/base.txt, and templates/ inside a package."""

from pathlib import Path

from setuptools import find_packages, setup

PINS = Path(__file__).parent / "requirements" / "base.txt"
SITE_TEMPLATES = "ratiba_eval.site_templates"
ALL = ["**/*"]


def pins() -> list[str]:
    """`name==version ; marker` of every line; the hashes are for installing from the file itself."""
    lines = PINS.read_text(encoding="utf-8").splitlines()
    return [line.rstrip(" \\") for line in lines if line and not line.startswith(("#", " ", "-"))]


setup(
    packages=[
        *find_packages(include=["apps", "apps.*", "ratiba_eval", "ratiba_eval.*", "examples"]),
        *find_packages(
            include=[
                "examples.booking_agent",
                "examples.booking_agent.*",
                "examples.pega",
                "examples.pega.*",
                "examples.loop",
                "examples.obedient_model",
            ]
        ),
        SITE_TEMPLATES,
    ],
    package_dir={SITE_TEMPLATES: "templates"},
    package_data={
        "apps": ALL,
        "ratiba_eval": ALL,
        "examples": ["conversations/**", "prompted/**"],
        "examples.booking_agent": ALL,
        "examples.pega": ALL,
        "examples.loop": ALL,
        "examples.obedient_model": ALL,
        SITE_TEMPLATES: ALL,
    },
    exclude_package_data={"": ["**/__pycache__/*", "*.pyc", "__pycache__/*"]},
    install_requires=pins(),
)
