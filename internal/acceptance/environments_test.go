package acceptance

import (
	"path/filepath"
	"slices"
	"testing"
)

// keepsEnvironmentsApart uses the other key with the same state, and then with a state of its own.
func keepsEnvironmentsApart(w *workbench) {
	customer, env := w.dir, w.env
	w.env = append(slices.Clone(env), "EMBED_API_KEY="+testingKey)
	w.fails("The API key belongs to another environment", "plan")
	w.env = append(w.env, "TF_VAR_environment=Testing")
	w.dir = w.t.TempDir()
	for _, source := range providerFile("environments.tf") {
		w.copy(filepath.Join(examplesDir, source))
	}
	w.apply()
	if len(w.service.In("Customer").Groups()) != 1 || len(w.service.In("Testing").Groups()) != 1 {
		w.t.Error("want one group in each environment")
	}
	w.must("destroy", "-auto-approve")
	w.dir, w.env = customer, env
}

// TestAccTwoEnvironmentsInOneState checks that two provider blocks with a key each do not disturb one another.
func TestAccTwoEnvironmentsInOneState(t *testing.T) {
	twoEnvironments.run(parallelWorkbench(t, bothEnvironments))
}

var twoEnvironments = example{
	sources: []string{"../internal/acceptance/testdata/two-environments"},
	env:     []string{"TF_VAR_customer_api_key=" + customerKey, "TF_VAR_testing_api_key=" + testingKey, "EMBED_API_KEY="},
	try: func(w *workbench) {
		for tag, name := range map[string]string{"Customer": "Acme Ltd", "Testing": "Acme Ltd (test)"} {
			if group, _ := w.service.In(tag).Group("acme"); group.Name != name || len(w.service.In(tag).Groups()) != 2 {
				w.t.Errorf("the environment %s has %v", tag, w.service.In(tag).Groups())
			}
		}
		// Swapped keys are noticed before a group is created in the wrong environment.
		w.env = append(w.env, "TF_VAR_customer_api_key="+testingKey, "TF_VAR_testing_api_key="+customerKey)
		w.replace("main.tf", `initech = "Initech Inc."`, `globex  = "Globex"`)
		w.fails("The API key belongs to another environment",
			"apply", "-auto-approve", "-refresh=false", `-target=embed_user_group.testing["globex"]`)
		w.env = append(w.env, "TF_VAR_customer_api_key="+customerKey, "TF_VAR_testing_api_key="+testingKey)
		w.has("acme", "initech")
		w.apply()
		w.plansNothing()
	},
}
