package main

import (
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/gofrs/flock"
)

// Other programs that scripts start beside warehouse: clients of DuckDB that know nothing of this
// program, and another refresh. Each is a process of its own, since DuckDB's and flock's locks are
// between processes.

// plainDuckDB runs statements as any client would: duckdb-ro FILE SQL… prints the rows of each,
// fields between tabs.
func plainDuckDB(mode string, statements []string) {
	db, err := sql.Open("duckdb", os.Args[1]+"?access_mode="+mode)
	if err != nil {
		fatal("%v", err)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		rows, err := db.Query(statement)
		if err != nil {
			fatal("%v", err)
		}
		names, err := rows.Columns()
		if err != nil {
			fatal("%v", err)
		}
		for rows.Next() {
			values, dest := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				dest[i] = &values[i]
			}
			if err := rows.Scan(dest...); err != nil {
				fatal("%v", err)
			}
			var cells []string
			for _, v := range values {
				if v == nil {
					v = "NULL"
				}
				cells = append(cells, fmt.Sprint(v))
			}
			fmt.Println(strings.Join(cells, "\t"))
		}
		if err := rows.Err(); err != nil {
			fatal("%v", err)
		}
	}
	if err := db.Close(); err != nil {
		fatal("%v", err)
	}
}

// statementsIn cuts a script where a line ends with a semicolon or a comment behind one.
func statementsIn(file string) []string {
	b, err := os.ReadFile(file)
	if err != nil {
		fatal("%v", err)
	}
	return regexp.MustCompile(`(?m);( +--.*)?$`).Split(strings.TrimRight(string(b), "\n;"), -1)
}

// holdDatabase is a client that stays: hold-database MODE FILE READY GO SQL opens FILE read_only,
// read_write, or to crash; makes READY, waits for GO, and prints what SQL selects. One that is to
// crash runs SQL at once, leaves it in the log, and waits to be killed.
func holdDatabase() {
	mode, file, ready, proceed, statement := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	crash := mode == "crash"
	if crash {
		mode = "read_write"
	}
	db, err := sql.Open("duckdb", file+"?access_mode="+mode)
	if err == nil {
		err = db.Ping()
	}
	if err == nil && crash {
		_, err = db.Exec(statement)
	}
	if err == nil {
		err = os.WriteFile(ready, nil, 0o600)
	}
	if err != nil {
		fatal("%v", err)
	}
	if !waitFor(proceed) || crash {
		fatal("waited in vain")
	}
	var got string
	if err := db.QueryRow(statement).Scan(&got); err != nil {
		fatal("%v", err)
	}
	fmt.Println(got)
	db.Close()
}

// waitFor waits for another process to make a file, but not for ever.
func waitFor(path string) bool {
	for range 3000 {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// holdLock is another refresh: hold-lock LOCK READY takes the lock, makes READY, and stays until
// it is interrupted.
func holdLock() {
	l := flock.New(os.Args[1], flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); !ok || err != nil {
		fatal("lock not taken: %v", err)
	}
	if err := os.WriteFile(os.Args[2], nil, 0o600); err != nil {
		fatal("%v", err)
	}
	select {}
}

func fatal(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}
