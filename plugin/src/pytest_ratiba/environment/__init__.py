"""A tenant's schema for one scenario: made, filled by the project's own migrations, used, watched and dropped."""
