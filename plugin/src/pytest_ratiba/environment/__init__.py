"""A schema per scenario on real Postgres."""
