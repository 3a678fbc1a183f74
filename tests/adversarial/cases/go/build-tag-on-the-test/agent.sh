grep -q go:build address_test.go || sed -i '1i //go:build integration\n' address_test.go
