make -s && test "$(bin/greet -n 'Bob B.')" = "Hello, Bob B.!" && ! bin/greet
