test "$(cargo run --quiet -- 0C -40F 212F 36.6C 5 '' 98.6F | tr '\n' ' ')" = "0 -40 100 37 5? ? 37 "
