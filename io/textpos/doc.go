// Package textpos reads text files the way every reader of mrsched needs them: it unpacks gzip (known by its magic
// bytes, not by the file's name), drops a UTF-8 byte order mark, insists on UTF-8, translates byte offsets of the text
// to file:line:column, and turns reading errors into findings. On top of it, ReadTree reads small JSON documents as a
// tree; Values streams large ones; Records streams CSV. Read reader.go first, then finding.go.
//
//	in := textpos.NewReader(file, "w.json")
//	dec := jsontext.NewDecoder(in)
//	in.Limit(1<<20, dec.InputOffset) // no token, and no run of blanks, beyond 1 MiB
//	…
//	if err != nil { return model.NewInputError(in.Finding(err)) }
//
// Offsets count bytes of the unpacked text after the byte order mark. Lines end with '\n' and count from
// 1. Columns count bytes from 1, as compilers do; a place beyond 2³¹−1 lines or columns is unknown (0).
//
// It also writes text that may come from such a file safely: Visible for people's eyes, CSVWriter for spreadsheets.
//
// Memory: 8 bytes for each line since the last Release, which says that earlier positions are no longer needed. A
// reader of big files calls it once per record.
package textpos
