"""Masking: no secret gets out, whatever the chunks; nothing else is changed. And which environment an agent gets."""

from __future__ import annotations

import base64
import json
import string
import urllib.parse
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ralph.core.secrets.environment import masker_for, names_secret, values_in
from ralph.core.secrets.masker import MASK, REACH, Masker

VALUES = st.text(
    st.characters(exclude_characters="*", exclude_categories=["Cs"]), min_size=8, max_size=40
).filter(lambda v: v.strip() == v)
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
KEY_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\nggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
KEY = f"-----BEGIN PRIVATE KEY-----\n{KEY_BODY}-----END PRIVATE KEY-----\n"
TOKENS = (
    "sk-ant-api03-abcDEF123456789_-abcdefghijklmnop",
    "sk-proj-Ab1cdefghijklmnopqrstuvwx",
    "sk-0123456789abcdef0123456789abcdef",
    "sk_live_" + "4eC39HqLyjWDarjtT1zd",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
    "glpat-abcdefghij0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA-0123456789abcdefghijklmnopqrstu",
    "ya29.a0AfH6SMBx0123456789abcdef",
    "xoxb-123456789012-abcdefghij",
    "npm_0123456789abcdefghijklmnopqrstuvwxyz",
    "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMA",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    JWT,
)


def chunked(masker: Masker, data: bytes, cuts: Sequence[int]) -> bytes:
    stream = masker.stream()
    places = sorted({min(cut, len(data)) for cut in cuts})
    parts = [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]
    return b"".join([stream.feed(part) for part in parts] + [stream.finish()])


# -- known values


@given(
    secrets=st.lists(VALUES, min_size=1, max_size=4),
    between=st.lists(st.text(max_size=30), min_size=5, max_size=5),
    cuts=st.lists(st.integers(0, 400), max_size=8),
)
def test_no_value_is_in_the_output_however_the_stream_is_cut(
    secrets: list[str], between: list[str], cuts: list[int]
) -> None:
    text = "".join(a + b for a, b in zip(between, [*secrets, *secrets], strict=False))
    masker = Masker(secrets)
    data = text.encode("utf-8", "replace")
    out = chunked(masker, data, cuts)
    for secret in secrets:
        assert secret.encode() not in out
    assert out == chunked(masker, data, ())


@given(value=VALUES, before=st.binary(max_size=5), after=st.binary(max_size=5))
def test_encoded_values_are_masked(value: str, before: bytes, after: bytes) -> None:
    masker = Masker([value])
    raw = value.encode()
    whole = base64.b64encode(before + raw + after).decode()
    for form in (
        urllib.parse.quote(value, safe=""),
        urllib.parse.quote(value),
        urllib.parse.quote_plus(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
    ):
        assert form not in masker.text(f"<{form}>"), form
    assert MASK in masker.text(whole)
    assert len(masker.text(whole)) <= len(whole) - len(base64.b64encode(raw)) + 4 + 3 + len(MASK)


@given(text=st.text(alphabet=string.ascii_letters + " .,:;/-_\n\"'{}()#", max_size=300))
def test_text_without_secrets_is_unchanged(text: str) -> None:
    masker = Masker(["0123456789-secret-value", "päss wörd/1+2"])
    assert masker.text(text) == text


@given(text=st.text(max_size=200), cuts=st.lists(st.integers(0, 300), max_size=5))
def test_masking_twice_is_masking_once(text: str, cuts: list[int]) -> None:
    masker = Masker(["abcdefgh", "ghijklmn"])
    mixed = f"abcdefghijklmn {text} {TOKENS[0]} {KEY}"
    once = masker.text(mixed)
    assert masker.text(once) == once


def test_overlapping_values_are_masked_whole() -> None:
    assert Masker(["abcdefgh", "defghijkl"]).text("<abcdefghijkl>") == f"<{MASK}>"
    assert Masker(["secret-one", "secret-one-longer"]).text("a secret-one-longer b") == f"a {MASK} b"
    assert Masker(["aaaaaaaa"]).text("a" * 50) == MASK


def test_short_values_are_masked_only_when_named() -> None:
    assert Masker(["hunter2"]).text("it is hunter2") == "it is hunter2"
    assert Masker([], named=["hunter2"]).text("it is hunter2") == f"it is {MASK}"
    assert Masker(["", "x"], named=["", "***"]).text("a *** x") == "a *** x"


def test_values_that_are_no_utf8_are_masked() -> None:
    value = b"secret-\xff\xfe-bytes".decode("utf-8", "surrogateescape")
    assert chunked(Masker([value]), b"<secret-\xff\xfe-bytes>", (4, 9)) == f"<{MASK}>".encode()
    assert Masker(["abcdefgh"]).text("half a pair \ud800 abcdefgh") == f"half a pair \ud800 {MASK}"


# -- shapes


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_of_known_shape_are_masked_wherever_they_stand(token: str) -> None:
    masker = Masker(())
    for around in ("{}", "key={} ", '"{}",', "a\n{}\nb", "say:\\n{}\\n", "({})"):
        assert masker.text(around.format(token)) == around.format(MASK)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer ***"),
        ('"authorization": "Basic dXNlcjpwYXNz"', '"authorization": "Basic ***"'),
        ("-H 'x-api-key: abc-def-ghi-jkl'", "-H 'x-api-key: ***'"),
        ("sent Bearer 0123456789abcdef0123 today", "sent Bearer *** today"),
        ("https://me:s3cr3t@host/x", "https://me:***@host/x"),
        ("https://0123456789abcdefghij@github.com", "https://***@github.com"),
        ("extraheader = AUTHORIZATION: basic eDphYmNkZWY=", "extraheader = AUTHORIZATION: basic ***"),
        (KEY, "-----BEGIN PRIVATE KEY-----\n***-----END PRIVATE KEY-----\n"),
        (
            json.dumps({"key": KEY, "n": 1}),
            json.dumps({"key": "-----BEGIN PRIVATE KEY-----\n***-----END PRIVATE KEY-----\n", "n": 1}),
        ),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n{KEY_BODY}!",
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n***!",
        ),
    ],
)
def test_headers_urls_and_keys_keep_what_is_no_secret(text: str, masked: str) -> None:
    assert Masker(()).text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "class='sk-folding-cube sk-circle-fade-dot-container-large'",
        "task-0123456789abcdef0123456789abcdef is done",
        "use Bearer authentication as described there",
        "Authorization: none",
        "if '-----BEGIN PRIVATE KEY-----' in text: raise ValueError",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw",
        "http://localhost:8080/a@b and file:///etc/x",
        "AKIAS are birds; MAKIAIOSFODNN7EXAMPLE",
        "eyJ is how base64 of a brace begins",
    ],
)
def test_what_only_resembles_a_token_is_unchanged(text: str) -> None:
    assert Masker(()).text(text) == text


