cargo build -q || exit 1
ask() { printf "$1" | target/debug/brackets 2>/dev/null; test $? = "$2"; }
ask '{"a": [1, (2)]}' 0 && ask '{"a": [1}' 1 && ask '' 0 && ask '}' 1 && ask '\303(' 2
