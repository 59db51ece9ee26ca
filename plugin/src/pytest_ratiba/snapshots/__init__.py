"""Golden conversations as files of the user's repository; a changed one counts once a person accepted it."""
