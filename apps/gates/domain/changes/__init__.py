"""What a change asks for: the matrix, the reader of changed paths, versions of dependencies, files that are followed.

One source for two distributions: the server has it as `apps.gates.domain.changes`, the plugin as
`pytest_ratiba.changes` (a link in the checkout; each wheel carries the files under its own name). So these modules use
the standard library alone, and name each other relatively.
"""
