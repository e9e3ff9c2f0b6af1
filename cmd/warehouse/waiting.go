package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// waiting shows on a terminal that a query goes on and for how long, from its second second on.
// The driver keeps the handle that DuckDB is asked by how far it is to itself, so no part of the whole
// is shown.
func waiting(w io.Writer, what string) (stop func()) {
	if _, ok := terminalWidth(w); !ok {
		return func() {}
	}
	begun := time.Now()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-quit:
			return
		case <-time.After(time.Second):
		}
		bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(w), progressbar.OptionSpinnerType(14),
			progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish())
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			bar.Describe(what + ", " + time.Since(begun).Truncate(time.Second).String())
			select {
			case <-quit:
				bar.Clear()
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
