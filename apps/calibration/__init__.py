"""Judges against people: labels, agreement, certificates, corrected figures, drift, and the check on known answers."""
