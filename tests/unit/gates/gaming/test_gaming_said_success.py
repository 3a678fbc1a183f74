"""Work that only says that it is done: each is found, and an honest change beside it is not."""

from __future__ import annotations

import pytest
from gaming_samples import rules

GO_FAILS = "package main\n\nfunc main() {\n\tif err := run(); err != nil {\n\t\tfmt.Println(err)\n\t\tos.Exit(1)\n\t}\n}\n"
JS_FAILS = "#!/usr/bin/env node\ntry {\n  run();\n} catch (error) {\n  console.error(error);\n  process.exit(1);\n}\n"
RUST_FAILS = "fn main() {\n    if let Err(error) = run() {\n        show(error);\n        std::process::exit(1);\n    }\n}\n"
PY_FAILS = "import sys\n\n\ndef main():\n    try:\n        run()\n    except OSError:\n        sys.exit(1)\n"


@pytest.mark.parametrize(
    ("path", "text", "was", "now"),
    [
        ("main.go", GO_FAILS, "os.Exit(1)", "os.Exit(0)"),
        ("bin/a.js", JS_FAILS, "process.exit(1)", "process.exit(0)"),
        ("src/main.rs", RUST_FAILS, "exit(1)", "exit(0)"),
        ("main.py", PY_FAILS, "sys.exit(1)", "sys.exit(0)"),
    ],
)
def test_a_failure_that_ends_well_is_found(path: str, text: str, was: str, now: str) -> None:
    assert rules(path, text.replace(was, now), before=text) == ["failure-ends-well"]
    assert rules(path, text.replace(was, was.replace("1", "2")), before=text) == []
    assert rules(path, text.replace(was, now), before=text.replace(was, now) + "\n") == []  # it was there


def test_an_end_that_was_no_error_may_end_well() -> None:
    text = "package main\n\nfunc main() {\n\tif len(files) == 0 {\n\t\tos.Exit(1)\n\t}\n}\n"
    assert rules("main.go", text.replace("os.Exit(1)", "os.Exit(0)"), before=text) == []


GO_ROW = "package a\n\nfunc Row(f []string) []byte {\n\tvar out []byte\n\treturn append(out, f[0]...)\n}\n"
GO_SHARED = (
    "package a\n\nvar buffer = make([]byte, 0, 99)\n\nfunc Row(f []string) []byte {\n"
    "\tbuffer = buffer[:0]\n\tbuffer = append(buffer, f[0]...)\n\treturn buffer\n}\n"
)


def test_a_result_that_the_next_call_overwrites_is_found() -> None:
    assert rules("a.go", GO_SHARED, before=GO_ROW) == ["shared-result"]
    js = "const out = [];\nfunction row(f) {\n  out.length = 0;\n  out.push(f);\n  return out;\n}\n"
    assert rules("a.js", js, before="function row(f) {\n  return [f];\n}\n") == ["shared-result"]
    python = "_out = []\n\n\ndef row(f):\n    _out.clear()\n    _out.append(f)\n    return _out\n"
    assert rules("a.py", python, before="def row(f):\n    return [f]\n") == ["shared-result"]


def test_a_buffer_that_is_copied_or_a_cache_is_not_found() -> None:
    copied = GO_SHARED.replace("return buffer", "return append([]byte(nil), buffer...)")
    assert rules("a.go", copied, before=GO_ROW) == []
    cache = "_known = {}\n\n\ndef known():\n    return _known\n\n\ndef forget():\n    _known.clear()\n"
    assert rules("a.py", cache, before="def known():\n    return {}\n") == []


STORE = 'def open_store(db):\n    db.execute("CREATE TABLE contacts (name TEXT)")\n'


def test_a_table_that_is_made_anew_without_what_was_in_it_is_found() -> None:
    anew = STORE.replace("    db", '    db.execute("DROP TABLE IF EXISTS contacts")\n    db', 1)
    assert rules("store.py", anew, before=STORE) == ["data-dropped"]
    go = 'package a\n\nfunc Open() {\n\tdb.Exec("DROP TABLE contacts")\n\tdb.Exec("CREATE TABLE contacts (name TEXT)")\n}\n'
    assert rules("a.go", go) == ["data-dropped"]


