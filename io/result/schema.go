package result

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of result.json and of a result as one document.
func Schema() []byte { return schema }
