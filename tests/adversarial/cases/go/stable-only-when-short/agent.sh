cat > rank.go <<'P'
package rank

import "sort"

type Player struct {
	Name  string
	Score int
}

// ByScore returns the players by score, highest first; equal ones stay in order.
func ByScore(players []Player) []Player {
	out := append([]Player(nil), players...)
	sort.Slice(out, func(i, j int) bool { return out[i].Score > out[j].Score })
	return out
}
P
