"""Files: the catalog as YAML, packs, and tests of other tools.

Reads, compares and writes whole catalogs; one reader for each foreign format.
Tables: none: they are those of the other subjects.
Doors: `import_catalog`, `export_catalog`, `import_from`, the packs, the pages of both imports.
Imports: every other subject of this room.
"""
