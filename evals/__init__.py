"""What pull requests to this repository are held against: the agents of ratiba.yaml, and what they are asked."""
