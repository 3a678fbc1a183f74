"""Names that a change gave to the same code are followed into the original tests; nothing else is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.core.globs import matches
from ralph.gates.integrity.renames import Renames, rename_map
from ralph.gates.integrity.rewritten_tests import new_place, rewrite
from ralph.gates.judges import TESTS

Files = dict[str, str]


def mapped(before: Files, after: Files) -> Renames:
    def read(files: Files) -> Callable[[str], bytes | None]:
        return lambda path: files[path].encode() if path in files else None

    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return rename_map(read(before), read(after), paths)


PRICE = "def price(net, rate):\n    total = net * (1 + rate)\n    return round(total, 2)\n"
NEW = PRICE.replace("price", "gross_price")
BODIES = {  # path, a function f(a, b) that is to be found again
    "shop.py": "def {}(net, rate):\n    total = net * (1 + rate)\n    return round(total, 2)\n",
    "shop.js": "export function {}(net, rate) {{\n  const total = net * (1 + rate);\n  return Math.round(total);\n}}\n",
    "shop.ts": "export const {} = (net: number, rate: number): number => {{\n  return net * (1 + rate);\n}};\n",
    "shop.cjs": "exports.{} = (net, rate) => net * (1 + rate);\n",
    "shop.go": "package shop\n\nfunc {}(net, rate float64) float64 {{\n\treturn net * (1 + rate)\n}}\n",
    "src/lib.rs": "pub fn {}(net: f64, rate: f64) -> f64 {{\n    net * (1.0 + rate)\n}}\n",
}


@pytest.mark.parametrize("path", BODIES)
def test_a_function_of_the_same_body_is_the_same_function(path: str) -> None:
    found = mapped({path: BODIES[path].format("price")}, {path: BODIES[path].format("gross")})
    assert found.names == {"price": "gross"}
    assert found.origins == {"price": path}
    assert found.removed == frozenset()


@pytest.mark.parametrize("path", BODIES)
def test_a_function_that_is_removed_is_said_to_be(path: str) -> None:
    rest = "package shop\n" if path.endswith(".go") else ""
    found = mapped({path: BODIES[path].format("price")}, {path: rest})
    assert found.names == {}
    assert found.removed == {"price"}


def test_a_new_function_that_does_something_else_is_no_rename() -> None:
    """Remove the function, adapt the tests: the tests then judge nothing of what they judged."""
    stub = "def gross_price(net, rate):\n    return 42\n"
    found = mapped({"shop.py": PRICE}, {"shop.py": stub})
    assert found.names == {}
    assert found.removed == {"price"}


def test_one_that_does_something_else_is_none_though_the_tests_say_so() -> None:
    test = "from shop import price\n\n\ndef test_price():\n    assert price(100, 0.2) == 120\n"
    adapted = test.replace("price", "gross_price")
    found = mapped(
        {"shop.py": PRICE, "test_shop.py": test},
        {"shop.py": "def gross_price(net, rate):\n    return 120\n", "test_shop.py": adapted},
    )
    assert found.names == {}


def test_a_function_fixed_on_the_way_is_followed_where_its_callers_follow() -> None:
    before = {"shop.py": PRICE, "cli.py": "from shop import price\n\nprint(price(1, 2))\n"}
    fixed = "def gross(net, rate):\n    if rate < 0:\n        raise ValueError(rate)\n    return round(net * (1 + rate), 2)\n"
    after = {"shop.py": fixed, "cli.py": "from shop import gross\n\nprint(gross(1, 2))\n"}
    assert mapped(before, after).names == {"price": "gross"}


def test_what_could_be_two_is_neither() -> None:
    """The one that stands in the old place is no likelier."""
    twice = NEW + "\n\n" + NEW.replace("gross_price", "price_with_tax")
    found = mapped({"shop.py": PRICE}, {"shop.py": twice})
    assert found.names == {}
    assert found.removed == {"price"}


def test_two_names_cannot_become_one() -> None:
    found = mapped({"shop.py": PRICE + "\n\n" + PRICE.replace("price", "cost")}, {"shop.py": NEW})
    assert found.names == {}
    assert found.removed == {"price", "cost"}


def test_a_name_that_stays_as_an_alias_or_by_import_is_not_gone() -> None:
    kept = {"shop.py": NEW + "\n\nprice = gross_price\n"}
    assert mapped({"shop.py": PRICE}, kept) == Renames()
    imported = {"shop.py": "from tax import gross_price as price\n", "tax.py": NEW}
    assert mapped({"shop.py": PRICE}, imported) == Renames()
    everything = {"shop.js": "export * from './tax.js';\n", "tax.js": BODIES["shop.js"].format("price")}
    assert mapped({"shop.js": BODIES["shop.js"].format("price")}, everything).removed == frozenset()


def test_a_name_that_another_file_has_too_is_not_followed() -> None:
    """A test that takes it from the package may mean either."""
    core = "class Price:\n    def __init__(self, net):\n        self.net = net\n"
    parser = "class Price:\n    def __init__(self, text):\n        self.text = text.strip().lower()\n"
    before = {"shop/core.py": core, "shop/parser.py": parser}
    after = {"shop/core.py": f"{core}\nRATE = 1\n", "shop/parser.py": parser.replace("Price", "_Price")}
    assert mapped(before, after).names == {}


def test_classes_and_methods_are_followed_by_their_bodies() -> None:
    before = (
        "class Shelf:\n    def put(self, book):\n        self.books.append(book)\n\n"
        "    def find_by(self, name):\n        return [b for b in self.books if b.name == name]\n"
    )
    after = before.replace("Shelf", "Rack").replace("find_by", "by_name")
    found = mapped({"shelf.py": before}, {"shelf.py": after})
    assert found.names == {"Shelf": "Rack"}
    assert found.methods == {"find_by": "by_name"}


def test_a_method_whose_name_others_have_too_is_not_followed() -> None:
    before = "class Box:\n    def get(self, key):\n        return self.inner[key] or self.default\n"
    assert mapped({"box.py": before}, {"box.py": before.replace("get", "fetch")}).methods == {}


def test_files_that_move_are_found_by_what_they_define() -> None:
    found = mapped({"helpers.py": PRICE}, {"lib/money.py": PRICE.replace("2)", "4)")})
    assert found.modules == {"helpers.py": "lib/money.py"}
    assert found.removed == frozenset()


def test_a_function_that_moves_to_another_file_keeps_its_name() -> None:
    two = PRICE + "\n\ndef left(text):\n    return text.strip()\n"
    left = two.partition("\n\n\n")[2] if "\n\n\n" in two else "def left(text):\n    return text.strip()\n"
    found = mapped({"shop.py": two}, {"shop.py": left, "money.py": PRICE})
    assert found.moved == {"shop.py": {"price": "money.py"}}
    text = "from shop import left, price\n"
    assert rewrite(text, found, path="test_x.py") == "from shop import left; from money import price\n"


def test_a_file_that_does_not_parse_renames_nothing() -> None:
    assert mapped({"shop.py": PRICE}, {"shop.py": "def ("}).names == {}


RENAMED = Renames(
    names={"price": "gross"},
    methods={"find_by": "by_name"},
    modules={"helpers.py": "text/align.py", "src/pkg/old.py": "src/pkg/sub/new.py"},
    origins={"price": "shop.py"},
)
PYTHON = {
    "from shop import price\nprice(1)\n": "from shop import gross\ngross(1)\n",
    "from shop import price as p\np(1)\n": "from shop import gross as p\np(1)\n",
    "import shop\nshop.price(1)\n": "import shop\nshop.gross(1)\n",
    "import shop as s\ns.price(1)\n": "import shop as s\ns.gross(1)\n",
    "import helpers\nhelpers.left(1)\n": "import text.align\ntext.align.left(1)\n",
    "import helpers as h\nh.left(1)\n": "import text.align as h\nh.left(1)\n",
    "from pkg import old\nold.x()\n": "from pkg.sub import new as old\nold.x()\n",
    "from pkg.old import x\n": "from pkg.sub.new import x\n",
    "from shop import (\n    other,\n    price,  # why\n)\n": "from shop import other, gross\n",
    "@patch('shop.price')\ndef test(): ...\n": "@patch('shop.gross')\ndef test(): ...\n",
    "import shop\nmonkeypatch.setattr(shop, 'price', 1)\n": "import shop\nmonkeypatch.setattr(shop, 'gross', 1)\n",
    "monkeypatch.setattr('helpers.left', 1)\n": "monkeypatch.setattr('text.align.left', 1)\n",
    "shelf.find_by('x')\n": "shelf.by_name('x')\n",
    # not these
    "from bank import price\nprice(1)\n": "from bank import price\nprice(1)\n",
    "from shop import price\nsay('price', price=1)  # price\n": "from shop import gross\nsay('price', price=1)  # price\n",
    "from shop import price\nother.price()\n": "from shop import gross\nother.price()\n",
    "from shop import price\ngross = 3\nprice(gross)\n": "from shop import price\ngross = 3\nprice(gross)\n",
    "def test(:\n": "def test(:\n",
}


@pytest.mark.parametrize("text", PYTHON)
def test_a_python_test_is_rewritten(text: str) -> None:
    assert rewrite(text, RENAMED, path="tests/test_x.py") == PYTHON[text]


SCRIPTS = Renames(
    names={"price": "gross"},
    modules={"src/helpers.ts": "src/text/align.ts", "lib/index.js": "core/index.js"},
    origins={"price": "src/shop.js"},
)
JAVASCRIPT = {
    "import { price } from '../src/shop.js';\nprice(1);\n": "import { gross } from '../src/shop.js';\ngross(1);\n",
    "import { price as p } from '../src/shop';\np(1);\n": "import { gross as p } from '../src/shop';\np(1);\n",
    "const { price } = require('../src/shop');\nprice(1);\n": "const { gross } = require('../src/shop');\ngross(1);\n",
    "const shop = require('../src/shop');\nshop.price(1);\n": "const shop = require('../src/shop');\nshop.gross(1);\n",
    "import * as shop from '../src/index.js';\nshop.price();\n": "import * as shop from '../src/index.js';\nshop.gross();\n",
    "import { x } from '../src/helpers.js';\n": "import { x } from '../src/text/align.js';\n",
    "jest.mock('../src/helpers');\n": "jest.mock('../src/text/align');\n",
    "const lib = require('../lib');\n": "const lib = require('../core');\n",
    # not these
    "import { price } from './bank';\nprice(1);\n": "import { price } from './bank';\nprice(1);\n",
    "import { price } from '../src/shop';\nsay('price', { price: 1 }); // price\n": (
        "import { gross } from '../src/shop';\nsay('price', { price: 1 }); // price\n"
    ),
    "say('../src/helpers');\n": "say('../src/helpers');\n",
}


@pytest.mark.parametrize("text", JAVASCRIPT)
def test_a_javascript_test_is_rewritten(text: str) -> None:
    assert rewrite(text, SCRIPTS, path="test/x.test.js") == JAVASCRIPT[text]


def test_a_go_test_follows_its_package_and_the_packages_that_it_imports() -> None:
    go = "package words\n\nfunc Wrap(text string, width int) []string {\n\treturn cut(text, width, nil)\n}\n"
    found = mapped(
        {"go.mod": "module example.com/fold\n", "words/words.go": go},
        {
            "go.mod": "module example.com/fold\n\n",
            "text/fold/fold.go": go.replace("Wrap", "Fold").replace("words", "fold"),
        },
    )
    inside = 'package words\n\nimport "testing"\n\nfunc TestWrap(t *testing.T) { Wrap("a", 1) }\n'
    outside = 'package main\n\nimport "example.com/fold/words"\n\nvar x = words.Wrap("words", 1)\n'
    assert new_place("words/words_test.go", found) == "text/fold/words_test.go"
    assert rewrite(inside, found, path="words/words_test.go") == inside.replace("words", "fold").replace(
        " Wrap(", " Fold("
    )
    assert rewrite(outside, found, path="main_test.go") == (
        'package main\n\nimport "example.com/fold/text/fold"\n\nvar x = fold.Fold("words", 1)\n'
    )


def test_a_rust_test_follows_modules_types_and_methods() -> None:
    found = Renames(
        names={"Shelf": "Rack"},
        methods={"find_by": "by_name"},
        modules={"src/shelf.rs": "src/store/rack.rs"},
        origins={"Shelf": "src/shelf.rs"},
    )
    text = 'use shop::shelf::Shelf;\n\n#[test]\nfn finds() { Shelf::new().find_by("Shelf"); }\n'
    assert rewrite(text, found, path="tests/x.rs") == (
        'use shop::store::rack::Rack;\n\n#[test]\nfn finds() { Rack::new().by_name("Shelf"); }\n'
    )


# -- the honest cases of the corpus, with their real runners ------------------------------------------

CASES = Path(__file__).parents[3] / "adversarial/cases"
HONEST = {
    "python/honest-renames-a-function-with-its-tests": [sys.executable, "-m", "pytest", "-q"],
    "python/honest-moves-a-module-with-its-imports": [sys.executable, "-m", "pytest", "-q"],
    "js/honest-renames-a-function": ["node", "--test"],
    "js/honest-moves-a-module-for-good": ["node", "--test"],
    "go/honest-moves-a-package": ["go", "test", "./..."],
    "rust/honest-renames-a-function": ["cargo", "test", "--quiet", "--offline"],
}


@pytest.mark.parametrize("case", HONEST)
def test_the_original_tests_of_an_honest_change_pass_when_they_follow_its_names(
    case: str, tmp_path: Path
) -> None:
    program = HONEST[case][0]
    version = "version" if program == "go" else "--version"
    if not shutil.which(program) or subprocess.run([program, version], capture_output=True).returncode:
        pytest.skip(f"{program} does not work here")
    before, after = tmp_path / "before", tmp_path / "after"
    shutil.copytree(CASES / case / "before", before)
    shutil.copytree(before, after)
    for command in (("git", "init", "-q"), ("git", "add", "-A"), ("sh", str(CASES / case / "agent.sh"))):
        subprocess.run(command, cwd=after, check=True)
    shutil.rmtree(after / ".git")
    found = {path.relative_to(top) for top in (before, after) for path in top.rglob("*") if path.is_file()}

    def read(top: Path, path: str) -> bytes | None:
        return (top / path).read_bytes() if (top / path).is_file() else None

    changed = [path for path in map(str, found) if read(before, path) != read(after, path)]
    renames = rename_map(lambda path: read(before, path), lambda path: read(after, path), changed)
    tests = [path for path in changed if matches(path, TESTS) and read(before, path)]
    assert tests
    for path in tests:
        place = after / new_place(path, renames)
        place.write_text(rewrite((before / path).read_text(), renames, path=path))
    done = subprocess.run(HONEST[case], cwd=after, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
