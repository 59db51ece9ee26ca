"""Addresses that are refused wherever they would be saved, and some that are taken."""

NONSENSE = [
    "file:///etc/passwd", "gopher://127.0.0.1:6379/_INFO", "unix:///var/run/docker.sock", "ftp://agent.example/",
    "javascript:alert(1)", "//agent.example/x", "agent.example/x", "http://", "http:///x", "http://169.254.169.254/",
    "http://user:pw@agent.example/", "http://agent.example:99999/", "http://agent.example/\r\nHost: other.example",
    "http://agent example/", "http://10.0.0.5/", "http://[::1", "http://2130706434:25/", "http://[fd00:ec2::254]/",
]  # fmt: skip
GOOD = ["https://agent.example/a2a", "http://localhost:8100/", "http://not-there-yet.example:8443/v1"]
