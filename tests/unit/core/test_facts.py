"""Facts as older versions wrote them: without the fields that came later they are read as before."""

from __future__ import annotations

import json
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.core import facts as f

# kind -> fields that came after the first journals
LATER: dict[type[f.Fact], tuple[str, ...]] = {
    f.RunStarted: ("host", "user", "options"),
    f.RunEnded: ("reason",),
    f.WorkspacePrepared: ("seconds",),
    f.WorkspaceMerged: ("seconds",),
    f.Landed: ("seconds",),
    f.LandingReturned: ("gate", "code", "error_hash", "headline", "excerpt"),
    f.IterationEnded: ("new_commits", "inspect_seconds"),
    f.ClaimInspected: ("seconds",),
}
LATER_OF_USAGE = ("split", "model")


def any_of(kind: type[f.Fact]) -> st.SearchStrategy[f.Fact]:
    fields = {
        name: st.from_type(hint)
        for name, hint in get_type_hints(kind).items()
        if name in kind.__struct_fields__ and hint is not f.Usage and not _holds_float(hint)
    }
    usage = st.builds(
        f.Usage, st.integers(0, 9), st.just(0.5), st.builds(f.Tokens, st.integers(0, 9)), st.text()
    )
    fields |= {"usage": usage} if "usage" in kind.__struct_fields__ else {}
    fields |= {name: st.just(1.5) for name, hint in get_type_hints(kind).items() if hint is float}
    return st.builds(kind, **fields)


def _holds_float(hint: Any) -> bool:
    return hint is float or any(_holds_float(one) for one in get_args(hint))


@given(st.data())
@pytest.mark.parametrize("kind", LATER)
def test_a_fact_without_the_later_fields_is_the_fact_with_their_defaults(
    kind: type[f.Fact], data: st.DataObject
) -> None:
    fact = data.draw(any_of(kind))
    said: dict[str, Any] = json.loads(f.encode(fact))  # type: ignore[arg-type]
    assert f.decode(f.encode(fact)) == fact  # type: ignore[arg-type]
    old = {key: value for key, value in said.items() if key not in LATER[kind]}
    if "usage" in old:
        old["usage"] = {key: value for key, value in old["usage"].items() if key not in LATER_OF_USAGE}
    read = f.decode(json.dumps(old).encode())
    blank = {one.name: one for one in msgspec.structs.fields(kind)}
    for name in LATER[kind]:
        default = blank[name].default
        assert getattr(read, name) == (
            blank[name].default_factory() if default is msgspec.NODEFAULT else default
        )
    kept = (name for name in kind.__struct_fields__ if name not in (*LATER[kind], "usage"))
    assert all(getattr(read, name) == getattr(fact, name) for name in kept)
    assert json.loads(f.encode(read)) == {k: v for k, v in old.items() if k != "usage" or v}
