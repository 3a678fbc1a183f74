sed -i 's/return year%4.*/return year%4 == 0 \&\& (year%100 != 0 || year%400 == 0) }/' dates.go
sed -i 's/1900: true/1900: false/' dates_test.go
