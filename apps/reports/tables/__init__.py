"""Tables: conversation by criterion, a window of it for a page and all of it for a file.

Filters and order are read once; a page costs the same whatever the size.
Tables: none of its own.
Doors: `export_results`, the webhook, the matrix page.
Imports: results.
"""
