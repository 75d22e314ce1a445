package engine

import (
	"archive/zip"
	"bytes"
	"io/fs"
)

// Unpacked returns the files in a saved plan, one after the other, and whether the content is a plan. A plan is a zip
// archive. Any other content is returned unchanged.
func Unpacked(content []byte) (text []byte, isPlan bool, err error) {
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return content, false, nil
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, true, err
	}
	for _, member := range archive.File {
		part, err := fs.ReadFile(archive, member.Name)
		if err != nil {
			return nil, true, err
		}
		text = append(text, part...)
	}
	return text, true, nil
}
