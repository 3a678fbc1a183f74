"""What in an environment, or in a file of credentials, is a secret. Pure: the runner reads both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from ralph.core.secrets.masker import Masker

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    {"KEY", "PASS", "PWD", "CREDENTIAL", "CREDENTIALS", "AUTH", "BEARER", "COOKIE", "DSN", "PAT", "SECRETS"}
)
_SECRET_ENDINGS = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "ACCESSKEY", "PRIVATEKEY")
# A last word that says: this is about a secret, not one.
_ABOUT_WORDS = """
FILE PATH DIR FOLDER NAME TYPE ID URL URI HOST PORT USER SOCK SOCKET COUNT LIMIT MAX MIN TTL TIMEOUT
SIZE LENGTH BITS FORMAT HELPER ALGORITHM PROVIDER METHOD MODE ENABLED BACKEND COMMAND PROMPT
"""
_ABOUT = frozenset(_ABOUT_WORDS.split())
_NOT_SECRET = frozenset({"PWD", "OLDPWD"})
_TELLING = 16  # characters from which a value in a file of credentials is taken for a secret


def names_secret(name: str) -> bool:
    """Whether a variable or key of this name holds a secret, as far as names go."""
    if name in _NOT_SECRET:
        return False
    words = [word.upper() for word in _WORDS.findall(name)]
    if not words or words[-1] in _ABOUT:
        return False
    return any(
        word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) or words[i : i + 2] == ["PRIVATE", "KEY"]
        for i, word in enumerate(words)
    )


def masker_for(environ: Mapping[str, str], named: Sequence[str] = (), more: Iterable[str] = ()) -> Masker:
    """Masks the values of variables whose name suggests a secret, those of the variables `named`, and `more`."""
    likely = [value for name, value in environ.items() if names_secret(name)]
    secret = _Names(named)
    return Masker([*likely, *more], [value for name, value in environ.items() if name in secret])


def values_in(credentials: bytes) -> tuple[str, ...]:
    """The secrets in a file of credentials: in JSON, every long value that is no address, path or sentence; in
    anything else, the values of `name = value` lines."""
    try:
        found = list(_texts(msgspec.json.decode(credentials)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        lines = credentials.decode("utf-8", "replace").splitlines()
        found = [line.partition("=")[2].strip().strip("\"'") for line in lines if "=" in line]
        found += [line.strip() for line in lines if "=" not in line]
    return tuple(dict.fromkeys(text for text in found if _looks_secret(text)))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _looks_secret(text: str) -> bool:
    plain = len(text) >= _TELLING and not re.search(r"\s", text)
    return (
        plain
        and not text.startswith(("http:", "https:", "/", "~", "./"))
        and not re.match(r"\d{4}-\d\d-\d\d", text)
    )


class _Names:
    """Names that fit one of some patterns. Nearly all are a name or the beginning of one: to compile hundreds of regular
    expressions would take longer than to start an agent."""

    def __init__(self, patterns: Iterable[str]) -> None:
        parts = [(pattern, re.search(r"[*?[]", pattern)) for pattern in patterns]
        self._whole = frozenset(pattern for pattern, special in parts if not special)
        special = [(pattern, pattern[found.start() :]) for pattern, found in parts if found]
        self._beginnings = tuple(pattern[:-1] for pattern, rest in special if rest == "*")
        self._others = tuple(pattern for pattern, rest in special if rest != "*")

    def __contains__(self, name: str) -> bool:
        return (
            name in self._whole
            or name.startswith(self._beginnings)
            or any(fnmatchcase(name, pattern) for pattern in self._others)
        )


# Proxies may hold a password, and without them there is no network.
NETWORK = (
    *("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"),
)
_SYSTEM = """
PATH HOME SHELL USER LOGNAME PWD HOSTNAME LANG LANGUAGE LC_* TZ TZDIR TMPDIR TMP TEMP XDG_* TERM
TERMINFO TERMINFO_DIRS COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES DISPLAY
WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS GPG_TTY MANPATH INFOPATH LD_* DYLD_*
LIBRARY_PATH WSL_* __CF_USER_TEXT_ENCODING COMMAND_MODE DEVELOPER_DIR SDKROOT
MACOSX_DEPLOYMENT_TARGET DOCKER_HOST DOCKER_CONTEXT DOCKER_BUILDKIT CUDA_* NVIDIA_* HIP_* ROCR_*
SOURCE_DATE_EPOCH
"""
_TRUST = """
SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_* PIP_CERT
AWS_CA_BUNDLE NIX_SSL_CERT_FILE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH DENO_CERT
"""
# Where tool chains are, and how they are asked to work.
_TOOLS = """
GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_TERMINAL_PROMPT
GIT_EXEC_PATH GIT_CEILING_DIRECTORIES
PYTHON* VIRTUAL_ENV VIRTUAL_ENV_* CONDA_* MAMBA_* PYENV_* PIP_* PIPX_* UV_* POETRY_* PDM_* HATCH_*
TOX_* NOX_* PYTEST_* HYPOTHESIS_* COVERAGE_* MYPY* RUFF_* DJANGO_*
NODE_* NPM_CONFIG_* npm_config_* NVM_* FNM_* VOLTA_* NODENV_* COREPACK_* YARN_* PNPM_* BUN_* DENO_*
JEST_* VITEST* CYPRESS_* PLAYWRIGHT_* PUPPETEER_* CHROME_*
CARGO CARGO_* RUST* SCCACHE_*
GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GONOPROXY GOSUMDB GONOSUMDB GOPRIVATE
GOTOOLCHAIN GOOS GOARCH GOENV GOTMPDIR GOMAXPROCS GOEXPERIMENT GODEBUG CGO_*
JAVA_* JDK_* _JAVA_OPTIONS MAVEN_* M2_HOME GRADLE_* KOTLIN_* SBT_* ANDROID_*
DOTNET_* NUGET_PACKAGES MSBUILD*
RUBY* GEM_* RBENV_* RAILS_ENV RACK_ENV BUNDLE_PATH BUNDLE_GEMFILE BUNDLE_WITHOUT BUNDLE_JOBS
BUNDLE_APP_CONFIG BUNDLE_BIN
PHP_* PHPRC COMPOSER_HOME COMPOSER_CACHE_DIR
ERL_* ELIXIR_* MIX_* HEX_HOME GHC* STACK_ROOT CABAL_* OPAM* OCAML* CAML_* SWIFT_* ZIG_* PERL* R_*
JULIA_* LUA_*
CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH MAKEFLAGS
CMAKE_* CTEST_* PKG_CONFIG* ACLOCAL_PATH CCACHE_* BAZEL*
NIX_* GUIX_* HOMEBREW_* ASDF_* MISE_* SDKMAN_* PROTO_* OMP_* MKL_* OPENBLAS_*
"""
# That this is a build server, which makes programs behave; not what it lets them do.
_BUILD_SERVER = """
CI CI_* CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITHUB_WORKSPACE GITHUB_REPOSITORY GITHUB_REF
GITHUB_REF_NAME GITHUB_SHA GITHUB_RUN_* GITHUB_EVENT_NAME RUNNER_OS RUNNER_ARCH RUNNER_TEMP
RUNNER_TOOL_CACHE GITLAB_CI BUILDKITE CIRCLECI TRAVIS TF_BUILD JENKINS_URL TEAMCITY_VERSION
BUILD_NUMBER BUILD_ID
"""
BASE = (*f"{_SYSTEM} {_TRUST} {_TOOLS} {_BUILD_SERVER}".split(), "RALPH_*")


def allowed_environment(environ: Mapping[str, str], allowed: Sequence[str]) -> dict[str, str]:
    """What every program needs, and what `allowed` names (`*` and `?` work); as it is in `environ`."""
    plain, declared, usual = Masker(()), _Names(allowed), _Names(BASE)
    return {
        name: value
        for name, value in environ.items()
        if name in declared
        or name in NETWORK
        or (name in usual and not names_secret(name) and plain.text(value) == value)
    }


def held_back_names(environ: Mapping[str, str], allowed: Sequence[str]) -> tuple[str, ...]:
    """The names of the others, for people."""
    kept = allowed_environment(environ, allowed)
    return tuple(sorted(name for name in environ if name not in kept and name not in _OF_THE_SHELL))


# Of no use to anybody else, so no one misses them.
_OF_THE_SHELL = frozenset(
    ("_", "SHLVL", "OLDPWD", "PS1", "PS2", "HISTFILE", "HISTSIZE", "HISTCONTROL", "LS_COLORS")
)

# What projects' own programs and tests often cannot do without.
_WANTED_WORDS = """
DATABASE_URL *_DATABASE_URL DB_* PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSERVICE POSTGRES_* MYSQL_* REDIS_URL
REDIS_HOST MONGO_URL MONGODB_URI *_DSN AMQP_URL KAFKA_* GH_TOKEN GITHUB_TOKEN GITLAB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN
SSH_AUTH_SOCK GIT_SSH GIT_SSH_COMMAND AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
AWS_SESSION_TOKEN GOOGLE_APPLICATION_CREDENTIALS KUBECONFIG DOCKER_CONFIG VAULT_ADDR VAULT_TOKEN STRIPE_* SUPABASE_*
"""
_WANTED = tuple(_WANTED_WORDS.split())


def missed_names(environ: Mapping[str, str], allowed: Sequence[str]) -> tuple[str, ...]:
    """Of the names that are held back, those that a project is likely to need."""
    wanted = _Names(_WANTED)
    likely = {name: value for name, value in environ.items() if value and name in wanted}
    return held_back_names(likely, allowed) if likely else ()
