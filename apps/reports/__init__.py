"""Reading results: uncertainty, comparison, exports, and the commands that end in a verdict."""
