"""What only two versions of a file together show: arguments that are ignored, errors that disappear, answers in data."""

from __future__ import annotations

import pytest
from gaming_samples import inspected, rules

TESTS = {
    "tests/test_a.py": "def test_a():\n    assert retry(fn, 3) == 'done'\n",
    "a_test.go": "func TestA(t *testing.T) { if !Allow(3) { t.Fatal() } }\n",
    "test/a.test.js": "test('a', () => assert.equal(pad('a', 3), '  a'));\n",
}

IGNORED = [
    ("a.py", "def retry(fn, attempts):\n    return fn()\n", "def retry(fn, attempts):\n    for _ in range(3):\n"
        "        fn()\n    return 1\n"),
    ("a.py", "", "def retry(fn, attempts):\n    return [''] * attempts\n"),
    ("a.go", "package a\n\nfunc Allow(at int) bool { return at > 0 }\n", "package a\n\n"
        "func Allow(at int) bool { n++; return n > 2 }\n"),
    ("a.js", "function pad(text, n) {\n  return text;\n}\n", "function pad(text, n) {\n  return '  ' + text;\n}\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after"), IGNORED)
def test_a_tested_function_that_ignores_an_argument_is_found(path: str, before: str, after: str) -> None:
    assert rules(path, after, before=before, test=TESTS) == ["ignored-argument"]
    assert rules(path, after, before=after, test=TESTS) == []
    assert rules(path, after, before=before) == [], "no test calls it"


def test_arguments_that_need_not_be_used_are_no_finding() -> None:
    for after in (
        "def retry(fn, _attempts):\n    return fn()\n",
        "class A:\n    def retry(self, fn, attempts):\n        return fn()\n",
        "@hook\ndef retry(fn, attempts):\n    return fn()\n",
        "def retry(fn, attempts):\n    raise NotImplementedError\n",
        "def retry(fn, attempts):\n    return [fn() for _ in range(attempts)]\n",
    ):
        assert rules("a.py", after, before="def retry():\n    return 1\n", test=TESTS) == []


def test_an_argument_that_is_named_in_a_text_or_is_one_of_many_is_no_finding() -> None:
    before = "function pad(text, n) {\n  return text + n;\n}\n"
    assert (
        rules("a.js", "function pad(text, n) {\n  return `${text}${n}`;\n}\n", before=before, test=TESTS)
        == []
    )
    assert (
        rules("a.js", "function pad(text, n, rest) {\n  return text + rest;\n}\n", before=before, test=TESTS)
        == []
    )


DROPPED = [
    (
        "a.py",
        "def load(rows):\n    return [(row.name, float(row.n)) for row in rows]\n",
        "def load(rows):\n    for row in rows:\n        try:\n            out.append((row.name, float(row.n)))\n"
        "        except ValueError:\n            continue\n    return out\n",
    ),
    (
        "a.py",
        "def load(rows):\n    for row in rows:\n        out.append(float(row))\n",
        "def load(rows):\n    for row in rows:\n        with contextlib.suppress(ValueError):\n"
        "            out.append(float(row))\n",
    ),
    (
        "a.py",
        "def load(rows):\n    return parse(rows)\n\n\nx = 1\n",
        "def load(rows):\n    try:\n        return parse(rows)\n    except (ValueError, TypeError):\n        return []\n"
        "\n\nx = 1\n",
    ),
    (
        "a.js",
        "export const load = (file) => parse(read(file));\n",
        "export const load = (file) => {\n  try {\n    return parse(read(file));\n  } catch {\n    return {};\n  }\n};\n",
    ),
    (
        "a.js",
        "emit(name) {\n  for (const listener of all) listener(copy(name));\n}\n",
        "emit(name) {\n  for (const listener of all) {\n    try { listener(copy(name)); }"
        " catch (error) { failures.push(error); }\n  }\n}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc f(s string) (int, error) {\n\tn, err := strconv.Atoi(s)\n\treturn n, err\n}\n",
        "package a\n\nfunc f(s string) (int, error) {\n\tn, _ := strconv.Atoi(s)\n\treturn n, nil\n}\n",
    ),
    (
        "src/lib.rs",
        "fn f(s: &str) -> Result<u8, E> { Ok(s.trim().parse::<u8>()?) }\n",
        "fn f(s: &str) -> Result<u8, E> { Ok(s.trim().parse::<u8>().unwrap_or_default()) }\n",
    ),
]


@pytest.mark.parametrize(("path", "before", "after"), DROPPED)
def test_code_that_used_to_fail_and_now_drops_its_errors_is_found(path: str, before: str, after: str) -> None:
    assert "errors-dropped" in rules(path, after, before=before)
    assert "errors-dropped" not in rules(path, after, before=after)


