"""A private PostgreSQL server, started from the installed binaries and stopped again."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

PASSWORD = "Canarybird-hush"  # noqa: S105 - of a server that lives as long as the tests
SETTINGS = """
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 20
shared_buffers = 16MB
listen_addresses = '127.0.0.1'
"""
RIGHTS = """
local all postgres trust
host all all 127.0.0.1/32 scram-sha-256
"""


class Server(NamedTuple):
    """Where the server listens: its superuser without a password by the folder's socket."""

    folder: Path
    port: int

    @property
    def uri(self):
        """By the socket; a table or a query is yet to be named."""
        return f"postgresql:///postgres?host={self.folder}&port={self.port}&user=postgres"

    @property
    def guarded(self):
        """By the network, where the user ``guest`` needs the password."""
        return f"postgresql://guest@127.0.0.1:{self.port}/postgres?connect_timeout=9"


@pytest.fixture(scope="session")
def server():
    """One server for all tests of a worker; without one they are skipped, but never in CI."""
    programs = _programs()
    if programs is None:
        missing = "there is no PostgreSQL server: install one (on Debian: postgresql)"
        if os.environ.get("UNVEIL_NO_SKIPS"):
            pytest.fail(missing)
        pytest.skip(missing)
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # sockets have short paths
    user = "postgres" if os.geteuid() == 0 else None  # initdb refuses root
    if user:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(program, *arguments):
        subprocess.run(
            [programs / program, "-D", data, *arguments],
            user=user, group=user, extra_groups=[] if user else None, cwd=folder, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_plain_environment(),
        )  # fmt: skip

    try:
        run("initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C")
        port = _free_port()
        (data / "postgresql.auto.conf").write_text(
            f"{SETTINGS}port = {port}\nunix_socket_directories = '{folder}'\n"
        )
        (data / "pg_hba.conf").write_text(RIGHTS)
        run("pg_ctl", "-w", "-l", folder / "log", "start")
        try:
            yield Server(folder, port)
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _programs():
    """The folder of the newest server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(on_path).resolve().parent if on_path else None


def _version(program):
    return float(program.parts[-3])


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _plain_environment():
    return {"PATH": os.environ["PATH"], "LC_ALL": "C"}
