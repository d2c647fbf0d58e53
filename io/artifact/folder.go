package artifact

import (
	"path/filepath"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/textpos"
)

// FolderName is the name that solve gives the folder of one of several instances: its file's name, in UTF-8, so that
// the summary can hold it.
func FolderName(path string) (string, error) {
	if path == "-" {
		return "stdin", nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return textpos.UTF8(textpos.Stem(full, ".gz", ".json")), nil
}

// FolderNames are the folders of several instances, in their order.
func FolderNames(paths []string) ([]string, error) {
	var names []string
	for i, path := range paths {
		name, err := FolderName(path)
		if err != nil {
			return nil, err
		}
		if before := slices.Index(names, name); before >= 0 {
			return nil, engine.Usagef("%s and %s both have the results in %s: check them in two calls", paths[before],
				paths[i], name)
		}
		// "...json" would be "..", which leads out of the directory
		if name == "" || name[0] == '.' || !filepath.IsLocal(name) {
			return nil, engine.Usagef("%s: with several instances, each needs a name for its folder; %q is not a "+
				"name", path, name)
		}
		names = append(names, name)
	}
	return names, nil
}
