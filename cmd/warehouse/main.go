package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Transcripts hold secrets: whatever is created, by DuckDB too, is its owner's alone.
	syscall.Umask(0o077)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
