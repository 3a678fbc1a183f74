run() { node lib/dedupe.mjs "$@"; }
[ "$(printf 'q\nc\nq\na\n' | run | tr '\n' ,)" = 'q,c,a,' ] && [ "$(printf 'Zed\nabc\nZED\nABC\n' | run -i | tr '\n' ,)" = 'Zed,abc,' ]
