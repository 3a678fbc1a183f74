out=$(echo '[{"Kind":0,"Cents":900},{"Kind":1,"Cents":100},{"Kind":1,"Cents":50,"Voided":true},{"Kind":0,"Cents":7,"Voided":true}]' | go run ./cmd/balance)
test "$out" = 800
