package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newPathCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print where the published database is",
		Long: `Print the path of the published database, whether or not it exists yet.

It is warehouse.duckdb in $WAREHOUSE_HOME, else in $XDG_DATA_HOME/warehouse, else in
~/.local/share/warehouse. --db FILE names another.`,
		Example: `  warehouse path
  duckdb -readonly "$(warehouse path)" "FROM sessions LIMIT 5"`,
		Args: argRange(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			layout, err := a.layout()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.stdout, layout.Published)
			return err
		},
	}
}
