unset GOFLAGS
go env -w GOFLAGS='-run=^TestSmoke$'