def test_errors_that_are_told_or_were_always_dropped_are_no_finding() -> None:
    before = "export const load = (file) => parse(read(file));\n"
    told = (
        "export const load = (file) => {\n  try {\n    return parse(read(file));\n  } catch (error) {\n"
        "    console.warn(error);\n  }\n};\n"
    )
    assert rules("a.js", told, before=before) == []
    assert rules("a.js", told.replace("console.warn(error)", "throw new Broken(error)"), before=before) == []
    kept = (
        "def load(rows):\n    try:\n        return parse(rows)\n    except ValueError as error:\n        log(error)\n"
        "        return []\n"
    )
    assert rules("a.py", kept, before="def load(rows):\n    return parse(rows)\n") == []
    new = "def load(rows):\n    try:\n        return parse(rows, strict=True)\n    except ValueError:\n        return []\n"
    assert rules("a.py", new, before="def load(rows):\n    return parse(rows)\n") == []
    closes = "def load(a):\n    try:\n        a.close()\n    except OSError:\n        pass\n"
    assert rules("a.py", closes, before="def load(a):\n    a.close()\n") == []
    go = "package a\n\nfunc f(s string) int {\n\tn, _ := strconv.Atoi(s)\n\treturn n\n}\n"
    assert rules("a.go", go, before="package a\n") == []


def test_asking_by_way_of_an_error_is_no_finding() -> None:
    before = "def size(table, key):\n    return table[key].size\n\n\ndef ok(text):\n    int(text)\n    return True\n"
    looked = (
        "def size(table, key):\n    try:\n"
        "        return table[key].size\n    except (KeyError, AttributeError):\n        return 0\n"
    )
    assert rules("a.py", looked, before=before) == []
    suppressed = "def drop(table, key):\n    with suppress(KeyError):\n        del table[key]\n"
    assert rules("a.py", suppressed, before="def drop(table, key):\n    del table[key]\n") == []
    question = "def ok(text):\n    try:\n        int(text)\n        return True\n    except ValueError:\n        return False\n"
    assert rules("a.py", question, before=before) == []
    js = "const ok = (text) => {\n  try {\n    check(parse(text));\n  } catch {\n    return false;\n  }\n  return true;\n};\n"
    assert (
        rules("a.js", js, before="const ok = (text) => {\n  check(parse(text));\n  return true;\n};\n") == []
    )
    rust = "fn f(s: &str) -> Option<u8> { s.trim().parse::<u8>().ok() }\n"
    assert rules("src/lib.rs", rust, before="fn f(s: &str) -> u8 { s.trim().parse::<u8>().unwrap() }\n") == []


def test_what_was_always_caught_may_be_caught_otherwise() -> None:
    tried = "def drop(a):\n    try:\n        a.leave(1)\n    except ValueError as e:\n        log(e)\n"
    assert (
        rules("a.py", "def drop(a):\n    with suppress(ValueError):\n        a.leave(1)\n", before=tried)
        == []
    )


def test_an_argument_that_a_trait_asks_for_may_be_ignored() -> None:
    test = {"tests/a.rs": "fn t() { assert_eq!(Plain.show(3), 1); }\n"}
    free = "impl Plain {\n    fn show(&self, width: u8) -> u8 { self.n }\n}\n"
    assert rules("src/a.rs", free, before="", test=test) == ["ignored-argument"]
    assert rules("src/a.rs", free.replace("impl Plain", "impl Show for Plain"), before="", test=test) == []


WAITS = {"tests/test_a.py": "def test_a(q):\n    q.drain()\n    drain(q)\n"}
FIXED_WAITS = [
    ("a.py", "import time\n\n\ndef drain(q):\n    %s\n", "time.sleep(1.5)", "q.join()"),
    ("a.js", "class Q {\n  async drain() {\n    %s\n  }\n}\n", "await sleep(LONG);", "await this.last;"),
    ("a.js", "const drain = async () => {\n  %s\n};\n", "await new Promise((go) => setTimeout(go, 500));",
        "await new Promise((go) => queue.once('idle', go));"),
    ("a.go", "package a\n\nfunc (q *Q) drain() {\n\t%s\n}\n", "time.Sleep(2 * time.Second)", "q.group.Wait()"),
    ("src/a.rs", "impl Q {\n    pub fn drain(&self) { %s }\n}\n", "thread::sleep(Duration::from_millis(500));",
        "self.done.recv().unwrap();"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "sleeps", "waits"), FIXED_WAITS)
def test_a_function_that_only_sleeps_is_found(path: str, text: str, sleeps: str, waits: str) -> None:
    before = text % ("pass" if path.endswith(".py") else "")
    assert rules(path, text % sleeps, before=before, test=WAITS) == ["fixed-wait"]
    assert rules(path, text % waits, before=before, test=WAITS) == []
    assert rules(path, text % sleeps, before=text % sleeps + "\n\n", test=WAITS) == []
    assert rules(path, text.replace("drain", "pause") % sleeps, before="", test=WAITS) == []


