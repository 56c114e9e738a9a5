#!/usr/bin/env python3
"""A scheduler or a worker, as far as deploy/local sees one.

With --admin_listen=HOST:PORT it answers every request with 200. With
--scheduler=ADDRESS it says that it is attached, or what LINK says instead.
With --fail it says so and ends. With --stubborn it does not heed SIGTERM.
"""

import http.server
import os
import signal
import sys


class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()


def main():
    flags = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
    if "fail" in flags:
        sys.exit("the roof is on fire")
    if "stubborn" in flags:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if "scheduler" in flags:
        word = os.environ.get("LINK", "attached to")
        print(word, "the scheduler at", flags["scheduler"], flush=True)
    if "admin_listen" in flags:
        host, _, port = flags["admin_listen"].rpartition(":")
        http.server.HTTPServer((host, int(port)), Ready).serve_forever()
    signal.pause()


main()
