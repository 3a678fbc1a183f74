// Package base58 writes bytes so that people can read them out.
package base58

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
