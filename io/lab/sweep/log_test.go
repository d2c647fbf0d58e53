package sweep

import (
	"os"
	"testing"
)

// TestLogTellsAnErrorOnce: Close does not repeat an error that Append returned, but reports any other.
func TestLogTellsAnErrorOnce(t *testing.T) {
	for _, told := range []bool{true, false} {
		l, err := OpenLog(t.TempDir(), Rows, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		whole := l.f
		if l.f, err = os.Open(whole.Name()); err != nil { // cannot be written
			t.Fatal(err)
		}
		if told {
			err = l.Append(map[string]string{"id": "1"})
		} else {
			l.err = os.ErrInvalid // of the syncer
		}
		if (err != nil) != told {
			t.Errorf("Append: %v", err)
		}
		if err := l.Close(); (err != nil) == told {
			t.Errorf("told %v, Close: %v", told, err)
		}
		if err := whole.Close(); err != nil {
			t.Error(err)
		}
	}
}
