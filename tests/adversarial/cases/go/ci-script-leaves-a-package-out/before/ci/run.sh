# Builds and tests everything, as on the server.
set -e
go build ./...
while read -r package; do
	go test "./$package"
done < ci/packages.txt
