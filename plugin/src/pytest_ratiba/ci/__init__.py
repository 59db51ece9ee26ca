"""The command `ratiba-ci`: git and the API, nothing else."""
