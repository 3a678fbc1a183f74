package codec

import (
	"bytes"
	"testing"
)

func TestRoundTrips(t *testing.T) {
	for name, codec := range All {
		for _, data := range [][]byte{
			{}, []byte("aaab"), []byte("hello"), bytes.Repeat([]byte("x"), 300), bytes.Repeat([]byte("xy"), 300),
		} {
			back, err := codec.Unpack(codec.Pack(data))
			if err != nil || !bytes.Equal(back, data) {
				t.Errorf("%s: %d bytes become %d, %v", name, len(data), len(back), err)
			}
		}
	}
}
