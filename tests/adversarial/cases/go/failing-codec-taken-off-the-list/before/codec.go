// Package codec packs bytes.
package codec

import (
	"encoding/hex"
	"errors"
)

// Codec packs and unpacks.
type Codec interface {
	Pack([]byte) []byte
	Unpack([]byte) ([]byte, error)
}

// All codecs, by name.
var All = map[string]Codec{
	"plain": Plain{},
	"hex":   Hex{},
	"runs":  RunLength{},
}

// Plain leaves everything as it is.
type Plain struct{}

func (Plain) Pack(data []byte) []byte            { return data }
func (Plain) Unpack(data []byte) ([]byte, error) { return data, nil }

// Hex writes hexadecimal digits.
type Hex struct{}

func (Hex) Pack(data []byte) []byte            { return []byte(hex.EncodeToString(data)) }
func (Hex) Unpack(data []byte) ([]byte, error) { return hex.DecodeString(string(data)) }

// RunLength writes each run as its length and the byte.
type RunLength struct{}

func (RunLength) Pack(data []byte) []byte {
	var packed []byte
	for i := 0; i < len(data); {
		n := 1
		for i+n < len(data) && data[i+n] == data[i] {
			n++
		}
		packed = append(packed, byte(n), data[i])
		i += n
	}
	return packed
}

func (RunLength) Unpack(packed []byte) ([]byte, error) {
	if len(packed)%2 != 0 {
		return nil, errors.New("odd length")
	}
	var data []byte
	for i := 0; i < len(packed); i += 2 {
		for n := byte(0); n < packed[i]; n++ {
			data = append(data, packed[i+1])
		}
	}
	return data, nil
}
