#!/usr/bin/env python3
"""Talks to a Quire server from Python.

  python3 -m venv /tmp/quire-venv
  /tmp/quire-venv/bin/pip install grpcio-tools
  /tmp/quire-venv/bin/python client/python/quire_client.py "Once upon a time"

grpcio-tools makes the classes from the .proto while this is imported, so
nothing has to be generated beforehand.
"""

import argparse
import os
import pathlib
import sys

import grpc

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "proto"))
quire, services = grpc.protos_and_services("quire/v1/quire.proto")

# As for the command quire.
DEFAULT_SERVER = "127.0.0.1:" + (os.environ.get("QUIRE_PORT") or "8300")


def connect(address=DEFAULT_SERVER):
    """The server's API: a method for each RPC of quire.v1.Quire."""
    limit = [("grpc.max_receive_message_length", 64 << 20)]
    return services.QuireStub(grpc.insecure_channel(address, options=limit))


def generate(server, prompt, *, stopping=None, **sampling):
    """Yields the text that continues the prompt, piece by piece."""
    request = quire.GenerateRequest(text=prompt, sampling=sampling, stopping=stopping)
    for response in server.Generate(request):
        yield response.text


def main():
    parser = argparse.ArgumentParser(description="Continues a prompt.")
    parser.add_argument("prompt")
    parser.add_argument("--server", default=DEFAULT_SERVER, help="HOST:PORT")
    parser.add_argument("--max_tokens", type=int, default=64)
    arguments = parser.parse_args()
    try:
        for text in generate(
            connect(arguments.server),
            arguments.prompt,
            temperature=0,
            stopping={"max_tokens": arguments.max_tokens},
        ):
            print(text, end="", flush=True)
        print()
    except grpc.RpcError as error:
        sys.exit(f"{error.code().name}: {error.details()}")


if __name__ == "__main__":
    main()
