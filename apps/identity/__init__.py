"""Sign-in by a provider of identities (OpenID Connect); a person's groups there give roles here."""
