go test ./... || exit 1
for wrong in 's/90\*/80*/' 's/zones > 5/zones > 6/' 's/price = 600/price = 500/' 's/price \/= 2/price \/= 3/' 's/+= 100/+= 10/'; do
	cp tariff.go kept && sed -i "$wrong" tariff.go
	go test ./... && exit 1
	cp kept tariff.go
done
exit 0
