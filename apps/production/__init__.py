"""What real customers said, how they rated it, and how it comes back as a test."""
