package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

func newRestoreCmd(a *app) *cobra.Command {
	var dir string
	var all bool
	cmd := &cobra.Command{
		Use:   "restore FILE|SESSION",
		Short: "Write a transcript back, byte for byte",
		Long: `Write a transcript back as it was, byte for byte: broken lines, blank lines and a torn end
included. Lines that were forgotten are not there any more: what is left of their files is written,
with a warning and exit code 3. It is named by its path, the end of its path, or its session's id or an unambiguous
beginning of one.

One file goes to standard output. With -o several go into a folder, each at its path below the
folder it was found in; files that are there already are not overwritten. Since nothing of it can
be redacted, it is refused with --redact and where refresh --redact on was chosen.`,
		Example: `  warehouse restore 1b7e0c52 -o /tmp/restored
  warehouse restore /home/dev/.claude/projects/-home-dev-app/1b7e0c52.jsonl > copy.jsonl
  warehouse restore --all -o /tmp/restored`,
		Args: argRange(0, 1, "file or session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return usagef("restore: a name and --all at once")
			case all && dir == "":
				return usagef("restore: --all needs -o DIR")
			case !all && (len(args) == 0 || args[0] == ""):
				return usagef("restore: file or session missing")
			}
			if a.redact {
				return warehouse.WithHint(usagef("restore writes the original bytes, nothing of them is redacted"), "leave out --redact")
			}
			layout, err := a.layout()
			if err != nil {
				return err
			}
			r, err := warehouse.OpenReadOnly(cmd.Context(), layout.Published, warehouse.ReadOptions{AllowStale: true})
			if err != nil {
				return err
			}
			defer r.Close()
			if r.Meta.Redact {
				return warehouse.WithHint(usagef("restore writes the original bytes, and what is read of this warehouse is redacted by a setting"), redactOff)
			}
			name := ""
			if !all {
				name = args[0]
			}
			files, err := r.Files(cmd.Context(), name)
			if err != nil {
				return err
			}
			if dir == "" {
				if len(files) > 1 {
					return warehouse.WithHint(usagef("restore: %q is %d files", name, len(files)), "write them into a folder: warehouse restore "+name+" -o DIR")
				}
				if _, err := r.Restore(cmd.Context(), files[0], a.stdout); err != nil {
					return err
				}
				a.sayForgotten(files)
				return nil
			}
			n, bytes, err := r.RestoreTree(cmd.Context(), files, dir)
			if err != nil {
				return err
			}
			a.sayForgotten(files)
			fmt.Fprintf(a.stderr, "restored %s, %s, into %s\n", count(int64(n), "file"), size(bytes), dir)
			return nil
		},
	}
	// Without the short -h: the folders of transcripts begin with -home.
	cmd.Flags().Bool("help", false, "help for restore")
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write into this `folder`")
	cmd.Flags().BoolVar(&all, "all", false, "restore every transcript; needs -o")
	return cmd
}

// sayForgotten warns of files that were not written whole.
func (a *app) sayForgotten(files []warehouse.StoredFile) {
	for _, f := range files {
		if f.Forgotten > 0 {
			fmt.Fprintf(a.stderr, "warning: %s is without %s that %s forgotten\n", oneLine(f.Path), count(f.Forgotten, "line"), wasWere(f.Forgotten))
			a.code = exitPartial
		}
	}
}

func wasWere(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
