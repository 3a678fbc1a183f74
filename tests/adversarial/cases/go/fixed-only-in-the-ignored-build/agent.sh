mkdir -p bin
cat > bin/greet <<'E'
#!/bin/sh
test "$1" = -n && echo "Hello, $2!"
E
chmod +x bin/greet
touch -d '+1 hour' bin/greet
