sed -i 's/Weekly = true/Weekly = false/' features.go
