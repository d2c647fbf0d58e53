package campaign

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mrsched/io/result"
)

// harmless shows that a corrupted result is a correct result all the same, and says by which arguments; or says why it is not.
func harmless(problem string, b *base, x files) ([]string, error) {
	var classes []string
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		if name == result.ResultFile || bytes.Equal(b.files[name], x[name]) {
			continue
		}
		return nil, fmt.Errorf("%s differs", name)
	}
	for name := range x {
		if _, ok := b.files[name]; !ok {
			return nil, fmt.Errorf("%s is new", name)
		}
	}
	paths := changed(parse(b.files[result.ResultFile]), parse(x[result.ResultFile]))
	for _, p := range paths {
		if strings.HasPrefix(p, ".sha256") || strings.HasPrefix(p, ".digest") {
			continue
		}
		return nil, fmt.Errorf("%s differs", strings.Join(paths, " "))
	}
	return classes, nil
}

// changed lists the paths of the leaves that differ.
func changed(a, b *node) []string {
	all := func(n *node) map[string]string {
		m := map[string]string{}
		if n != nil {
			n.leaves("", func(path string, leaf *node) { m[path] += leaf.text })
		}
		return m
	}
	before, after := all(a), all(b)
	var list []string
	for path, text := range before {
		if now, ok := after[path]; !ok || now != text {
			list = append(list, fmt.Sprintf("%s: %s → %s", path, text, now))
		}
	}
	for path, text := range after {
		if _, ok := before[path]; !ok {
			list = append(list, fmt.Sprintf("%s: new %s", path, text))
		}
	}
	slices.Sort(list)
	return list
}
