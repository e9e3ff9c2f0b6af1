//go:build !linux

package warehouse

import "testing"

// Elsewhere nothing watches names; what readers see is checked all the same.

type nameEvent struct{}

func watchNames(*testing.T, string) func() []nameEvent {
	return func() []nameEvent { return nil }
}

func checkPublishedEvents(*testing.T, []nameEvent, string, int) {}
