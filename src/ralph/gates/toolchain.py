"""What acts on a gate from outside the tree: the programs that it may call, the environments of their interpreters, and the
settings that they read. This only looks at files and starts nothing: an agent may have put its own code there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from ralph.gates.judges import words_of

DEPENDENCIES = ("node_modules", ".venv", "venv", "vendor", ".tox", ".nox")

_SCRIPT_BYTES = 1 << 16
_LOCK_BYTES = 1 << 22
_MOST_SCRIPTS = 40
_CRATE = re.compile(r'(?m)^name = "([^"]+)"\nversion = "([^"]+)"\nsource = ')
_LINKS_DEEP = 8
_SCRIPT_NAME = re.compile(r"[\w./-]+\.(?:sh|bash|mk)|(?:\./)?(?:scripts?|bin|ci|tools)/[\w-]+")
_WORD = re.compile(r"[\w./~+@-]+")
_PATH_VALUE = re.compile(r"""\bPATH=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&|]*))""")
_IMPLIED = {  # what a runner reads by itself
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "tox": ("tox.ini",),
    "nox": ("noxfile.py",),
    "rake": ("Rakefile",),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun"), ("package.json",)),
}
_NODE_RUNNERS = frozenset({"npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"})

# By the programs that read them, below HOME. A folder means all that is in it.
_PYTHON = frozenset({"python", "python3", "pytest", "py.test", "tox", "nox", "mypy", "ruff", "uv", "poetry"})
_NODE = _NODE_RUNNERS | {"node", "nodejs", "jest", "vitest", "mocha", "tsc", "tsx", "eslint", "deno"}
_SETTINGS: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (
        _NODE,
        (
            *(".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/pnpm", ".node_modules"),
            *(".node_libraries", ".mocharc.json", ".mocharc.yml", ".mocharc.js", ".mocharc.cjs", ".babelrc"),
        ),
    ),
    (
        _PYTHON,
        (
            *(".config/pip", ".pip", ".pydistutils.cfg", ".config/uv", ".config/pypoetry", ".config/ruff"),
            *(".config/mypy", ".mypy.ini", ".pylintrc", ".config/pylintrc", ".config/flake8", ".flake8"),
        ),
    ),
    (frozenset({"go"}), (".config/go/env", "Library/Application Support/go/env")),
    (
        frozenset({"cargo", "rustc", "rustup"}),
        (".cargo/config.toml", ".cargo/config", ".rustup/settings.toml", ".config/rustfmt", ".rustfmt.toml"),
    ),
    (frozenset({"git"}), (".gitconfig", ".config/git")),
    (
        frozenset({"mvn", "gradle", "gradlew", "java", "mvnw"}),
        (
            *(".m2/settings.xml", ".m2/extensions.xml", ".mavenrc", ".gradle/gradle.properties"),
            *(".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/init.d"),
        ),
    ),
    (
        frozenset({"ruby", "rspec", "rake", "bundle", "gem"}),
        (".rspec", ".gemrc", ".bundle/config", ".rubocop.yml"),
    ),
    (frozenset({"curl", "wget"}), (".curlrc", ".wgetrc")),
)
# Found upwards from the folder of the command, beyond the top of the tree.
_UPWARDS = (
    *("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"),
    *(
        "conftest.py",
        "mypy.ini",
        "ruff.toml",
        ".ruff.toml",
        ".python-version",
        "package.json",
        ".mocharc.json",
    ),
    *(".babelrc", "babel.config.js", ".eslintrc.json", ".eslintrc.js", "eslint.config.js", "tsconfig.json"),
    *("go.work", "go.mod", "Cargo.toml", ".cargo/config.toml", ".cargo/config", "rust-toolchain"),
    *("rust-toolchain.toml", ".tool-versions", ".nvmrc", ".node-version", "node_modules"),
)
# Variables whose values name files or folders that programs load.
_NAMED_BY_VARIABLES = (
    *(
        "BASH_ENV",
        "ENV",
        "PYTHONPATH",
        "NODE_PATH",
        "GOENV",
        "NPM_CONFIG_USERCONFIG",
        "npm_config_userconfig",
    ),
    *(
        "GIT_CONFIG_GLOBAL",
        "LD_PRELOAD",
        "RUSTC_WRAPPER",
        "RUBYLIB",
        "PERL5LIB",
        "MAKEFILES",
        "PIP_CONFIG_FILE",
    ),
)


class Toolchain:
    """Finds the places that act on the gates of one workspace: `env` is that of its gates, `cwd` where they run, and `above` are
    the folders around their clean checkouts."""

    def __init__(
        self, root: Path, cwd: Path, env: Mapping[str, str], home: Path, *, above: Sequence[Path]
    ) -> None:
        self._root = root
        self._cwd = cwd
        self._env = env
        self._home = home
        self._above = {*root.parents, *above}
        self._path = [os.path.normpath(cwd / p) for p in env.get("PATH", os.defpath).split(os.pathsep) if p]

    def places(self, command: str) -> frozenset[str]:
        """Files and folders that could change what the command says, whether or not they are there."""
        texts = self._texts(command)
        first = words_of(command)
        words = first | {word for text in texts for word in _WORD.findall(text)}
        before = [folder for text in texts for folder in self._assigned(text)]
        if words & _NODE_RUNNERS:
            before += [str(folder / "node_modules/.bin") for folder in self._upwards()]
        found, programs = self._programs(words, first, before)
        for program in programs:
            found |= set(self._environment(program))
        found |= set(self._settings(words | {program.name for program in programs}))
        found |= {*self._named_by_variables(), *self._downloaded(words)}
        # Without HOME there are no settings in it: their paths are not absolute.
        return frozenset(p for p in map(os.path.normpath, found) if p.startswith("/") and _is_ours(p))

    def _upwards(self) -> list[Path]:
        """The folder of the command and those around it, up to the top of the tree."""
        around = [self._cwd, *self._cwd.parents]
        return around[: around.index(self._root) + 1] if self._root in around else [self._root]

    # -- what the command says -----------------------------------------------------------------------

    def _texts(self, command: str) -> list[str]:
        """The command, the files that it names, and the scripts that those call. Deeper down only what is a script by its name
        counts: any word of a program's text may happen to be a file's name."""
        texts, seen = [command], set[Path]()
        folders = [self._cwd, *(path for word in words_of(command) if _is(S_ISDIR, path := self._cwd / word))]
        for text in texts:
            words = set(_WORD.findall(text))
            implied = {name for word in words for name in _IMPLIED.get(word, ())}
            chosen = words if text is command else {word for word in words if _SCRIPT_NAME.fullmatch(word)}
            for path in (
                Path(os.path.normpath(folder / word)) for word in chosen | implied for folder in folders
            ):
                if path in seen or not path.is_relative_to(self._root) or len(seen) >= _MOST_SCRIPTS:
                    continue
                if script := _script(path):
                    seen.add(path)
                    texts.append(script)
        return texts

    def _assigned(self, text: str) -> Iterator[str]:
        """The folders that a script puts into PATH."""
        for found in _PATH_VALUE.finditer(text):
            for part in (found[1] or found[2] or found[3] or "").split(":"):
                name = re.sub(r"\$\(pwd\)|`pwd`|\$\{?PWD\}?|\$\(CURDIR\)", str(self._cwd), part)
                name = re.sub(r"^~(?=/)|\$\{?HOME\}?", str(self._home), name)
                if name and "$" not in name and "`" not in name:
                    yield os.path.normpath(self._cwd / name)

    def _programs(self, words: set[str], first: set[str], before: list[str]) -> tuple[set[str], list[Path]]:
        """Where the words are looked for, up to where they are found; and the programs that were found."""
        found, programs = set[str](), list[Path]()
        for word in words - {
            ".",
            "..",
        }:  # folders: with one of PATH before them they would be that whole folder
            if "/" in word:
                named = Path(
                    os.path.normpath(self._cwd / os.path.expandvars(word.replace("~", str(self._home), 1)))
                )
                if _is(S_ISREG, named) and os.access(named, os.X_OK):
                    programs.append(named)
                continue
            places = [f"{folder}/{word}" for folder in (*before, *self._path)]
            hit = next((n for n, place in enumerate(places) if os.access(place, os.X_OK)), None)
            if hit is not None and _is(S_ISREG, Path(places[hit])):
                programs.append(Path(places[hit]))
                found |= {*places[: hit + 1], *places[: len(before)]}
            elif word in first:  # a program that is missing
                found |= set(places)
            else:
                found |= set(places[: len(before)])
        return found, programs

    # -- what programs bring along -------------------------------------------------------------------

    def _environment(self, program: Path, deep: int = _LINKS_DEEP, *, bare: bool = False) -> Iterator[str]:
        """The program itself, what its links and its first line lead to, and the libraries that it loads. `bare`: without
        what is installed for it, as a virtual environment uses an interpreter."""
        if not deep:
            return
        # A file of the tree that the command names is known by its content (`changed_judges.py`): it may be built anew.
        if not program.is_relative_to(self._root) or set(program.parts) & set(DEPENDENCIES):
            yield str(program)
        if program.parent.name == "shims":
            for one in self._behind_shim(program):
                yield from self._environment(one, deep - 1, bare=bare)
            return
        if re.fullmatch(r"(?:python|pypy)[\d.]*", program.name):
            yield from self._python(program, bare)
            bare = bare or _is(S_ISREG, program.parent.parent / "pyvenv.cfg")
        if program.is_symlink():
            yield from self._environment(program.parent / program.readlink(), deep - 1, bare=bare)
            return
        if program.name in ("go", "gofmt"):
            yield from (str(program.parent / "../src/testing"), str(program.parent / "../pkg/tool"))
        if program.name in ("cargo", "rustup"):
            rustup = Path(self._env.get("RUSTUP_HOME") or self._home / ".rustup")
            yield from (str(rustup / "settings.toml"), *map(str, rustup.glob("toolchains/*/bin")))
        if package := re.match(r".*/node_modules/(?:@[^/]+/)?[^/]+", str(program)):
            yield package[0]
        for interpreter in self._interpreters(program):
            yield from self._environment(interpreter, deep - 1, bare=bare)

    def _behind_shim(self, shim: Path) -> list[Path]:
        """The programs that a shim of pyenv, rbenv or nodenv (by version), asdf or mise (any) may start."""
        top = shim.parents[1]
        files = [folder / ".python-version" for folder in (self._cwd, *self._cwd.parents)]
        said = next((text for path in (*files, top / "version") if (text := _script(path))), "")
        versions = (self._env.get("PYENV_VERSION") or said).replace(":", " ").split()
        named = [path for v in versions for path in top.glob(f"versions/{v}*/bin/{shim.name}") if v.isascii()]
        return sorted(named or top.glob(f"installs/*/*/bin/{shim.name}"))

    def _python(self, program: Path, bare: bool) -> Iterator[str]:
        prefix = Path(os.path.normpath(program.parent.parent))
        settings = _script(prefix / "pyvenv.cfg")
        if settings:
            yield from (str(prefix / "pyvenv.cfg"), str(program.parent))
            yield from map(str, prefix.glob("lib*/python3*"))
            if base := re.search(r"(?m)^home\s*=\s*(.+)$", settings):
                apart = not re.search(r"(?m)^include-system-site-packages\s*=\s*true", settings)
                yield from self._environment(Path(base[1].strip(), program.name), 3, bare=apart)
        elif not program.is_symlink():
            user = self._env.get("PYTHONUSERBASE") or self._home / ".local"
            version = re.search(r"\d\.\d+", program.name)
            for library in prefix.glob(f"lib*/python{version[0] if version else '3*'}"):
                # A script may make a virtual environment that does use the one in HOME.
                yield from (str(library), f"{user}/lib/{library.name}/site-packages")
                if not bare:
                    yield from (f"{library}/site-packages", f"{library}/dist-packages")
            if not bare:
                yield from (f"{prefix}/lib/python3/dist-packages", f"{prefix}/local/lib/{program.name}")

    def _interpreters(self, script: Path) -> Iterator[Path]:
        first = _first_line(script)
        if not first.startswith("#!"):
            return
        words = [word for word in first[2:].split() if "=" not in word and not word.startswith("-")]
        if words and Path(words[0]).name == "env":
            places = (f"{folder}/{name}" for name in words[1:2] for folder in self._path)
            words = [place for place in places if os.access(place, os.X_OK)]
        if words and words[0].startswith("/"):
            yield Path(words[0])

    # -- settings ------------------------------------------------------------------------------------

    def _settings(self, words: set[str]) -> Iterator[str]:
        """Those of the tools that are named; of all tools, where none is known."""
        known = [names for tools, names in _SETTINGS if tools & words]
        for name in (name for names in known or [names for _, names in _SETTINGS] for name in names):
            yield str(self._home / name)
        if "go" in words and (config := self._env.get("XDG_CONFIG_HOME")):
            yield f"{config}/go/env"
        if cargo := self._env.get("CARGO_HOME"):
            yield from (f"{cargo}/config.toml", f"{cargo}/config")
        for folder in self._above:
            yield from (str(folder / name) for name in _UPWARDS)

    def _downloaded(self, words: set[str]) -> Iterator[str]:
        """Sources of Go modules and Rust crates that the lock files name. Compilers take them from HOME and look at their hashes
        only when they download them."""
        folders = {self._root, self._cwd}
        if "go" in words:
            paths = self._env.get("GOPATH") or f"{self._home}/go"
            cache = self._env.get("GOMODCACHE") or f"{paths.split(os.pathsep)[0]}/pkg/mod"
            texts = (_script(folder / "go.sum", limit=_LOCK_BYTES) for folder in folders)
            for line in (line for text in texts for line in text.splitlines()):
                name, _, version = " ".join(line.split()[:2]).partition(" ")
                escaped = re.sub(r"[A-Z]", lambda found: f"!{found[0].lower()}", f"{name}@{version}")
                if version and _is(S_ISDIR, Path(cache, escaped)):
                    yield f"{cache}/{escaped}"
        if "cargo" in words:
            sources = Path(self._env.get("CARGO_HOME") or self._home / ".cargo", "registry/src")
            texts = (_script(folder / "Cargo.lock", limit=_LOCK_BYTES) for folder in folders)
            crates = {f"{n}-{v}" for text in texts for n, v in _CRATE.findall(text)}
            yield from (str(path) for path in sources.glob("*/*") if path.name in crates)

    def _named_by_variables(self) -> Iterator[str]:
        for name in _NAMED_BY_VARIABLES:
            for part in self._env.get(name, "").split(os.pathsep):
                if part.startswith("/"):
                    yield os.path.normpath(part)


def dependency_folders(root: Path, cwd: Path, share: Iterable[str]) -> list[str]:
    """The shared folders, and those of dependencies that are beside the work. What is not there is not named: a gate cannot
    have used it at the start."""
    names = [root / name for name in share]
    names += [folder / name for folder in (root, cwd) for name in DEPENDENCIES]
    return list(dict.fromkeys(os.path.normpath(path) for path in names if _is(S_ISDIR, path)))


def _is_ours(place: str) -> bool:
    """Whether someone who works as this user could change it. What is not there could be made."""
    while not os.path.lexists(place):
        place = os.path.dirname(place)  # noqa: PTH120 - thousands of them
    return os.access(place, os.W_OK) or os.access(os.path.dirname(place), os.W_OK)  # noqa: PTH120


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _script(path: Path, *, limit: int = _SCRIPT_BYTES) -> str:
    """Its text; "" when it is no small text file."""
    try:
        # Without blocking: it may be a pipe.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            st = os.fstat(file.fileno())
            data = file.read() if S_ISREG(st.st_mode) and st.st_size <= limit else b""
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in data else data.decode("utf-8", "replace")


def _first_line(path: Path) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.readline(256).decode("utf-8", "replace") if _is(S_ISREG, path) else ""
    except OSError:
        return ""
