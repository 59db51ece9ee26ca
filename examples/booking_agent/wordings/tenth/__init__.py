"""The tenth voice: the salon's elderly manager, courteous and never in a hurry, who keeps a paper diary."""
