"""What every answer and every sign-in passes: headers, a brake on guessing passwords, a limit on uploads."""
