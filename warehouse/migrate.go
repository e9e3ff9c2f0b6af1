package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"warehouse/migrations"
)

// migrate brings the durable tables to the newest layout. Goose has no DuckDB dialect; it needs
// six statements for its version table, and a failed migration rolls back.
func (w *writer) migrate(ctx context.Context) error {
	store, err := database.NewStoreFromQuerier("goose_db_version", querier{})
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectCustom, w.db, migrations.FS, goose.WithStore(store), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrations: %w", engineError(err))
	}
	return nil
}

type querier struct{}

func (querier) CreateTable(table string) string {
	return "CREATE TABLE " + table + ` (
		version_id BIGINT NOT NULL,
		is_applied BOOLEAN NOT NULL,
		tstamp     TIMESTAMP NOT NULL DEFAULT now()
	)`
}

func (querier) InsertVersion(table string) string {
	return "INSERT INTO " + table + " (version_id, is_applied) VALUES (?, ?)"
}

func (querier) DeleteVersion(table string) string {
	return "DELETE FROM " + table + " WHERE version_id = ?"
}

func (querier) GetMigrationByVersion(table string) string {
	return "SELECT tstamp, is_applied FROM " + table + " WHERE version_id = ? ORDER BY tstamp DESC LIMIT 1"
}

func (querier) ListMigrations(table string) string {
	return "SELECT version_id, is_applied FROM " + table + " ORDER BY version_id DESC"
}

func (querier) GetLatestVersion(table string) string {
	return "SELECT max(version_id) FROM " + table
}

// readSettings returns the choices that stick.
func readSettings(ctx context.Context, c *sql.Conn) (map[string]string, error) {
	rows, err := c.QueryContext(ctx, "SELECT name, value FROM main.settings")
	if err != nil {
		return nil, fmt.Errorf("settings: %w", engineError(err))
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, rows.Err()
}

// The settings and their values; the first is what holds where none is stored.
var settingValues = map[string][]string{
	"retention": {"mirror", "keep"},
	"standby":   {"on", "off"},
	"redact":    {"off", "on"},
}

// checkSetting refuses a value that the setting does not take.
func checkSetting(name, value string) error {
	for _, v := range settingValues[name] {
		if v == value {
			return nil
		}
	}
	if len(settingValues[name]) == 0 {
		return fmt.Errorf("no setting %q", name)
	}
	return errors.New(name + " is " + settingValues[name][0] + " or " + settingValues[name][1] + ", not " + fmt.Sprintf("%q", value))
}

func setting(stored map[string]string, name string) string {
	if v, ok := stored[name]; ok {
		return v
	}
	return settingValues[name][0]
}
