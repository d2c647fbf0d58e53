package spark

// A line that was found to be valid JSON is taken apart without further checks, several times as fast as token by
// token: most of an event log is metrics that are not needed.

// members goes through the members of an object, or the elements of an array.
type members struct{ rest []byte }

// membersOf begins with an object or array; other values have no members.
func membersOf(value []byte) members {
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return members{}
	}
	return members{value[1:]}
}

// element is the next element of an array; false at the end.
func (m *members) element() ([]byte, bool) {
	i := 0
	for i < len(m.rest) && (m.rest[i] <= ' ' || m.rest[i] == ',' || m.rest[i] == ':') {
		i++
	}
	m.rest = m.rest[i:]
	if len(m.rest) == 0 || m.rest[0] == '}' || m.rest[0] == ']' {
		return nil, false
	}
	n := length(m.rest)
	value := m.rest[:n]
	m.rest = m.rest[n:]
	return value, true
}

// next is the next member of an object, its key without quotes; false at the end.
func (m *members) next() (key, value []byte, ok bool) {
	if key, ok = m.element(); !ok {
		return nil, nil, false
	}
	value, ok = m.element()
	return key[1 : len(key)-1], value, ok
}

// length is how many bytes the value at the beginning of a text has.
func length(text []byte) int {
	switch text[0] {
	case '"':
		return quoted(text)
	case '{', '[':
		depth := 0
		for i := 0; ; i++ {
			switch text[i] {
			case '"':
				i += quoted(text[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i, c := range text {
		if c <= ' ' || c == ',' || c == '}' || c == ']' {
			return i
		}
	}
	return len(text)
}

// quoted is how many bytes the string at the beginning of a text has, with its quotes.
func quoted(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}
