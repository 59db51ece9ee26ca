"""Guard every answer and every sign-in: headers, a brake on guessing passwords, a limit on uploads."""
