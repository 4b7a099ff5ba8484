#!/usr/bin/env python3
"""Tests of ci/install and ci/comment against servers that fail, which they start on this machine."""

import hashlib
import http.server
import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent.parent
SECRET = "SECRET"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that went away."""


def serve(handler):
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"


def call(command, **variables):
    environment = {"PATH": os.environ["PATH"], "no_proxy": "127.0.0.1", "PYTHONWARNINGS": "error", **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


def archive(program):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        entry = tarfile.TarInfo("tare-1-machine/tare")
        entry.size, entry.mode = len(program), 0o755
        tar.addfile(entry, io.BytesIO(program))
    return packed.getvalue()


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # It can't be compressed, so that half of it is half a file.
        cls.archive = archive(b"#!/bin/sh\necho started\nexit\n" + os.urandom(200_000))
        cls.sha256 = hashlib.sha256(cls.archive).hexdigest()
        cls.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                path = self.path.partition("?")[0]
                times = sum(1 for one in cls.asked if one == path)
                cls.asked.append(path)
                body = b"<html>log in</html>" if path == "/page" else cls.archive
                if path == "/missing":
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                # The first answer breaks off.
                self.wfile.write(body[: len(body) // 2] if path == "/breaks" and times == 0 else body)

        cls.server, cls.url = serve(Handler)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name, "tare here")
        self.addCleanup(Install.asked.clear)

    def install(self, url, sha256=None):
        return call([HERE / "install", self.folder], TARE_URL=url, TARE_SHA256=self.sha256 if sha256 is None else sha256)

    def names(self):
        return sorted(one.name for one in self.folder.iterdir())

    def test_program_is_installed_and_nothing_else(self):
        self.assertEqual(self.install(f"{self.url}/good", f" {self.sha256.upper()}\n"), (0, ""))
        self.assertEqual(self.names(), ["tare"])
        self.assertEqual(call([self.folder / "tare"]), (0, "started\n"))

    def test_what_breaks_off_is_fetched_again(self):
        status, said = self.install(f"{self.url}/breaks")
        self.assertEqual((status, Install.asked), (0, ["/breaks", "/breaks"]), said)

    def test_what_is_no_archive_of_tare_is_refused_and_removed(self):
        wrong = [
            ("/page", self.sha256, "has 19 bytes and the checksum "),
            ("/good", "1234", f"and the checksum {self.sha256}, and not 1234"),
            ("/page", hashlib.sha256(b"<html>log in</html>").hexdigest(), "no archive of Tare"),
            ("/missing", self.sha256, "can't be fetched from"),
        ]
        for path, sha256, words in wrong:
            status, said = self.install(self.url + path, sha256)
            self.assertEqual(status, 1, said)
            self.assertIn(words, said)
            self.assertEqual(self.names(), [])

    def test_secrets_of_an_address_are_not_shown(self):
        for path in ("/page", "/missing"):
            url = f"{self.url.replace('//', f'//user:{SECRET}@')}{path}?signature={SECRET}"
            status, said = self.install(url)
            self.assertEqual(status, 1)
            self.assertNotIn(SECRET, said)
            self.assertIn(path, said)

    def test_installations_at_once_do_not_meet(self):
        command = [HERE / "install", self.folder]
        variables = {"PATH": os.environ["PATH"], "TARE_URL": f"{self.url}/good", "TARE_SHA256": self.sha256}
        calls = [subprocess.Popen(command, env=variables, stderr=subprocess.PIPE) for _ in range(8)]
        self.assertEqual([(one.communicate()[1], one.returncode) for one in calls], [(b"", 0)] * 8)
        self.assertEqual(self.names(), ["tare"])


class Comment(unittest.TestCase):
    """What the test of `tare ci` doesn't ask: answers that aren't the API's."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.file = pathlib.Path(place.name, "comment.md")
        self.file.write_text("<!-- tare -->\n### nothing changed\n", encoding="utf-8")

    def comment(self, answers, **variables):
        """Status and output, where the API gives these answers, the last one again and again."""
        left = list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.wfile.write(left.pop(0) if len(left) > 1 else left[0])

            do_GET = do_POST = do_PATCH = answer

        server, url = serve(Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        said = {"GITHUB_API_URL": url, "GITHUB_REPOSITORY": "us/ours", "GITHUB_TOKEN": SECRET, "TARE_PULL_REQUEST": "7", "TARE_PAUSE": "0"}
        status, shown = call(["python3", HERE / "comment", self.file], **{**said, **variables})
        self.assertNotIn(SECRET, shown)
        self.assertNotIn("Traceback", shown)
        self.assertEqual(shown.count("\n"), 1, shown)
        return status, shown

    @staticmethod
    def page(body, status=200):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(text), text)

    def test_an_answer_that_breaks_off_is_asked_for_again(self):
        broken = b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{"bo'
        for first in (broken, b"\0 garbage\r\n\r\n", b"", self.page(b"<html>log in</html>")):
            self.assertEqual(self.comment([first, self.page([]), self.page({"id": 1}, 201)]), (0, "tare: posted the comment\n"))

    def test_what_is_no_api_is_said(self):
        asked = [
            (self.page(b"<html>\nlog in</html>"), "answered '<html> log in</html>', which isn't JSON in 4 tries"),
            (self.page({"message": "moved"}), "no list of comments"),
            (self.page({"message": "Validation Failed"}, 422), "answered 422 'Validation Failed'"),
        ]
        for answer, words in asked:
            status, shown = self.comment([answer])
            self.assertEqual(status, 1)
            self.assertIn(words, shown)

    def test_a_comparison_that_was_killed_has_no_comment(self):
        self.file.write_text("", encoding="utf-8")
        status, shown = self.comment([self.page([])])
        self.assertEqual(status, 0)
        self.assertIn("ended before it had a result", shown)

    def test_comments_that_are_none_are_passed_over(self):
        odd = [None, 5, {"body": None}, {"body": "<!-- tare -->", "user": {"type": "Bot"}, "id": "../1"}]
        self.assertEqual(self.comment([self.page(odd), self.page({}, 201)]), (0, "tare: posted the comment\n"))

    def test_a_token_is_never_shown(self):
        good = [self.page([]), self.page({}, 201)]
        self.assertEqual(self.comment(good, GITHUB_TOKEN=f"{SECRET}\n")[0], 0)
        for token in (f"{SECRET}\n{SECRET}", f"{SECRET}é"):
            status, shown = self.comment(good, GITHUB_TOKEN=token)
            self.assertEqual(status, 1)
            self.assertIn("GITHUB_TOKEN holds a character", shown)

    def test_what_the_environment_lacks_is_said(self):
        for name, value, words in (
            ("GITHUB_API_URL", "", "GITHUB_API_URL isn't set"),
            ("GITHUB_API_URL", "nonsense", "no address of an API"),
            ("TARE_PULL_REQUEST", "", "GITHUB_EVENT_PATH isn't set"),
        ):
            status, shown = self.comment([self.page([])], **{name: value})
            self.assertEqual(status, 1)
            self.assertIn(words, shown)


if __name__ == "__main__":
    unittest.main()
