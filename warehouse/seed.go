package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warehouse/schema"
)

// Facts that are not in transcripts, such as prices, are rows of seeded tables: the program brings
// a CSV file for each, and a person can add one of the same form.
//
// The rules are:
//
//   - A person's file lies in the configuration directory, named for the table (prices.csv for
//     model_prices), and is read at each refresh. --prices names another one, which sticks.
//   - Its text is kept in settings, so a warehouse is explained by what is in it; and where the file
//     that --prices named is gone, its rows stay, with a warning.
//   - A file with a fault stops the refresh before anything is written.
//   - The tables are filled when they were made anew, or when the standby's settings hold other
//     text than is wanted: an append does not pay for them.

// pricesTable is the seeded table that --prices adds to.
const pricesTable = "model_prices"

// ConfigDir is the folder of a person's own CSV files: $XDG_CONFIG_HOME/warehouse, else
// ~/.config/warehouse, else none.
func ConfigDir(getenv func(string) string, home string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "warehouse")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "warehouse")
}

// ownFile names a person's file for a seeded table.
func ownFile(dir, table string) string {
	if dir == "" {
		return ""
	}
	if table == pricesTable {
		return filepath.Join(dir, "prices.csv")
	}
	return filepath.Join(dir, table+".csv")
}

// readOwn fills in the settings that hold a person's own rows. stored are the settings as they
// were, of which pricesFile is the one that --prices named.
func (r *refresh) readOwn(stored map[string]string) error {
	r.own, r.sum.OwnRows = map[string]string{"prices_file": stored["prices_file"]}, 0
	if r.Prices != nil {
		r.own["prices_file"] = *r.Prices
	}
	for _, table := range r.set.Seeded() {
		name := "own_" + table.Name
		path := ownFile(r.ConfigDir, table.Name)
		named := table.Name == pricesTable && r.own["prices_file"] != ""
		if named {
			path = r.own["prices_file"]
		}
		if path == "" {
			r.own[name] = ""
			continue
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && !(named && r.Prices != nil) {
			r.own[name] = ""
			if named {
				r.own[name] = stored[name]
				r.warn(fmt.Sprintf("%s is gone; its prices stay until --prices names another file, or none with --prices ''", path))
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("rows of your own for %s: %w", table.Name, err)
		}
		rows, err := table.SeedRows(path, string(text), schema.Own)
		if err != nil {
			return WithHint(err, `the form is that of: warehouse sql --format csv "FROM `+table.Name+`"`)
		}
		r.own[name] = string(text)
		r.sum.OwnRows += len(rows)
	}
	return nil
}

// warn adds a warning once.
func (r *refresh) warn(text string) {
	for _, w := range r.sum.Warnings {
		if w == text {
			return
		}
	}
	r.sum.Warnings = append(r.sum.Warnings, text)
}

// seedStale tells whether the seeded tables of the standby hold other rows than is wanted.
func (r *refresh) seedStale() bool {
	if r.viewsFresh || r.sum.ViewsRebuilt {
		return true
	}
	for name, text := range r.own {
		if r.inStandby[name] != text {
			return true
		}
	}
	return false
}

// seed fills the seeded tables.
func (w *writer) seed(ctx context.Context, set schema.Set, own map[string]string) error {
	for _, table := range set.Seeded() {
		rows, err := table.SeedRows(table.Name+".csv", table.Seed, schema.BuiltIn)
		if err != nil {
			return err
		}
		if text := own["own_"+table.Name]; text != "" {
			more, err := table.SeedRows("own "+table.Name, text, schema.Own)
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		var values []string
		for _, row := range rows {
			values = append(values, "("+strings.Join(row, ", ")+")")
		}
		name := "w.main." + quoteName(table.Name)
		if err := w.whole(ctx, "DELETE FROM "+name, "INSERT INTO "+name+" VALUES "+strings.Join(values, ", ")); err != nil {
			return fmt.Errorf("seed %s: %w", table.Name, err)
		}
	}
	return nil
}
