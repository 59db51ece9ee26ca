"""Home: what waits for the reader, and what is wrong now.

The inbox of all places, each need with a link to where it ends, and the alerts.
Tables: none: needs are read from the rows of other rooms.
Doors: `/admin/`, `/home/…`, `/alerts/…`.
Imports: every other place, and the top of the window.
"""
