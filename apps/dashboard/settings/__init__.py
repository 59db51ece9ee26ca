"""Settings: starter packs, the tenant's settings, providers, saved views, tests of other tools.

What an owner sets up once.
Tables: none.
Doors: `/settings/`, `/packs/`, `/providers/…`, `/views/…`, `/catalog/import-from/`.
Imports: the top of the window.
"""
