"""Downloads from a server on the loopback address that serves, truncates, corrupts and refuses."""

import hashlib
import io
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from cbkit.datasets import DatasetAbsentError, FetchError, fetch, fetching, load_dataset, where_is
from cbkit.datasets.manifest import entries
from cbkit.datasets.sources import cached_folder

ARFF = b"@relation t\n@attribute f real\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n{0 1,1 1}\n"
XML = b"<labels><label name='a'/><label name='b'/></labels>"
EXTREME = b"2 3 4\n0,2 0:1\n2 1:1\n"
LOG = b"item_id,click\n0,1\n"
FILES = {"/tiny/tiny.arff": ARFF, "/tiny/tiny.xml": XML, "/text/text.txt": EXTREME}
LOG_PATH = "/clicks/random/men/men.csv"
MANIFEST = {
    "tiny": {
        "title": "Tiny",
        "substitute": "demo",
        "data": ["tiny.arff"],
        "labels": "tiny.xml",
        "files": {
            "tiny.arff": {
                "url": "http://127.0.0.1:9/tiny.arff",
                "bytes": len(ARFF),
                "sha256": hashlib.sha256(ARFF).hexdigest(),
            },
            "tiny.xml": {"url": "http://127.0.0.1:9/tiny.xml"},
        },
        "expected": [1, 1, 2],
    },
    "text": {
        "title": "Text",
        "substitute": "demo",
        "data": ["text.txt"],
        "drop_unused_arms": True,
        "files": {
            "text.txt": {
                "url": "http://127.0.0.1:9/text.txt",
                "git_blob": hashlib.sha1(b"blob %d\0" % len(EXTREME) + EXTREME).hexdigest(),
            }
        },
        "expected": [2, 3, 2],
    },
    "clicks": {
        "logged": True,
        "title": "Clicks",
        "substitute": "a planted log",
        "files": {
            "random/men/men.csv": {
                "url": "http://127.0.0.1:9/men.csv",
                "bytes": len(LOG),
                "sha256": hashlib.sha256(LOG).hexdigest(),
            }
        },
        "expected": [1, 0, 1],
    },
}


