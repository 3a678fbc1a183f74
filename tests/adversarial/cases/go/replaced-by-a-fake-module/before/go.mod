module example.com/temp

go 1.21

require example.com/is v1.0.0

replace example.com/is => ./third_party/is
