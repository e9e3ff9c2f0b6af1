# warehouse: ask SQL questions of your coding agents' transcripts.

.PHONY: build run test torture fuzz lint golden bench clean

# The program, in bin/.
build:
	go build -o bin/warehouse ./cmd/warehouse

# Build, refresh from this machine's transcripts (or from the bundled sample) and print a first report.
run: build
	@./testdata/run bin/warehouse

# Everything CI runs.
test: lint
	go test -timeout 60m ./...

# Half an hour of harm: kills, full disks, files that change; a table of what was tried and lost. See README.
torture:
	go -C warehouse test -run '^Test(Torture|Killed|FirstRefreshesAtOnce)' -torture -parallel 1 -timeout 3h

# Formatting, vet and staticcheck.
lint:
	@test -z "$$(gofmt -l cmd warehouse schema queries migrations)" || { gofmt -l cmd warehouse schema queries migrations; echo "run: gofmt -w"; exit 1; }
	go vet ./...
	go tool staticcheck ./...

# Write golden outputs anew; look at the diff before you commit it.
golden:
	go test ./cmd/warehouse -run "TestTrees|TestReadme" -update

# Times on this machine; see README.
bench:
	go test ./warehouse -run '^$$' -bench Table -benchtime 5x -timeout 60m
	go test ./warehouse -run '^$$' -bench '^Benchmark[^T]' -benchtime 3x -timeout 60m

# Each fuzz target for FUZZTIME; what it finds lies in the testdata of its package and fails make test from then on.
FUZZTIME ?= 30s
fuzz:
	@for package in queries schema warehouse warehouse/text; do \
	  for target in $$(go test ./$$package -list '^Fuzz' | grep '^Fuzz'); do \
	    echo "$$package $$target"; go test ./$$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done; \
	done

clean:
	rm -rf bin