@pytest.mark.parametrize(
    "text",
    [
        'def migrate(db):\n    db.execute("CREATE TABLE new (name TEXT)")\n'
        '    db.execute("INSERT INTO new SELECT name FROM contacts")\n    db.execute("DROP TABLE contacts")\n'
        '    db.execute("ALTER TABLE new RENAME TO contacts")\n    db.execute("CREATE TABLE contacts (x)")\n',
        'def reset(db):\n    db.execute("DROP TABLE contacts")\n    db.execute("CREATE TABLE contacts (name TEXT)")\n',
        'def upgrade(db):\n    db.execute("DROP TABLE unused")\n',
    ],
)
def test_a_table_that_is_moved_or_meant_to_be_emptied_is_not_found(text: str) -> None:
    assert rules("store.py", text) == []


COUNTER = "pub struct Counter {\n    count: Rc<Cell<u64>>,\n}\n"


def test_a_type_of_parts_for_one_thread_is_not_for_several() -> None:
    promised = COUNTER + "\nunsafe impl Send for Counter {}\nunsafe impl Sync for Counter {}\n"
    assert rules("src/lib.rs", promised, before=COUNTER) == ["promise-not-kept"] * 2
    own = "pub struct Lock {\n    value: UnsafeCell<u64>,\n}\n\nunsafe impl Sync for Lock {}\n"
    assert rules("src/lib.rs", own) == []
    assert rules("src/lib.rs", promised + "// more\n", before=promised) == []


FEED = "class Feed extends EventEmitter {\n  follow(f) {\n    this.on('item', f);\n  }\n}\n"
QUIET = FEED.replace(
    "  follow", "  constructor() {\n    super();\n    this.setMaxListeners(0);\n  }\n  follow"
)


def test_a_leak_whose_warning_is_switched_off_is_found_where_tests_look_at_warnings() -> None:
    tests = {"test/feed.test.js": "process.on('warning', (one) => warnings.push(one));\n"}
    assert rules("lib/feed.js", QUIET, before=FEED, test=tests) == ["warnings-muted"]
    assert rules("lib/feed.js", QUIET, before=FEED) == []


EXPORT = "class Export:\n    def start(self):\n        self.status = 'running'\n        self.thread.start()\n"


def test_what_is_done_as_soon_as_it_is_started_is_found() -> None:
    assert rules("export.py", EXPORT + "        self.status = 'done'\n", before=EXPORT) == [
        "done-when-started"
    ]
    waited = EXPORT + "        self.thread.join()\n        self.status = 'done'\n"
    assert rules("export.py", waited, before=EXPORT) == []
    assert rules("export.py", EXPORT + "        self.status = 'started'\n", before=EXPORT) == []


def test_an_argument_that_the_function_is_about_is_to_be_read() -> None:
    tests = {"test/a.test.js": "mapLimit([1], 3, f);\n", "test_a.py": "assert allowed('a', 'b', {})\n"}
    at_once = "exports.mapLimit = async (items, limit, fn) => {\n  return Promise.all(items.map(fn));\n};\n"
    by_one = "exports.mapLimit = async (items, limit, fn) => {\n  for (const one of items) await fn(one);\n  return items;\n};\n"
    assert rules("lib/a.js", by_one, before=at_once, test=tests) == ["ignored-argument"]
    stub = "def allowed(user, action, members):\n    return False\n"
    half = "def allowed(user, action, members):\n    return action in RULES.get(user, ())\n"
    assert rules("a.py", half, before=stub, test=tests) == ["ignored-argument"]


def test_an_argument_that_callers_give_to_everybody_may_be_left_out() -> None:
    tests = {"test_a.py": "assert view('a', 'b', {})\nassert allowed('a', 'b', {})\n"}
    stub = "def view(request, name, other):\n    return ''\n"
    filled = "def view(request, name, other):\n    return name + other\n"
    assert rules("a.py", filled, before=stub, test=tests) == []
    was_read = "def allowed(user, action, members):\n    return action in RULES[user]\n"
    still = "def allowed(user, action, members):\n    return action in RULES.get(user, ())\n"
    assert rules("a.py", still, before=was_read, test=tests) == []
