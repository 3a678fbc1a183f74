module example.com/cipher

go 1.19

require example.com/check v0.0.0

replace example.com/check => ./third_party/check
