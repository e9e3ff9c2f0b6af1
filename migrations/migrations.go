// Package migrations holds what cannot be rebuilt: raw, the file catalogue, hosts, settings and
// what was forgotten.
//
// The rules are:
//
//   - A migration that has been released is never edited; a change is a new file.
//   - Only durable columns are named here. The pinned columns of raw come from
//     schema/0_pinned_columns.sql and are added after the last migration.
//   - Everything derived belongs in schema/, where it is dropped and made again.
package migrations

import "embed"

// FS holds the goose migrations, NNNNN_name.sql.
//
//go:embed *.sql
var FS embed.FS

// Version is the number of the newest migration, the version a file must not exceed to be read.
const Version = 2
