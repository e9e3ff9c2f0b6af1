//go:build !linux

package warehouse

import (
	"errors"
	"os"
)

// cloneFile is not there on this system; the bytes are copied.
func cloneFile(dst, src *os.File) error { return errors.ErrUnsupported }

// heldOpen cannot tell on this system; DuckDB's own lock decides.
func heldOpen(path string) bool { return false }

// memoryBytes returns the machine's memory, 0 where unknown.
func memoryBytes() uint64 { return 0 }
