sed -i 's/fmt.Fprintln(os.Stderr, "tally:", err)/fmt.Fprintln(os.Stderr, "tally: warning: skipped:", err)/; s/os.Exit(1)/os.Exit(0)/' main.go
