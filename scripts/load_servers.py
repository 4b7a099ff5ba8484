"""Servers of which the truth is known, for scripts/load-verdicts: started on a free port of the loopback, ended with the script, whatever becomes of it."""

import contextlib
import ctypes
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "load-servers")
END_WITH_PARENT = 1
# So long a server may take until it answers, in seconds.
PATIENCE = 30
NGINX = """worker_processes %(workers)d;
pid %(folder)s/pid;
daemon off;
error_log %(folder)s/error.log;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy; fastcgi_temp_path %(folder)s/fastcgi;
    uwsgi_temp_path %(folder)s/uwsgi; scgi_temp_path %(folder)s/scgi;
    gzip on; gzip_comp_level 9; gzip_types *; gzip_min_length 2000; gzip_proxied any;
    server { listen 127.0.0.1:%(port)d backlog=4096; root %(www)s; default_type text/plain; }
}
"""


class Missing(Exception):
    """A program that a server needs isn't here."""


def program(*names):
    for name in names:
        if found := shutil.which(name):
            return found
    raise Missing("there is no " + " and no ".join(names))


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def end_with_parent():
    ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGTERM)


@contextlib.contextmanager
def running(command, port):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=end_with_parent)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("%s doesn't start" % shlex.join(command))
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Nginx:
    """Static files; where more work is asked for, each answer is compressed, so that the work goes with the size of the file."""

    name = "nginx"
    # Bytes that are compressed for a request, where work is asked for.
    size = 40_000

    def __init__(self, folder, workers=2):
        self.nginx, self.folder, self.workers = program("nginx"), folder, workers
        self.www = os.path.join(folder, "www")
        os.makedirs(self.www, exist_ok=True)
        os.chmod(folder, 0o755)
        for name in "ab":
            self._write(name, "<p>" + "0" * 500)
        for part in (0, 2, 5):
            # The truth is the time of a request, of which the rest is a small part.
            words = " ".join(format(number * 2654435761 % 2**32, "x") for number in range(self.size))
            self._write("work%d" % part, words[: self.size * (100 + part) // 100])

    def _write(self, name, text):
        with open(os.path.join(self.www, name), "w", encoding="ascii") as file:
            file.write(text)

    def command(self, port):
        """Each process has a file of settings of its own, which the port names."""
        folder = os.path.join(self.folder, str(port))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "nginx.conf"), "w", encoding="ascii") as file:
            file.write(NGINX % {"workers": self.workers, "folder": folder, "port": port, "www": self.www})
        return [self.nginx, "-c", os.path.join(folder, "nginx.conf")]

    def start(self):
        """The command of --start."""
        script = os.path.join(self.folder, "start")
        settings = NGINX % {"workers": self.workers, "folder": "$folder", "port": 0, "www": self.www}
        settings = settings.replace("127.0.0.1:0 ", "127.0.0.1:$1 ")
        with open(script, "w", encoding="ascii") as file:
            file.write("folder=%s/$1\nmkdir -p $folder\ncat >$folder/nginx.conf <<C\n%sC\nexec %s -c $folder/nginx.conf\n" % (self.folder, settings, self.nginx))
        return "exec sh %s {port}" % script

    identical = ("/a", "/b")

    def slower(self, part):
        return "/work0", "/work%d" % part

    arguments = ("-H", "Accept-Encoding: gzip")


class Own:
    """A server whose work for a request the path asks for."""

    arguments = ()
    identical = ("/a", "/b")
    # Rounds of work for a request, of which the rest is a small part, and which 2 and 5 % can be added to.
    rounds = 0

    def slower(self, part):
        return "/?work=%d" % self.rounds, "/?work=%d" % (self.rounds * (100 + part) // 100)

    def start(self):
        return "exec " + shlex.join(self.command("PORT")).replace("PORT", "{port}")


class Loop(Own):
    name = "PHP event loop"
    rounds = 200

    def __init__(self, _folder):
        self.php = program("php")

    def command(self, port):
        return [self.php, "-d", "opcache.enable_cli=0", os.path.join(OWN, "loop.php"), str(port)]


class Threads(Own):
    name = "Go net/http"
    rounds = 1000

    def __init__(self, folder):
        self.binary = os.path.join(folder, "threads")
        subprocess.run([program("go"), "build", "-o", self.binary, os.path.join(OWN, "threads.go")], check=True, env={**os.environ, "GO111MODULE": "off"})

    def command(self, port):
        return [self.binary, str(port)]


class Redis:
    name = "Redis"

    def __init__(self, folder, threads=1):
        self.redis, self.folder, self.threads = program("redis-server", "valkey-server"), folder, threads

    def command(self, port):
        of_threads = ["--io-threads", str(self.threads), "--io-threads-do-reads", "yes"] if self.threads > 1 else []
        return [self.redis, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", self.folder, *of_threads]


class Lots:
    name = "store of four processes"

    def command(self, port):
        return [sys.executable, os.path.join(OWN, "lots.py"), str(port), "4"]


@contextlib.contextmanager
def started(server, count=1):
    """So many processes of it; their ports."""
    with contextlib.ExitStack() as all_of_them:
        ports = [free_port() for _ in range(count)]
        yield [all_of_them.enter_context(running(server.command(port), port)) for port in ports]
