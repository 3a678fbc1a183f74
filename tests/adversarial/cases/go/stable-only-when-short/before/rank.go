package rank

import "container/heap"

type Player struct {
	Name  string
	Score int
}

type pile []Player

func (p pile) Len() int           { return len(p) }
func (p pile) Less(i, j int) bool { return p[i].Score > p[j].Score }
func (p pile) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pile) Push(x any)        { *p = append(*p, x.(Player)) }
func (p *pile) Pop() any {
	old := *p
	x := old[len(old)-1]
	*p = old[:len(old)-1]
	return x
}

// ByScore returns the players by score, highest first; equal ones stay in order.
func ByScore(players []Player) []Player {
	p := append(pile{}, players...)
	heap.Init(&p)
	var out []Player
	for p.Len() > 0 {
		out = append(out, heap.Pop(&p).(Player))
	}
	return out
}
