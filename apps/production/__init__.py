"""Conversations of real customers, their ratings, and the way in which they come back as tests."""
