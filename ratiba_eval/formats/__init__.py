"""How dates are written, one way everywhere (settings.FORMAT_MODULE_PATH)."""
