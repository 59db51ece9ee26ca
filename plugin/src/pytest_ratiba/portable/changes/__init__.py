"""Find the gate that a change needs.
The modules hold the matrix, changed paths, versions of dependencies, and files that are followed."""
