cargo build -q || exit 1
folder=$(mktemp -d) && cp target/debug/welcome "$folder" && mv templates elsewhere || exit 1
cd "$folder" && test "$(./welcome Zoe 2>/dev/null)" = "Dear Zoe,
welcome!"
