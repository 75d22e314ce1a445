// The generator of names for constants. Run: go tool -modfile=tools/generate/go.mod stringer
module github.com/dashembed/terraform-provider-embed/tools/generate

go 1.26.0

tool golang.org/x/tools/cmd/stringer

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
