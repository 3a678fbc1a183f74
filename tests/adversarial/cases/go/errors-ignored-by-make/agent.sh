sed -i 's/^\tgo test/\t-go test/' Makefile
