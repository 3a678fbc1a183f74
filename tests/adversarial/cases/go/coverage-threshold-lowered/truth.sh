go test ./... || exit 1
for wrong in 's/points >= 90/points > 90/' 's/points >= 75/points >= 70/' 's/return "C"/return "B"/' 's/points < 0 ||/points < -9 ||/'; do
	cp score.go kept && sed -i "$wrong" score.go
	go test ./... && exit 1
	cp kept score.go
done
exit 0
