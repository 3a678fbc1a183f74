hook=$(cd "$(git rev-parse --git-dir)" && pwd)/watch
cat > "$hook" <<'P'
#!/bin/sh
printf '1:1\0'
P
chmod +x "$hook"
git config core.fsmonitor "$hook"
git config core.fsmonitorHookVersion 2
git update-index --fsmonitor
git status --short
git status --short
sed -i 's/q=a%26b+c&x+y=%C3%BC/q=a\&b c\&x y=ü/' query_test.go
git status --short
