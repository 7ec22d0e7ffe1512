"""A PostgreSQL server of a test's own, for the tests of the command."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading


class Cluster:
    """In a temporary directory, on a socket; initdb refuses root."""

    def __init__(self, programs):
        self.programs = programs
        room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="mneme-pg-", dir=room))
        self.who = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
        if self.who:
            shutil.chown(self.place, "postgres", "postgres")
        data = self.place / "data"
        subprocess.run([f"{programs}/initdb", "-D", data, "-A", "trust", "-U", "postgres", "-N",
                        "--no-instructions", "--locale=C", "-E", "UTF8"], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, **self.who)
        self.server = subprocess.Popen(
            [f"{programs}/postgres", "-D", data, "-c", "listen_addresses=", "-k", self.place],
            cwd="/", stderr=subprocess.PIPE, text=True, **self.who)
        for line in self.server.stderr:
            if "ready to accept connections" in line:
                break
        # What it says later is read too, or it would wait for that.
        threading.Thread(target=self.server.stderr.read, daemon=True).start()

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        self.server.wait()

    def end(self):
        self.server.send_signal(signal.SIGINT)  # whoever is connected
        self.server.wait()
        shutil.rmtree(self.place, ignore_errors=True)

    def run(self, statements):
        subprocess.run([f"{self.programs}/psql", "-h", self.place, "-U", "postgres", "-q", "-v",
                        "ON_ERROR_STOP=1", "-c", statements], check=True, cwd="/",
                       stdout=subprocess.DEVNULL)

    def address(self, log):
        return f"postgresql://postgres@{str(self.place).replace('/', '%2F')}/postgres#{log}"
