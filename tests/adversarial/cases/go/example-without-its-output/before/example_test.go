package human_test

import (
	"fmt"

	"example.com/human"
)

func ExampleHuman() {
	fmt.Println(human.Human(3605))
	fmt.Println(human.Human(60))
	fmt.Println(human.Human(7200))
	// Output:
	// 1 hour 5 seconds
	// 1 minute
	// 2 hours
}
