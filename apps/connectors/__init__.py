"""Every byte that crosses the network goes through here. Plain Python: this room knows no Django."""