class Server(ThreadingHTTPServer):
    """Answers from FILES; `faults` holds, by path, what to do instead in the next answers."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults, self.requests = {}, []
        self.address = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        queue = self.server.faults.get(self.path, [])
        fault = queue.pop(0) if queue else None
        body = (FILES | {LOG_PATH: LOG})[self.path]
        if isinstance(fault, int):
            self.send_error(fault)
            return
        promised = len(body)
        if fault == "truncate":
            body = body[: len(body) // 2]
        elif fault == "truncate silently":
            body = body[: len(body) // 2]
            promised = len(body)
        elif fault == "corrupt":
            body = body.replace(b"1", b"0")
        elif fault == "page":
            body = b"<html><p>Please log in</p></html>"
            promised = len(body)
        self.send_response(200)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "datasets.yaml").write_text(yaml.safe_dump(MANIFEST, sort_keys=False))
    monkeypatch.setattr("cbkit.datasets.manifest.project_root", lambda: tmp_path)
    monkeypatch.setenv("CBKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("CBKIT_DATA", raising=False)
    monkeypatch.setattr(fetching, "_PAUSE", 0.0)
    entries.cache_clear()
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    entries.cache_clear()


def stored_files(name):
    folder = cached_folder(name)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_fetched_set_loads_and_is_not_fetched_again(server):
    assert where_is("tiny") == "absent"
    folder = fetch("tiny", mirror=server.address)
    assert stored_files("tiny") == ["tiny.arff", "tiny.xml"]
    assert (folder / "tiny.arff").read_bytes() == ARFF
    assert where_is("tiny") == "cache"
    data = load_dataset("tiny")
    assert (data.name, data.provenance, data.n_rows) == ("tiny", "Tiny", 1)
    fetch("tiny", mirror=server.address)
    assert len(server.requests) == 2


def test_a_file_known_by_its_git_blob_is_checked_and_unused_labels_left_out(server):
    fetch("text", mirror=server.address)
    data = load_dataset("text")
    assert data.arm_names == ("0", "2")
    assert data.provenance == "Text; 2 of 4 labels occur nowhere, left out"


def test_logged_data_are_fetched_into_their_folders_and_checked(server):
    server.faults[LOG_PATH] = ["corrupt"]
    folder = fetch("clicks", mirror=server.address)
    assert (folder / "random" / "men" / "men.csv").read_bytes() == LOG
    assert server.requests == [LOG_PATH] * 2
    with pytest.raises(ValueError, match="unknown data set 'clicks'"):
        load_dataset("clicks")  # it is no multilabel set


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        (path, fault)
        for path in FILES
        for fault in ["truncate", "truncate silently", "corrupt", "page", 500, 503]
        if not (path.endswith(".xml") and fault == "corrupt")  # it has no checksum, only labels
    ],
)
def test_a_fault_is_retried_and_leaves_a_whole_file(server, path, fault):
    server.faults[path] = [fault]
    name = path.split("/")[1]
    fetch(name, mirror=server.address)
    assert server.requests.count(path) == 2
    assert (cached_folder(name) / path.split("/")[2]).read_bytes() == FILES[path]
    load_dataset(name)


@pytest.mark.parametrize("fault", ["truncate", "truncate silently", "corrupt", "page", 500])
def test_a_lasting_fault_leaves_nothing_and_says_what_to_do(server, fault):
    server.faults["/tiny/tiny.arff"] = [fault] * 3
    with pytest.raises(FetchError) as caught:
        fetch("tiny", mirror=server.address)
    message = str(caught.value)
    assert f"could not download tiny.arff from {server.address}/tiny/tiny.arff" in message
    assert "(3 attempts)" in message
    assert "CBKIT_DATA" in message and "load_dataset('demo')" in message
    assert stored_files("tiny") == []
    assert where_is("tiny") == "absent"


@pytest.mark.parametrize("status", [403, 404])
def test_a_refusal_is_not_retried(server, status):
    server.faults["/tiny/tiny.arff"] = [status]
    with pytest.raises(FetchError, match=rf"\(1 attempt\): {status}"):
        fetch("tiny", mirror=server.address)
    assert server.requests == ["/tiny/tiny.arff"]


def test_files_that_came_whole_are_kept_for_the_next_attempt(server):
    server.faults["/tiny/tiny.xml"] = ["page"] * 3
    with pytest.raises(FetchError, match=r"what came is not a label file|0 labels"):
        fetch("tiny", mirror=server.address)
    assert stored_files("tiny") == ["tiny.arff"]
    assert where_is("tiny") == "absent"
    fetch("tiny", mirror=server.address)
    assert server.requests.count("/tiny/tiny.arff") == 1


def test_without_a_connection_the_message_names_the_ways_out(server):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(FetchError) as caught:
        fetch("tiny", mirror=closed)
    assert "refused" in str(caught.value)
    assert "python -m cbkit fetch tiny" in str(caught.value)
    with pytest.raises(DatasetAbsentError, match="python -m cbkit fetch tiny"):
        load_dataset("tiny")


def test_a_damaged_file_in_the_cache_is_refused_and_fetched_anew(server):
    folder = fetch("tiny", mirror=server.address)
    (folder / "tiny.arff").write_bytes(ARFF[:-4])
    with pytest.raises(ValueError, match=r"tiny.arff .* has \d+ bytes, expected \d+"):
        load_dataset("tiny")
    fetch("tiny", mirror=server.address)
    assert load_dataset("tiny").n_rows == 1


def test_a_progress_bar_shows_on_a_terminal_and_nothing_elsewhere(server, monkeypatch, capsys):
    fetch("text", mirror=server.address)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    server.faults["/tiny/tiny.arff"] = ["truncate"]
    fetch("tiny", mirror=server.address)
    assert "tiny.arff: 100%" in terminal.getvalue()


def test_a_cache_that_is_a_file_is_an_error_and_not_a_crash(server, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(FetchError, match="could not store"):
        fetch("tiny", mirror=server.address)


def test_only_published_sets_can_be_fetched(server):
    with pytest.raises(ValueError, match="'demo' is nothing to fetch"):
        fetch("demo")
