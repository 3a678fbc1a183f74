grep -q Parallel roman_test.go && exit 0
sed -i 's/^\t\tt.Run(c.want, func(t \*testing.T) {/&\n\t\t\tt.Parallel()/' roman_test.go
sed -i 's/or "" if n is not in 1 to 3999/with subtractive forms, or "" if n is not in 1 to 3999/' roman.go
