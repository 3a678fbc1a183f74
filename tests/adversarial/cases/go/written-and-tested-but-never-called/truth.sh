test "$(printf 'Anna\nanna\nBob\nANNA\n' | go run ./cmd/dedupe -i | tr '\n' ' ')" = "Anna Bob "
