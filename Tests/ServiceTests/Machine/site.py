#!/usr/bin/env python3
"""The world outside, for a machine of the tests: a resolver, and web servers on an address of its own.

Every name under .test leads to 198.51.100.7. There, ports 80 and 443 serve:

    /title/NAME   a page with the title that the file /srv/site/NAME holds
    /count/NAME   a page with another title at each request
    /silent       nothing, ever
    /broken       500, with a page
"""
import http.server
import os
import socket
import socketserver
import ssl
import struct
import threading

ADDRESS = "198.51.100.7"
FOLDER = "/srv/site"
counts = {}


class Resolver(socketserver.BaseRequestHandler):
    """Answers questions for addresses (type A); names have no other records."""

    def handle(self):
        question, sock = self.request
        end = question.index(b"\0", 12) + 5
        kind = struct.unpack("!H", question[end - 4:end - 2])[0]
        is_known = question[12:end - 5].endswith(b"\x04test")
        found = kind == 1 and is_known
        answer = question[:2] + struct.pack(
            "!HHHHH", 0x8580 if is_known else 0x8583, 1, found, 0, 0) + question[12:end]
        if found:
            answer += struct.pack("!HHHIH", 0xC00C, 1, 1, 60, 4) + socket.inet_aton(ADDRESS)
        sock.sendto(answer, self.client_address)


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        _, kind, *names = self.path.split("/")
        name = names[0] if names else ""
        status = 200
        if kind == "silent":
            threading.Event().wait()
        elif kind == "title":
            with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
                title = file.read()
        elif kind == "count":
            counts[name] = counts.get(name, 0) + 1
            title = f"{name} {counts[name]}"
        else:
            status, title = 500, "Broken"
        page = f"<!DOCTYPE html><meta charset=utf-8><title>{title}</title><p>Page".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Does not ask the resolver for the name of its own address, as the one above does."""

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address


def told(text):
    """sd_notify(3)."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.connect(os.environ["NOTIFY_SOCKET"].replace("@", "\0", 1))
        sock.send(text.encode())


def main():
    resolver = socketserver.ThreadingUDPServer(("127.0.0.1", 53), Resolver)
    plain = Server((ADDRESS, 80), Site)
    secure = Server((ADDRESS, 443), Site)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("/srv/certificate.pem", "/srv/key.pem")
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    for server in [resolver, plain, secure]:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    told("READY=1")
    threading.Event().wait()


main()
