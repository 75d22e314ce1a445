// Package endtoend has only tests: a real engine runs the real provider against the emulator, while calls go wrong, runs
// are interrupted and two pipelines meet. What Terraform's state holds afterwards is compared with what the service has.
//
// Like all acceptance tests they need TF_ACC=1. The engine is TF_ACC_TERRAFORM_PATH, else terraform on PATH. TestLong… also
// need EMBED_LONG_TESTS=1.
package endtoend
