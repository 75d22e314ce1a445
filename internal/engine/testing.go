package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// AtHand returns the engine that terraform-plugin-testing uses: the program in TF_ACC_TERRAFORM_PATH or, by default,
// terraform on PATH.
var AtHand = sync.OnceValues(func() (Engine, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	found, err := Find(context.Background(), path, Environment(os.DevNull))
	if err != nil {
		return found, fmt.Errorf("no engine; set TF_ACC_TERRAFORM_PATH: %w", err)
	}
	return found, nil
})

// BuildProvider builds the provider into the directory, with additional flags for go build. It returns the path of a
// CLI configuration that makes an engine use this build.
func BuildProvider(ctx context.Context, dir string, flags ...string) (configuration string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	args := append([]string{"build", "-o", filepath.Join(dir, "terraform-provider-embed")}, flags...)
	build := exec.CommandContext(ctx, "go", append(args, "github.com/dashembed/terraform-provider-embed")...)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w\n%s", err, said)
	}
	configuration = filepath.Join(dir, "cli.tfrc")
	return configuration, os.WriteFile(configuration, fromBuild(dir), 0o600)
}
