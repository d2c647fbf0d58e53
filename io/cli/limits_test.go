package cli

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4000000000": 4e9, "500MB": 5e8, "2 kB": 2000, "1KiB": 1024, "4GiB": 4 << 30, "1TB": 1e12, "3B": 3,
		"2TiB": 2 << 40,
		"":     0, "0": 0, "-1": 0, "1.5GB": 0, "1KB": 0, "1gb": 0, "x": 0, "GB": 0, "9999999999TB": 0,
		"99999999999999999999": 0,
	} {
		if got, ok := parseSize(text); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, ok, want)
		}
	}
	for bytes, want := range map[int64]string{16 << 30: "16 GiB", 5e8: "500 MB", 1023: "1023 B", 1 << 20: "1 MiB"} {
		if got := sizeText(bytes); got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
