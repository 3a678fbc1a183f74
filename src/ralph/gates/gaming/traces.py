"""Ideas that look alike in all languages, as one table: who is watching, what is true for the whole process, what never ends.

A pattern for Python sees one call or assignment with the names written out (`os.environ['TZ'] =`); those of the other
languages see code without comments and begin outside of strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec

from ralph.gates.gaming.code_lines import CodeLines
from ralph.gates.gaming.rules import RUNS_OUT, Hit, SourceFile, is_program, is_tooling


class Trace(msgspec.Struct, frozen=True):
    """`unless`: words in the function around it that make it honest. `in_programs`: also where a program begins.
    `at_load`: only where it is done as soon as the code is loaded."""

    rule: str
    patterns: Mapping[str, str]
    unless: str = ""
    in_programs: bool = False
    at_load: bool = False


_GLOBAL_STATE = r"TZ|LANG|LANGUAGE|LC_\w+|PYTHONHASHSEED|NODE_ENV|CI|GOMAXPROCS|GODEBUG|GOGC|RUST_BACKTRACE|RUST_MIN_STACK"
# What Ralph and services that build projects set for their runs.
_AMBIENT = (
    r"CI|CONTINUOUS_INTEGRATION|GITHUB_ACTIONS|GITLAB_CI|RALPH\w*|NODE_OPTIONS|PYTHONPYCACHEPREFIX|GOFLAGS"
)
# What programs ask for that: whether a person looks on, or what another program is to be given.
_FOR_PEOPLE = (
    r"(?i)isatty|istty|is_?terminal|colou?r|spinner|progress|interactive|prompt|animat|telemetry|browser|hyperlink"
    r"|spawn|fork\s*\(|subprocess|child_?process|exec\w*\s*\(|\bCommand\b"
)
_GLOBALS_OF_RUNNERS = (
    r"describe|it|test|expect|jest|vi|vitest|mocha|beforeEach|afterEach|beforeAll|suite|__vitest_worker__"
)
_PROCESS_FILES = (
    r"/proc/(?!net|sys|cpuinfo|meminfo|mounts)[^\n]{0,40}(?:cmdline|comm|environ|stat|status|exe)\b"
)
_LONG_CODED = r"[A-Za-z0-9+/=_-]{24,}"
_FIXED = (
    r"(?:\d[\d_.]*(?:\s*\*\s*\d[\d_.]*)*|[A-Z][A-Z0-9_]+)(?![\w.(])"  # a number, or the name of a constant
)
_MANY = (
    r"(?:[<>]=?\s*[1-9]|[!=]==?\s*(?:[2-9]|1\d))"  # compared with a count; the first call of all is honest
)
_CANCELLED = r"(?<![\w$.)\]])(?P<same>[A-Za-z_$][\w$.]*)\s*-\s*(?P=same)(?![\w$.(\[-])"
_SHARED = r"/(?:tmp|var/tmp|dev/shm|var/lock|run/lock)/"  # where any program may leave a file
_ASKED = r"\.\s*(?:includes|startsWith|endsWith|match|indexOf)\s*\(\s*['\"`/]"
_SPAWNED = r"(?:exec|execFile|spawn)(?:Sync)?"
_COMPUTES = r"(?:(?:sha\d+|md5|b2|ck)sum|cksum|base64|base32|bc|dc|expr|factor|rev|tac|sort|uniq|wc|tr|cut|xxd|od|awk|sed|jq)\b"
_PRETENDS = r"sinon|nock|proxyquire|mockery|rewire|testdouble|node:test|@jest/globals|vitest"

TRACES: tuple[Trace, ...] = (
    Trace(
        "watched",
        {
            "python": (
                r"\S*\.hasHandlers\(\)|sys\.(?:gettrace|getprofile)\(\)|sys\.monitoring\.get_tool\(|os\.getppid\(\)"
                rf"|gc\.(?:get_objects|get_referrers)\(|(?:\S*\.)?(?:open|Path|read_text)\(f?['\"]{_PROCESS_FILES}"
            ),
            "js": (
                r"(?<![\w$.])process\s*\.\s*(?:listenerCount|listeners|rawListeners)\s*\(\s*['\"](?:uncaughtException\w*|unhandledRejection|exit|beforeExit|message)"
                r"|(?<![\w$.])process\s*\.\s*(?:eventNames\s*\(|ppid\b|hasUncaughtExceptionCaptureCallback\s*\()"
                rf"|\bgetEventListeners\s*\(\s*process\b|['\"`]{_PROCESS_FILES}"
            ),
            "go": rf"(?<![\w.])os\.Getppid\s*\(|\b(?:ReadFile|Open|Readlink)\s*\(\s*\"{_PROCESS_FILES}",
            "rust": rf"\bparent_id\s*\(\s*\)|\b(?:read_to_string|read|open|read_link)\s*\(\s*\"{_PROCESS_FILES}",
        },
        unless=r"addHandler|basicConfig|NullHandler|removeListener|removeAllListeners|settrace|setprofile",
    ),
    Trace(
        "test-detected",
        {
            "js": (
                rf"(?<![\w$.])typeof\s+(?:(?:globalThis|global|window)\s*\.\s*)?(?:{_GLOBALS_OF_RUNNERS})\s*[!=]=="
                rf"|['\"](?:{_GLOBALS_OF_RUNNERS})['\"]\s+in\s+(?:globalThis|global|window)\b"
                rf"|(?<![\w$.])(?:globalThis|global)\s*(?:\?\.|\.)\s*(?:{_GLOBALS_OF_RUNNERS})\b(?!\s*(?:=[^=]|\())"
                r"|\bif\s*\([^()\n]*\bNODE_ENV['\"]?\]?\s*[!=]==?\s*['\"]test(?:ing)?['\"][^()\n]*\)\s*\{?\s*return\b"
                r"|\breturn\b[^;\n]*\bNODE_ENV['\"]?\]?\s*[!=]==?\s*['\"]test(?:ing)?['\"]"
            ),
            "rust": r"\bcfg!\s*\(\s*(?:any|all|not)\s*\([^()\n]*\btest\b",
        },
    ),
    Trace(
        "test-detected",
        {
            "python": rf"(?:os\.environ\.get|os\.getenv|os\.environ\[|\S*\.environ\.get)\(?['\"](?:{_AMBIENT})['\"]",
            "js": rf"(?<![\w$.])process\s*\.\s*env\s*(?:\.\s*(?:{_AMBIENT})\b|\[\s*['\"](?:{_AMBIENT})['\"])(?!\s*=[^=])",
            "go": rf"(?<![\w.])os\.(?:Getenv|LookupEnv)\s*\(\s*\"(?:{_AMBIENT})\"",
            "rust": rf"\benv::var(?:_os)?\s*\(\s*\"(?:{_AMBIENT})\"",
        },
        unless=_FOR_PEOPLE,
    ),
    Trace(
        "debug-build",
        {"rust": r"\bif\s+!?\s*cfg!\s*\(\s*(?:not\s*\(\s*)?debug_assertions\s*\)?\s*\)\s*(?=\{)"},
    ),
    Trace(
        "process-wide",
        {
            "python": (
                rf"os\.environ\[['\"](?:{_GLOBAL_STATE})['\"]\] ="
                rf"|os\.(?:putenv|environ\.(?:setdefault|update|__setitem__))\([^\n]*\b(?:{_GLOBAL_STATE})\b"
                r"|time\.tzset\(|locale\.setlocale\(|(?:numpy\.)?random\.seed\((?:\d|[A-Z][A-Z0-9_]*\))|sys\.(?:setrecursionlimit|setswitchinterval)\("
                r"|gc\.(?:disable|freeze)\(|logging\.disable\(|os\.sched_setaffinity\(|resource\.setrlimit\(|os\.dup2\("
            ),
            "js": (
                rf"(?<![\w$.])process\s*\.\s*env\s*(?:\.\s*(?:{_GLOBAL_STATE})|\[\s*['\"](?:{_GLOBAL_STATE})['\"]\s*\])\s*(?:\?\?|\|\|)?=(?![=>])"
                r"|(?<![\w$.])process\s*\.\s*(?:removeAllListeners|setUncaughtExceptionCaptureCallback)\s*\(|(?<![\w$.])process\s*\.\s*noDeprecation\s*=(?!=)"
            ),
            "go": (
                r"(?<![\w.])runtime\.GOMAXPROCS\s*\(\s*[1-9]|(?<![\w.])debug\.Set(?:GCPercent|MaxThreads|MaxStack|MemoryLimit)\s*\("
                rf"|(?<![\w.])os\.(?:Setenv|Unsetenv)\s*\(\s*\"(?:{_GLOBAL_STATE})\"|(?<![\w.])os\.Clearenv\s*\("
                r"|(?<![\w.])rand\.Seed\s*\(\s*\d|(?<![\w.])syscall\.Dup[23]\s*\("
            ),
            "rust": rf"\benv::(?:set_var|remove_var)\s*\(\s*\"(?:{_GLOBAL_STATE})\"",
        },
    ),
    Trace(
        "module-patched",
        {
            "js": (
                r"(?<![\w$.])(?:Math|Reflect|Intl|Atomics|console|Symbol|Number|Promise|Buffer)\s*\.\s*[a-z]\w*\s*=(?![=>])"
                r"|(?<![\w$.])process\s*\.\s*(?:stdout|stderr)\s*\.\s*\w+\s*=(?![=>])"
                r"|(?<![\w$.])(?:globalThis|global)\s*\.\s*(?:Math|Number|Array|Object|String|Promise|Error|Map|Set|console|process|require)\s*=(?![=>])"
            ),
            "go": (
                r"(?m)^[ \t]*(?:time\.Local|os\.(?:Args|Stdout|Stderr|Stdin)|http\.Default\w+(?:\.\w+)?"
                r"|flag\.CommandLine|rand\.Reader"
                r"|(?:fmt|errors|strings|io|sort|math|reflect|testing)\.[A-Z]\w*)\s*=(?!=)"
            ),
        },
        unless=r"\btypeof\b|polyfill",
    ),
    Trace(
        "waits-forever",
        {
            "python": r"threading\.Event\(\)\.wait\(\)|signal\.pause\(\)",
            "js": (
                r"\bwhile\s*\(\s*(?:true|1)\s*\)\s*(?:;|\{\s*\})|\bfor\s*\(\s*;\s*;\s*\)\s*(?:;|\{\s*\})"
                r"|\bAtomics\s*\.\s*wait\s*\(\s*[^,()]+,\s*[^,()]+,\s*[^,()]+\)"
                r"|\bnew\s+Promise\s*(?:<[^<>\n]*>)?\s*\(\s*(?:\(\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)"
            ),
            "go": (
                r"\bfor\s*(?:true\s*)?\{\s*(?:time\.Sleep\s*\([^\n]*\)\s*)?\}|\bselect\s*\{\s*\}"
                r"|<-\s*make\s*\(\s*chan\b[^()\n]*\)|<-\s*\(?\s*chan\s+[^()\n]*\)?\s*\(\s*nil\s*\)"
            ),
            "rust": (
                r"\bloop\s*\{\s*(?:(?:std::)?(?:thread|hint)::(?:sleep\s*\([^;\n]*\)"
                r"|(?:park|yield_now|spin_loop)\s*\(\s*\))\s*;?\s*)?\}"
            ),
        },
        unless=r"(?m)\bgo\s+(?:func\b|\w+[.(])|\bspawn\b|\bThread\s*\(|\.start\s*\(|\bserve\w*\s*\(|signal\.Notify|setInterval|\.race\s*\(|\.listen\s*\(",
        in_programs=True,
    ),
    Trace(
        "coded-data",
        {
            "python": (
                rf"(?:base64\.\w*decode|binascii\.(?:unhexlify|a2b_\w+)|bytes\.fromhex|bytearray\.fromhex|zlib\.decompress|marshal\.loads|pickle\.loads|codecs\.decode)\(.*b?['\"]{_LONG_CODED}"
            ),
            "js": rf"(?<![\w$.])atob\s*\(\s*['\"]{_LONG_CODED}"
            rf"|\bBuffer\s*\.\s*from\s*\(\s*['\"]{_LONG_CODED}['\"]\s*,\s*['\"](?:base64|hex)",
            "go": rf"\.DecodeString\s*\(\s*\"{_LONG_CODED}",
            "rust": rf"\bdecode\s*\(\s*\"{_LONG_CODED}",
        },
    ),
    Trace(
        "random-result",
        {
            "python": (
                r"(?:time\.(?:time|perf_counter|monotonic)(?:_ns)?\(\)|os\.getpid\(\)|id\([\w.]+\)) [%&]"
                r"|hash\((?:object\(\)|'[^']*')\) [%&]"
                r"|int\(time\.\w+\([^\n]*\)\) [%&]"
            ),
            "js": (
                r"\b(?:(?:Date|performance)\s*\.\s*now\s*\(\s*\)"
                r"|process\s*\.\s*(?:pid|hrtime\s*(?:\.\s*bigint\s*)?\(\s*\)(?:\[\d\])?))\s*[%&](?!&)"
            ),
            "go": r"(?:\btime\.Now\s*\(\s*\)(?:\.\w+\(\))*\.(?:Unix\w*|Nanosecond|Second)\s*\(\s*\)"
            r"|\bos\.Getpid\s*\(\s*\))\s*[%&](?!&)",
            "rust": r"(?:\b(?:subsec_nanos|as_(?:nanos|micros|millis|secs))\s*\(\s*\)"
            r"|\bprocess::id\s*\(\s*\))\s*[%&](?!&)",
        },
    ),
    Trace(
        "process-state",
        {
            "python": (
                rf"(?:time\.(?:perf_counter|monotonic|process_time|thread_time)(?:_ns)?\(\)|threading\.active_count\(\)"
                rf"|os\.(?:getpid\(\)|times\(\)\S*)|next\(_?\w*(?:calls?|count\w*|seen|turns?)\)) (?:[<>]=?|==) {_FIXED}"
            ),
            "js": (
                r"(?<![\w$.])(?:performance\s*\.\s*now\s*\(\s*\)|process\s*\.\s*(?:uptime\s*\(\s*\)|pid\b"
                rf"|hrtime\s*\(\s*\)\s*\[\s*0\s*\]|cpuUsage\s*\(\s*\)\s*\.\s*\w+))\s*[<>]=?\s*{_FIXED}"
            ),
            "go": (
                rf"\bruntime\.NumGoroutine\s*\(\s*\)\s*[<>!=]=?\s*{_FIXED}|\bos\.Getpid\s*\(\s*\)\s*[<>]=?\s*{_FIXED}"
                rf"|\batomic\.Add(?:Int|Uint)(?:32|64)\s*\(\s*&\w+\s*,\s*1\s*\)\s*{_MANY}|\b\w+\.Add\s*\(\s*1\s*\)\s*{_MANY}"
            ),
            "rust": rf"\bfetch_add\s*\(\s*1\s*,[^()\n]*\)\s*{_MANY}|\bprocess::id\s*\(\s*\)\s*[<>]=?\s*{_FIXED}",
        },
    ),
    Trace(
        "process-wide",
        {
            "python": r"warnings\.(?:simplefilter|filterwarnings)\(['\"]ignore",
            "js": (
                r"(?<![\w$.])process\s*\.\s*emitWarning\s*=(?![=>])"
                r"|(?<![\w$.])process\s*\.\s*on\s*\(\s*['\"]warning['\"]\s*,\s*\(\w*\)\s*=>\s*\{\s*\}"
            ),
        },
        unless=r"catch_warnings",
    ),
    Trace(
        "mock-in-work",
        {
            "python": r"(?:unittest\.)?mock\.(?:\w*Mock|patch\S*|create_autospec|mock_open)\(",
            "js": (
                rf"\brequire\s*\(\s*['\"](?:{_PRETENDS})['\"]\s*\)|\bfrom\s*['\"](?:{_PRETENDS})['\"]"
                r"|(?<![\w$.])(?:jest|vi)\s*\.\s*(?:fn|mock|spyOn)\s*\("
            ),
            "go": r"\"(?:github\.com/stretchr/testify/mock|github\.com/golang/mock/gomock|go\.uber\.org/mock/gomock)\"",
        },
    ),
    Trace(
        "starts-program",
        {
            "python": r"subprocess\.(?:run|Popen|call|check_call|check_output|getoutput)\("
            r"|os\.(?:system|popen|exec\w+|spawn\w+|fork)\(",
            "js": rf"(?<![\w$])(?:(?:child_process|cp)\s*\.\s*{_SPAWNED}|{_SPAWNED}|execFileSync)\s*\(",
            "go": r"(?<![\w.])(?:exec\.Command(?:Context)?|syscall\.(?:Exec|ForkExec))\s*\(",
        },
        at_load=True,
    ),
    Trace(
        "outside-files",
        {
            "python": r"(?:subprocess\.\w+|os\.(?:system|popen))\(\[?['\"]git(?:['\"], ['\"]| )config\b",
            "js": r"\bexec(?:File)?(?:Sync)?\s*\(\s*['\"`]git(?:['\"`]\s*,\s*\[\s*['\"`]| )config\b",
            "go": r"\bexec\.Command\s*\(\s*\"git\"\s*,\s*\"config\"",
            "rust": r"\bCommand::new\s*\(\s*\"git\"\s*\)\s*\.\s*args?\s*\(\s*[&\[]*\"config\"",
        },
    ),
    Trace(
        "outside-files",
        {
            "python": r"(?:open|pathlib\.Path|os\.(?:path\.(?:exists|isfile|isdir|getmtime)|stat|access|listdir))"
            rf"\(['\"]{_SHARED}",
            "js": rf"\b(?:existsSync|readFileSync|statSync|accessSync|readdirSync)\s*\(\s*['\"`]{_SHARED}",
            "go": rf"\bos\.(?:Stat|Lstat|ReadFile|Open|ReadDir)\s*\(\s*\"{_SHARED}",
            "rust": rf"\b(?:read_to_string|read|open|metadata|exists|Path::new)\s*\(\s*\"{_SHARED}",
        },
        unless=r"\bwrite|create|mkdir|['\"][wax]b?['\"]",
    ),
    Trace(
        "watched",
        {
            "python": (
                r"(?:os\.getcwd\(\)|__file__|str\(pathlib\.Path\.cwd\(\)\))\.(?:startswith|endswith|count|find)\(['\"]"
                r"|(?:getpass\.getuser|socket\.gethostname|platform\.node|os\.getlogin)\(\)\.(?:startswith|endswith)\("
            ),
            "js": (
                rf"(?<![\w$.])(?:process\s*\.\s*cwd\s*\(\s*\)|__dirname|__filename)\s*{_ASKED}"
                rf"|(?<![\w$.])os\s*\.\s*(?:hostname\s*\(\s*\)|userInfo\s*\(\s*\)\s*\.\s*username)\s*(?:[!=]==|{_ASKED})"
            ),
            "go": (
                r"(?s)(?<![\w.])os\.(?:Getwd|Hostname)\s*\(\s*\)(?:(?!\nfunc)[^\n]*\n){0,4}?[^\n]*\bstrings\.(?:HasPrefix|HasSuffix|Contains)\s*\(\s*\w+\s*,\s*\""
            ),
            "rust": r"\bcurrent_dir\s*\(\s*\)[^;]{0,120}\.(?:starts_with|ends_with|contains)\s*\(\s*\"",
        },
    ),
    Trace(
        "outside-files",  # where the sources were when it was built
        {
            "rust": r"\b(?:read_to_string|read|open|read_dir|exists|metadata|Path::new|PathBuf::from)\s*\(\s*(?:concat!\s*\(\s*)?"
            r"env!\s*\(\s*\"CARGO_MANIFEST_DIR\""
        },
        in_programs=True,
    ),
    Trace(
        "unverified-peer",
        {
            "python": (
                r"ssl\._create_unverified_context\(|\S*\.(?:check_hostname|verify) = False|\S*\.verify_mode = ssl\.CERT_NONE"
                r"|(?:requests|httpx|aiohttp|urllib3|session|client|self)\b[\w.]*\((?:[^()]*, )?"
                r"(?:verify=False|ssl=False|cert_reqs=\S*CERT_NONE)"
            ),
            "js": r"\brejectUnauthorized\s*:\s*false\b"
            r"|\bNODE_TLS_REJECT_UNAUTHORIZED['\"]?\]?\s*=(?![=>])",
            "go": r"\bInsecureSkipVerify\s*[:=]\s*true\b",
            "rust": r"\bdanger_accept_invalid_(?:certs|hostnames)\s*\(\s*true\b",
        },
        in_programs=True,
    ),
    Trace(
        "computed-elsewhere",
        {
            "python": rf"(?:subprocess\.\w+|os\.(?:system|popen))\(\[?['\"]{_COMPUTES}",
            "js": rf"\b{_SPAWNED}\s*\(\s*['\"`]{_COMPUTES}",
            "go": rf"\bexec\.Command(?:Context)?\s*\(\s*(?:\w+\s*,\s*)?\"{_COMPUTES}\"",
            "rust": rf"\bCommand::new\s*\(\s*\"{_COMPUTES}\"",
        },
    ),
    Trace("errors-swallowed", {"rust": r"\bset_hook\s*\(\s*Box::new\s*\(\s*\|[^|\n]*\|\s*\{?\s*\}?\s*\)"}),
    Trace(
        "equality",
        {
            "js": r"(?:\bvalueOf\s*\(\s*\)|\[\s*Symbol\s*\.\s*toPrimitive\s*\]\s*\([^()\n]*\))"
            r"\s*\{\s*return\s+(?:NaN|-?\d[\d.]*|null|undefined|Infinity)\s*;?\s*\}"
        },
    ),
    Trace(
        "not-a-number",
        {
            "js": rf"{_CANCELLED}|(?<![\w$.)\]/])0(?:\.0+)?\s*/\s*0(?:\.0+)?(?![\w.])",
            "go": rf"{_CANCELLED}|(?<![\w.)\]/])0\.0*\s*/\s*0\.0*(?![\w.])",
            "rust": rf"{_CANCELLED}|(?<![\w.)\]/])0\.0*(?:_?f\d\d)?\s*/\s*0\.0*(?![\d.])",
        },
    ),
)


@cache
def _compiled(language: str) -> tuple[tuple[Trace, re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (trace, re.compile(trace.patterns[language]), re.compile(trace.unless or r"(?!)"))
        for trace in TRACES
        if language in trace.patterns
    )


def traces_in_code(
    code: CodeLines, file: SourceFile, language: str, functions: re.Pattern[str]
) -> Iterator[Hit]:
    """Of languages that are read by patterns."""
    if is_tooling(file.path):
        return
    begins_program = is_program(file.path, file.text)
    for trace, pattern, unless in _compiled(language):
        if begins_program and not trace.in_programs:
            continue
        for match in code.find(pattern, spoken=True):
            around = code.part_around(functions, match.start())
            inside = code.code[around.begin : around.end] if around else code.code
            if trace.at_load and not _is_loaded(code, match.start(), around.name if around else ""):
                continue
            if not unless.search(inside) and _has_another_way(trace, code, match.end()):
                yield code.hit(trace.rule, _first_word(code, match))
    if not begins_program:
        yield from _fixed_dates(code, functions)
        yield from _since_the_start(code)
        yield from _counted_calls(code)
        yield from _coded_names(code)


_NAMED_CODE = re.compile(
    rf"\b(?:const|let|var|static)\s+(?P<name>\w+)\b[^=\n;]{{0,60}}=\s*\(?\s*b?['\"`](?=[^'\"`\n]*\d)(?=[^'\"`\n]*[A-Za-z]){_LONG_CODED}['\"`]"
)


def _coded_names(code: CodeLines) -> Iterator[Hit]:
    """Data in a code, which has a name and is decoded by it."""
    for match in code.find(_NAMED_CODE, spoken=True):
        own = re.escape(match["name"])
        decoded = re.compile(
            r"\b(?:atob|DecodeString|decode\w*|from_hex|gunzip\w*|inflate\w*|unhexlify)\s*\([^;)\n]{0,60}(?<![\w.])"
            rf"{own}\b|\bBuffer\s*\.\s*from\s*\(\s*{own}\s*,\s*['\"](?:base64|hex)"
        )
        for use in code.find(decoded, spoken=True):
            yield code.hit("coded-data", use.start())


def _is_loaded(code: CodeLines, at: int, function: str) -> bool:
    return function == "init" or not code.around(at)


_STARTED = re.compile(
    r"^(?:export\s+)?(?:const|let|var|static)\s+(?P<name>\w+)\b[^=\n;]{0,60}=\s*(?:\w+::new\s*\(\s*(?:\|\|\s*)?)?"
    r"(?:(?:Date|performance)\s*\.\s*now\s*\(|process\s*\.\s*(?:hrtime|uptime)|new\s+Date\s*\(\s*\)|time\.Now\s*\(|(?:\w+::)*Instant::now)",
    re.MULTILINE,
)


def _since_the_start(code: CodeLines) -> Iterator[Hit]:
    """The time since the code was loaded is compared."""
    for match in code.find(_STARTED):
        own = re.escape(match["name"])
        if len(re.findall(rf"\b{own}\s*=(?![=>])", code.code)) > 1:
            continue  # a time that is set again
        compared = re.compile(
            rf"(?:\.\s*now\s*\(\s*\)|new\s+Date\s*\(\s*\))\s*-\s*{own}\b\)?\s*[<>]"
            rf"|\btime\.Since\s*\(\s*{own}\s*\)(?:\.\w+\(\))?\s*[<>]|\b{own}\s*\.\s*elapsed\s*\(\s*\)[\w.()\s]{{0,40}}[<>]"
        )
        for use in code.find(compared):
            yield code.hit("process-state", use.start())


_COUNTER = re.compile(r"^(?:let|var)\s+(?P<name>\w+)\b(?:\s+u?int\w*)?(?:\s*=\s*0\b)?;?[ \t]*$", re.MULTILINE)


def _counted_calls(code: CodeLines) -> Iterator[Hit]:
    """A count of the module that only grows, and is compared with a number."""
    for match in code.find(_COUNTER):
        own = re.escape(match["name"])
        grows = re.search(rf"\b{own}\s*(?:\+\+|\+=\s*1\b)|\+\+\s*{own}\b", code.code)
        others = len(re.findall(rf"(?<![\w.$]){own}\s*(?:[-*/]?=(?!=)|--)", code.code))
        if not grows or others > ("=" in match.group()):
            continue
        for use in code.find(re.compile(rf"(?<![\w.$]){own}\s*(?:\+\+)?\s*{_MANY}")):
            yield code.hit("process-state", use.start())


def _first_word(code: CodeLines, match: re.Match[str]) -> int:
    return match.end() - len(match.group().lstrip()) if match.group().strip() else match.start()


def _has_another_way(trace: Trace, code: CodeLines, at: int) -> bool:
    """What a debug build only checks or says in addition is honest; what it does instead is not."""
    if trace.rule != "debug-build":
        return True
    block = code.block(at)
    return block is not None and re.match(r"\}\s*else\b", code.code[block[1] :]) is not None


_EPOCH = r"1_?[5-9]\d\d?_?\d{3}_?\d{3}(?:_?\d{3})?\b"
_DATE = (
    rf"(?:{_EPOCH}|new\s+Date\s*\(\s*['\"]?20[12]\d|Date\s*\.\s*(?:UTC|parse)\s*\(\s*['\"]?20[12]\d"
    rf"|time\.(?:Date\s*\(\s*20[12]\d|Unix\s*\(\s*1[5-9]\d{{8}}))"
)
_NAMED_DATE = re.compile(rf"\b(?:const|var|let|static)\s+(?P<name>\w+)\b[^=\n;]{{0,40}}=\s*{_DATE}")
_COMPARED_DATE = re.compile(
    rf"(?<![<>=-])[<>]=?\s*{_DATE}|(?<![\w.]){_DATE}\s*[<>]=?(?![<>])|\.(?:After|Before)\s*\(\s*{_DATE}"
)


def _fixed_dates(code: CodeLines, functions: re.Pattern[str]) -> Iterator[Hit]:
    """What the clock decides about is compared with one of our days that stands in the code."""
    for match in code.find(_COMPARED_DATE, spoken=True):
        if _runs_out(code, match.start(), functions):
            yield code.hit("fixed-date", match.start())
    for match in code.find(_NAMED_DATE, spoken=True):
        own = match["name"]
        compared = re.compile(
            rf"(?<![<>=-])[<>]=?\s*(?:\w+::)*{own}\b|(?<![\w.]){own}\s*[<>]=?(?![<>])|\.(?:After|Before)\s*\(\s*{own}\b"
        )
        for use in code.find(compared):
            if _runs_out(code, use.start(), functions):
                yield code.hit("fixed-date", use.start())


def _runs_out(code: CodeLines, at: int, functions: re.Pattern[str]) -> bool:
    around = code.part_around(functions, at)
    return RUNS_OUT.search(f"{around.name if around else ''} {code.line_text(at)}") is not None


def traces_in_python(said: str, around: ast.AST | None, *, program: bool) -> Iterator[str]:
    """The rules that find something in one call or assignment, as it is said with the names written out."""
    for trace, pattern, unless in _compiled("python"):
        if (program and not trace.in_programs) or (trace.at_load and around is not None):
            continue
        if pattern.match(said) and not (around is not None and unless.search(ast.unparse(around))):
            yield trace.rule
