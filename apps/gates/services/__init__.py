"""The services that change gates."""
