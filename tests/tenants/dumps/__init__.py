"""Databases of earlier commits, for upgrades: `make.py REF` makes one, test_upgrade_of_a_dump.py upgrades each."""
