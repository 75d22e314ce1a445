package engine

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
)

// Files calls see with each file in the directory and below. It unpacks plans.
func Files(dir string, see func(path string, text []byte, isPlan bool)) error {
	files := os.DirFS(dir)
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		text, isPlan, err := unpacked(content)
		see(filepath.Join(dir, path), text, isPlan)
		return err
	})
}

// unpacked returns the files in a saved plan, one after the other, and whether the content is a plan. A plan is a zip
// archive. Any other content is returned unchanged.
func unpacked(content []byte) (text []byte, isPlan bool, err error) {
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
