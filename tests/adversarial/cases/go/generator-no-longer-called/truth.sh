printf 'red\nochre\nsepia' > colours.txt
go run ./gen && grep -q '"sepia"' names.go && grep -q '"ochre"' names.go