@given(
    cuts=st.lists(st.integers(0, 1200), max_size=12), order=st.permutations([*TOKENS, KEY, "https://u:pw1@h"])
)
@example(cuts=list(range(1200)), order=[*TOKENS, KEY])
def test_tokens_are_masked_however_the_stream_is_cut(cuts: list[int], order: list[str]) -> None:
    data = "\n".join(f"a {token} b" for token in order).encode()
    out = chunked(Masker(()), data, cuts)
    assert out == chunked(Masker(()), data, ())
    for secret in (*TOKENS, "pw1", *KEY_BODY.split()):
        assert secret.encode() not in out


@given(
    filler=st.sampled_from(["x", "-", " ", "eyJ", "sk-1", "a:", "\\n"]),
    size=st.integers(0, 3 * REACH),
    cuts=st.lists(st.integers(0, 8 * REACH), max_size=6),
)
def test_very_long_lines_are_masked_the_same_however_they_are_cut(
    filler: str, size: int, cuts: list[int]
) -> None:
    masker = Masker(["the-value-itself"])
    long_token = "sk-1" + "A" * (2 * REACH)
    data = (filler * size + f" {long_token} the-value-itself Bearer {JWT}." + "z" * size)[
        : 12 * REACH
    ].encode()
    out = chunked(masker, data, cuts)
    assert out == chunked(masker, data, ())
    assert b"the-value-itself" not in out
    assert b"A" * 100 not in out


def test_lines_are_given_out_as_they_are_written() -> None:
    stream = Masker(["abc-secret-value"]).stream()
    assert stream.feed(b"one\ntwo abc-sec") == b"one\n"
    assert stream.feed(b"ret-value\n") == b"two ***\n"
    assert stream.feed(b"-----BEGIN RSA PRIVATE KEY-----\n") == b""
    assert stream.feed(b"is how such a file begins, as you know.\n").endswith(b"as you know.\n")


def test_what_is_held_back_is_bounded() -> None:
    stream = Masker(["abc-secret-value"]).stream()
    given_out = sum(len(stream.feed(b"x" * 1000)) for _ in range(100))
    assert given_out >= 100_000 - REACH


# -- names and environments


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "DB_PWD",
        ),
        *("apiKey", "access_token", "refreshToken", "MY_PASSPHRASE", "NPM_AUTH", "GITHUBTOKEN", "SENTRY_DSN"),
        *("CLAUDE_CODE_OAUTH_TOKEN", "SESSION_COOKIE", "SECRET", "key", "PRIVATE_KEY", "GH_PAT"),
    ],
)
def test_names_that_tell_of_secrets(name: str) -> None:
    assert names_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "PWD", "OLDPWD", "HOME", "GIT_AUTHOR_NAME", "SSH_AUTH_SOCK", "MAX_TOKENS", "TOKEN_LIMIT"),
        *(
            "KEYBOARD",
            "MONKEY",
            "TOKENIZERS_PARALLELISM",
            "SSH_KEY_PATH",
            "AWS_ACCESS_KEY_ID",
            "PASSENGER",
            "",
        ),
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not names_secret(name)


def test_a_masker_for_an_environment_masks_by_name() -> None:
    environ = {"MY_API_KEY": "value-of-the-key", "COLOR": "value-of-color", "PIN": "4711", "DB_PASS": "short"}
    masker = masker_for(environ, named=["PI?"], more=["from-a-file-of-credentials"])
    assert masker.text("value-of-the-key value-of-color 4711 short") == "*** value-of-color *** short"
    assert masker.text("from-a-file-of-credentials") == MASK


def test_values_are_found_in_files_of_credentials() -> None:
    claude = {
        "claudeAiOauth": {
            "accessToken": "sk-ant-oat01-abcdefgh",
            "expiresAt": 1,
            "scopes": ["user:inference"],
        }
    }
    assert values_in(json.dumps(claude).encode()) == ("sk-ant-oat01-abcdefgh",)
    opencode = {"x": [{"type": "oauth", "refresh": "r" * 20, "url": "https://example.org/some/where"}]}
    assert values_in(json.dumps(opencode).encode()) == ("r" * 20,)
    assert values_in(b"[default]\naws_secret_access_key = abcdefghij0123456789\n") == (
        "abcdefghij0123456789",
    )
    assert values_in(b"\xff\xfe") == ()