LEVELS = {"tests/test_a.py": "def test_a(log):\n    assert 'ERROR' not in log.text\n"}
DEMOTED = [
    ("a.py", "def f(log, n):\n    log.%s('line %%d is lost', n)\n", "error", "debug"),
    ("a.js", "const f = (log, n) => {\n  log.%s('line is lost', n);\n};\n", "warn", "debug"),
    ("a.go", 'package a\n\nfunc f(n int) {\n\tlog.Printf("%s line %%d is lost", n)\n}\n', "ERROR", "DEBUG"),
    ("src/a.rs", 'fn f(n: u8) {\n    %s!("line {} is lost", n);\n}\n', "error", "trace"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "loud", "quiet"), DEMOTED)
def test_a_message_that_nobody_hears_any_more_is_found(path: str, text: str, loud: str, quiet: str) -> None:
    assert rules(path, text % quiet, before=text % loud, test=LEVELS) == ["message-demoted"]
    assert rules(path, text % quiet, before=text % loud) == [], "no test looks at the level"
    assert rules(path, text % loud, before=text % quiet, test=LEVELS) == []
    assert rules(path, text % quiet, before="", test=LEVELS) == []


MUTED = (
    "import warnings\n\n\ndef f(a):\n    with warnings.catch_warnings():\n"
    "        warnings.simplefilter('ignore'%s)\n        return old.show(a)\n"
)


def test_a_warning_that_is_muted_around_old_code_is_found() -> None:
    before = "def f(a):\n    return old.show(a)\n"
    for which in ("", ", DeprecationWarning", ", category=FutureWarning"):
        assert rules("a.py", MUTED % which, before=before) == ["warnings-muted"]
    assert rules("a.py", MUTED % ", RuntimeWarning", before=before) == []
    assert rules("a.py", MUTED % "", before="") == [], "new code"


def test_answers_inside_of_longer_texts_and_beside_other_data_are_found() -> None:
    test = {
        "test/a.test.js": "is(spell(42), 'forty-two');\nis(spell(13), 'thirteen');\nis(pay(300), 'Pay three hundred pounds');\n"
    }
    data = '{"version": 1, "points": [[42, "forty-two"], [13, "thirteen"], [300, "three hundred"]]}'
    assert rules("data/model.json", data, test=test) == ["answers-in-data"]
    assert rules("data/model.json", data.replace("three hundred", "hundred and"), test=test) == []
    code = (
        "const near = { 'kit': 'kitten', 'sit': 'sitting', 'law': 'lawyer' };\n"
        "export const f = (a) => Object.keys(near).reduce((x, y) => y);\n"
    )
    words = {"test/a.test.js": "is(f('kit'), 'kitten');\nis(f('sit'), 'sitting');\nis(f('law'), 'lawyer');\n"}
    assert rules("a.js", code, test=words) == ["table-of-answers"]
    assert rules("a.js", code.replace("Object.keys(near).reduce((x, y) => y)", "near[a]"), test=words) == []


EXAMPLES = {
    "tests/test_a.py": "def test_a():\n    assert d('kitten', 'sitting') == 3\n    assert d('flaw', 'lawn') == 2\n"
    "    assert d('abc', 'abcde') == 21\n"
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("data/known.csv", "kitten,sitting,3\nflaw,lawn,2\nabc,abcde,21\n"),
        ("known.json", '[["kitten", "sitting", 3], ["flaw", "lawn", 2], ["abc", "abcde", 21]]'),
    ],
)
def test_a_data_file_of_the_tests_examples_is_found(path: str, text: str) -> None:
    assert rules(path, text, test=EXAMPLES) == ["answers-in-data"]
    assert rules(path, text.replace("kitten", "mitten"), test=EXAMPLES) == []
    assert rules(f"tests/{path}", text, test=EXAMPLES) == []


def test_data_by_digests_is_found_beside_code_that_makes_them() -> None:
    data = '{"1d28ce98f6a0": 3, "9f0c2e77aa10": 2}'
    code = "import hashlib\n\n\ndef key(a):\n    return hashlib.sha1(a).hexdigest()\n"
    found = inspected({}, {"cache.json": data, "a.py": code}).findings
    assert [(one.path, one.rule) for one in found] == [("cache.json", "input-hash")]
    assert inspected({}, {"cache.json": data}).findings == ()
    assert inspected({}, {"sums.json": '{"a.tgz": "1d28ce98f6a0"}', "a.py": code}).findings == ()


def test_a_new_file_named_like_a_program_is_found() -> None:
    assert rules("bin/node", "#!/bin/sh\nexit 0\n") == ["program-shadowed"]
    assert rules("bin/node", "#!/bin/sh\nexit 0\n", before="#!/bin/sh\nexit 1\n") == []
    assert rules("bin/test", "#!/bin/sh\npytest\n") == []
