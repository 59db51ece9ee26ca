"""What a change asks for: the matrix, changed paths, versions of dependencies, files that are followed."""
