"""`repository`: a user's repository with a commit on main and a branch `change` checked out."""

import subprocess

import pytest

from tests.plugin.conftest import UserProject


class Repository:
    def __init__(self, project: UserProject) -> None:
        self.project, self.folder = project, project.folder
        project.variables |= {
            f"GIT_{who}_{what}": "amina@example.org" if what == "EMAIL" else "Amina"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=self.project.environment(), capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, files: dict[str, str | None], message: str = "change") -> str:
        """Write these files (None removes one), commit all of it; the commit."""
        for name, text in files.items():
            if text is None:
                (self.folder / name).unlink()
            else:
                self.project.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str) -> None:
        self.git("checkout", "-q", "-b", name, "main")


@pytest.fixture
def repository(user_project: UserProject) -> Repository:
    (user_project.folder / ".git").rmdir()
    made = Repository(user_project)
    made.git("init", "-q", "-b", "main")
    return made
