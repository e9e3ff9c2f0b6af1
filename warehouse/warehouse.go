// Package warehouse keeps every line of coding-agent transcripts in one DuckDB file and serves
// questions about them.
//
// Data flows one way:
//
//	source files ─ scan ─ frame lines ─ raw ─ derive (tables, views) ─ publish ─ read-only queries
//
// What holds, always:
//
//   - raw is the record. A line is stored once, as the bytes it was; each source file can be
//     written back byte for byte. Rows of raw are never changed, only added, or dropped with what
//     replaced them, or because they were forgotten.
//   - Everything but raw, the catalogue, hosts, settings and what was forgotten can be deleted and
//     made again from raw. Refreshing step by step gives what building from nothing gives.
//   - What was forgotten is in no file of the warehouse, and is kept out until that is taken back.
//   - Nobody writes the published file. A refresh writes the standby and the two change names, so a
//     reader never waits, never sees half a state, and a killed refresh changes nothing.
//   - A refresh costs what changed. Nothing changed: nothing is written.
//   - Reading writes nothing, creates no file and lets no SQL reach another one.
package warehouse
