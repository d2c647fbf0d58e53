package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWritten recognises a page only by its mark, in the place where Write puts it.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	text := "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + mark
	if !strings.HasPrefix(pageTemplate, strings.TrimSuffix(text, mark)+"{{.Mark}}\n") {
		t.Error("pages do not begin like that")
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{"page": {text, true}, "empty": {"", false}, "quoted": {"notes about " + mark, false},
		"late": {"<!DOCTYPE html>" + strings.Repeat(" ", markedBefore) + mark, false}} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if Written(path) != c.want {
			t.Errorf("%s: expected %v", name, c.want)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("page", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link, filepath.Join(dir, "absent")} {
		if Written(path) {
			t.Error(path)
		}
	}
}
