"""Pure maths: agreement, paired tests, bootstrap, correction, reliability. Plain data in and out; no framework."""
