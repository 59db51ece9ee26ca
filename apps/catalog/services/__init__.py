"""Verbs of the catalog: everything that changes it."""

from apps.catalog.services.connections import save_agent, save_model_provider
from apps.catalog.services.exporting import catalog_as_yaml, export_catalog
from apps.catalog.services.import_report import ImportReport
from apps.catalog.services.importing import (
    catalog_tried,
    import_catalog,
    import_catalog_files,
    import_catalog_text,
)
from apps.catalog.services.key_rotation import reencrypt_secrets
from apps.catalog.services.packs import load_pack, pack_names
from apps.catalog.services.personas import (
    approve_override,
    archive,
    create_persona,
    record_validation,
    release,
    resubmit,
)
from apps.catalog.services.prompts import record_prompt
from apps.catalog.services.versions import (
    check_publishable,
    create_draft,
    new_version_from,
    publish,
    retire,
    update_draft,
)

__all__ = [
    "ImportReport",
    "approve_override",
    "archive",
    "catalog_as_yaml",
    "catalog_tried",
    "check_publishable",
    "create_draft",
    "create_persona",
    "export_catalog",
    "import_catalog",
    "import_catalog_files",
    "import_catalog_text",
    "load_pack",
    "new_version_from",
    "pack_names",
    "publish",
    "record_prompt",
    "record_validation",
    "reencrypt_secrets",
    "release",
    "resubmit",
    "retire",
    "save_agent",
    "save_model_provider",
    "update_draft",
]
