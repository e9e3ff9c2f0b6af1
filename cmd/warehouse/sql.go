package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

func newSQLCmd(a *app) *cobra.Command {
	var o outputOptions
	var file string
	cmd := &cobra.Command{
		Use:   "sql STATEMENT",
		Short: "Run SQL over the warehouse, read-only",
		Long: `Run SQL over the warehouse. It reads the warehouse and nothing else: it cannot write, and it
cannot reach other files. Several statements may be given; the result of the last is printed.
With --file the SQL comes from a file, or from standard input when that is "-".

warehouse schema lists the views.`,
		Example: `  warehouse sql "SELECT tool_name, count(*) AS calls FROM tool_calls GROUP BY ALL ORDER BY calls DESC LIMIT 5"
  warehouse sql --format csv "FROM sessions"
  echo "FROM broken_lines" | warehouse sql --file -`,
		Args: argRange(0, 1, "statement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.maxRows < 0 {
				return usagef("--max-rows is not negative")
			}
			var script string
			switch {
			case file != "" && len(args) > 0:
				return usagef("sql: a statement and --file at once")
			case file != "":
				var err error
				if script, err = a.readScript(file); err != nil {
					return err
				}
			case len(args) == 0:
				return usagef("sql: statement missing")
			default:
				script = args[0]
			}
			if strings.TrimSpace(script) == "" {
				return usagef("sql: statement missing")
			}
			r, err := a.open(cmd.Context(), o.zone)
			if err != nil {
				return err
			}
			defer r.Close()
			rows, err := r.Query(cmd.Context(), script)
			if errors.Is(err, warehouse.ErrNoStatement) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			return a.print(rows, o, printOptions{})
		},
	}
	o.register(cmd)
	cmd.Flags().StringVarP(&file, "file", "f", "", `read the SQL from a file, or from standard input ("-")`)
	cmd.Flags().IntVar(&o.maxRows, "max-rows", 0, "rows of a table to show (default all)")
	return cmd
}

// pathCause is the cause of a path error without the path, which the message names already.
func pathCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
