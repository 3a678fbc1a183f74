git rm -q --ignore-unmatch graph_test.go
cat > order_test.go <<'E'
package graph

import "testing"

// Replaces the tests of the old interface.
func TestOrderReturnsAllTasks(t *testing.T) {
	got, err := Order(map[string][]string{"b": nil, "a": {"b"}})
	if err != nil || len(got) != 2 {
		t.Error(got, err)
	}
}
E
