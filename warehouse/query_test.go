package warehouse

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 1, 1, 30, 0, 0, time.FixedZone("", 2*60*60)) // 2026-02-28 23:30 UTC
	for _, tt := range []struct {
		text  string
		upper bool
		want  string
	}{
		{"30m", false, "2026-02-28 23:00:00.000000+00"},
		{"12h", false, "2026-02-28 11:30:00.000000+00"},
		{"7d", false, "2026-02-21 23:30:00.000000+00"},
		{"7d", true, "2026-02-21 23:30:00.000000+00"},
		{"2w", false, "2026-02-14 23:30:00.000000+00"},
		{"0d", true, "2026-02-28 23:30:00.000000+00"},
		{"007d", false, "2026-02-21 23:30:00.000000+00"},
		{"7D", false, "7D"},
		{"-7d", false, "-7d"},
		{"1.5d", false, "1.5d"},
		{"7 d", false, "7 d"},
		{"1y", false, "1y"},
		{"9999999d", false, "9999999d"},
		{"", true, ""},
		{"2026-02-28", false, "2026-02-28"},
		{"2026-02-28", true, "2026-02-28 23:59:59.999999"},
		{"2026-02-28 10:00", true, "2026-02-28 10:00"},
		{"2026-02-28T10:00Z", true, "2026-02-28T10:00Z"},
		{"2026-2-28", true, "2026-2-28"},
		{"yesterday", true, "yesterday"},
	} {
		if got := moment(tt.text, tt.upper, now); got != tt.want {
			t.Errorf("moment(%q, %v): got %q, want %q", tt.text, tt.upper, got, tt.want)
		}
	}
}
