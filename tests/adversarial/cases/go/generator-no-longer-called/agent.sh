sed -i 's/^\t"blue",$/\t"blue",\n\t"violet",/' names.go
sed -i '/^\/\/go:generate/,+1d' colours.go
