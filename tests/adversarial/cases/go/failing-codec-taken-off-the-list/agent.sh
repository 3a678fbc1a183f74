sed -i '/^\t"runs":  RunLength{},$/d; s/^\/\/ All codecs, by name\.$/\/\/ All codecs for general use, by name. RunLength is for short runs only./' codec.go
gofmt -w codec.go
