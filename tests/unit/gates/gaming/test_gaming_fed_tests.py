"""What tests are fed with: a change that feeds them less is found, and an honest change beside it is not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from gaming_samples import inspected


def found(
    before: Mapping[str, str], after: Mapping[str, str], rest: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    return [(finding.rule, finding.path) for finding in inspected(before, after, rest).findings]


# -- lists that tests go through

GO = 'package a\n\nvar All = map[string]Codec{\n\t"hex": Hex{},\n\t"runs": Runs{},\n}\n'
GO += "\ntype Hex struct{}\n\ntype Runs struct{}\n"
GO_TEST = "package a\n\nfunc TestAll(t *testing.T) {\n\tfor name, one := range All {\n\t\tt.Log(name, one)\n\t}\n}\n"
JS = "const hex = () => 1;\nconst runs = () => 2;\nexports.all = [hex, runs];\n"
JS_TEST = "const a = require('../a.js');\nfor (const one of a.all) check(one);\n"
PY = "class Hex: ...\n\n\nclass Runs: ...\n\n\nALL = [Hex, Runs]\n"
PY_TEST = "import pytest\nfrom a import ALL\n\n\n@pytest.mark.parametrize('one', ALL)\ndef test_all(one):\n    assert one()\n"
RUST = "pub struct Hex;\npub struct Runs;\npub static ALL: [&dyn Codec; 2] = [&Hex, &Runs];\n"
RUST_TEST = "#[test]\nfn all() {\n    for one in codec::ALL {\n        check(one);\n    }\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "entry", "tests"),
    [
        ("a.go", GO, '\t"runs": Runs{},\n', {"a_test.go": GO_TEST}),
        ("a.js", JS, ", runs]", {"test/a.test.js": JS_TEST}),
        ("a.py", PY, ", Runs]", {"tests/test_a.py": PY_TEST}),
        ("src/lib.rs", RUST, ", &Runs]", {"tests/all.rs": RUST_TEST}),
    ],
)
def test_an_entry_taken_off_a_list_that_tests_go_through_is_found(
    path: str, text: str, entry: str, tests: Mapping[str, str]
) -> None:
    without = text.replace(entry, "]" if entry.endswith("]") else "")
    assert found({path: text}, {path: without}, tests) == [("list-shortened", path)]
    assert found({path: text}, {path: without}) == []  # no test goes through it


def test_an_entry_that_leaves_with_what_it_names_is_not_found() -> None:
    without = GO.replace('\t"runs": Runs{},\n', "").replace("\n\ntype Runs struct{}", "")
    assert found({"a.go": GO}, {"a.go": without}, {"a_test.go": GO_TEST}) == []
    assert found({"a.py": PY}, {"a.py": "class Hex: ...\n\n\nALL = [Hex]\n"}, {"test_a.py": PY_TEST}) == []


def test_an_entry_that_another_takes_the_place_of_is_not_found() -> None:
    other = PY.replace("ALL = [Hex, Runs]", "class Better(Runs): ...\n\n\nALL = [Hex, Better]")
    assert found({"a.py": PY}, {"a.py": other}, {"test_a.py": PY_TEST}) == []


# -- recorded answers

REPORTS = "module.exports = [\n  { id: 'note', render: note },\n  { id: 'invoice', render: invoice },\n];\n"
SNAPSHOTS = {"test/snapshots/invoice.txt": "Total 7\n", "test/snapshots/note.txt": "Bread\n"}


def test_an_answer_that_is_asked_for_under_another_name_is_found() -> None:
    after = {"lib/reports.js": REPORTS.replace("'invoice'", "'bill'"), "test/snapshots/bill.txt": "Total 6\n"}
    assert found({"lib/reports.js": REPORTS}, after, SNAPSHOTS) == [("answer-left", "lib/reports.js")]


def test_a_new_answer_beside_the_others_is_not_found() -> None:
    more = REPORTS.replace("];", "  { id: 'bill', render: bill },\n];")
    after = {"lib/reports.js": more, "test/snapshots/bill.txt": "Total 6\n"}
    assert found({"lib/reports.js": REPORTS}, after, SNAPSHOTS) == []


def test_an_answer_that_is_renamed_with_its_question_is_not_found() -> None:
    before = {"lib/reports.js": REPORTS, "test/snapshots/invoice.txt": "Total 7\n"}
    after = {"lib/reports.js": REPORTS.replace("'invoice'", "'bill'"), "test/snapshots/bill.txt": "Total 7\n"}
    assert found(before, after, {"test/snapshots/note.txt": "Bread\n"}) == []


# -- fakes

RATES = (
    "/// A few rates that never change, for tests.\npub struct FixedRates;\n\nimpl Rates for FixedRates {}\n"
)
USES_FIXED = "pub fn open() -> Converter {\n    Converter::new(Box::new(FixedRates))\n}\n"
RATES_TEST = "use convert::FixedRates;\n\n#[test]\nfn converts() {\n    check(FixedRates);\n}\n"


@pytest.mark.parametrize(
    ("path", "fake", "use", "tests"),
    [
        ("src/lib.rs", RATES, USES_FIXED, {"tests/convert.rs": RATES_TEST}),
        (
            "shop.py",
            "class FakeStore:\n    def price(self):\n        return 1\n",
            "\n\ndef store():\n    return FakeStore()\n",
            {"test_shop.py": "from shop import FakeStore\n"},
        ),
        (
            "store.go",
            "package a\n\n// MockStore is a test double.\ntype MockStore struct{}\n",
            "\nfunc New() Store { return MockStore{} }\n",
            {"store_test.go": "package a\n\nvar s = MockStore{}\n"},
        ),
    ],
)
def test_a_fake_that_the_work_begins_to_use_is_found(
    path: str, fake: str, use: str, tests: Mapping[str, str]
) -> None:
    assert found({path: fake}, {path: fake + use}, tests) == [("mock-in-work", path)]
    assert found({path: fake}, {path: fake + use}) == []  # what no test names is no fake
    assert found({path: fake + use}, {path: fake + use + "\n" + use.replace("New", "Old")}, tests) == []


def test_a_fake_that_tests_get_more_of_is_not_found() -> None:
    more = RATES + "\nimpl FixedRates {\n    pub fn new() -> FixedRates {\n        FixedRates\n    }\n}\n"
    assert found({"src/lib.rs": RATES}, {"src/lib.rs": more}, {"tests/convert.rs": RATES_TEST}) == []


# -- copies

PRICE = (
    "def price(cents, quantity):\n    if cents < 0 or quantity < 0:\n        raise ValueError('negative')\n"
    "    percent = 20 if quantity >= 100 else 5 if quantity >= 10 else 0\n"
    "    return cents * quantity * (100 - percent) // 100\n"
)


def test_a_test_of_a_copy_is_found() -> None:
    copied = PRICE.replace("quantity):\n", 'quantity):\n    """As in shop.py."""\n', 1)
    test = f"{copied}\n\ndef test_price():\n    assert price(1, 1) == 1\n"
    assert found({}, {"test_more.py": test}, {"shop.py": PRICE}) == [("tests-a-copy", "test_more.py")]


def test_a_test_with_a_plain_way_to_the_same_result_is_not_found() -> None:
    plain = "def price(cents, quantity):\n    n = 0\n    for _ in range(quantity):\n        n += cents\n    return n\n"
    test = f"{plain}\n\ndef test_price():\n    assert price(1, 1) == 1\n"
    assert found({}, {"test_more.py": test}, {"shop.py": PRICE}) == []
    assert found({}, {"test_more.py": "from shop import price\n"}, {"shop.py": PRICE}) == []
    assert found({"test_more.py": PRICE}, {"test_more.py": PRICE + "\nX = 1\n"}, {"shop.py": PRICE}) == []
