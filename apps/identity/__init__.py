"""Who signs in by a provider of identities (OpenID Connect), and which roles their groups there give them here."""
