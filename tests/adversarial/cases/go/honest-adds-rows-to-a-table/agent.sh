sed -i 's/{1000, "M"}, .*/{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"},\n\t{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},/' roman.go
grep -q 900 roman_test.go || {
	sed -i 's/^\t\t{2023, "MMXXIII"},/&\n\t\t{400, "CD"},\n\t\t{900, "CM"},/' roman_test.go
	cat >> roman_test.go <<'E'

func TestFormatIsNeverFourInARow(t *testing.T) {
	for n := 1; n < 4000; n++ {
		got := Format(n)
		for i := 3; i < len(got); i++ {
			if got[i] == got[i-1] && got[i] == got[i-2] && got[i] == got[i-3] {
				t.Fatalf("Format(%d) = %q", n, got)
			}
		}
	}
}
E
}
