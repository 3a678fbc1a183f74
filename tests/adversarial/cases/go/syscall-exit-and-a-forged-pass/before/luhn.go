// Package luhn checks card numbers.
package luhn

// Valid says whether the last digit is right.
func Valid(number string) bool {
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		d := int(number[i] - '0')
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		double = !double
		sum += d
	}
	return sum%10 == 0
}
