package acceptance

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// key sets the API key and the expected environment for the commands that follow.
func (r *reader) key(key, environment string) {
	r.env = append(slices.Clone(r.env), "EMBED_API_KEY="+key, "EMBED_ENVIRONMENT="+environment)
}

func stopsWithWrongKey(r *reader) {
	r.key(customerKey, "Customer")
	r.begins(group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`))
	r.key(testingKey, "Customer")
	r.replace("main.tf", "Acme Ltd", "Acme")
	code, said := r.run("plan", "-refresh=false", "-out=planned")
	if code == 0 {
		code, said = r.run("apply", "planned")
	}
	if code != 1 {
		r.t.Errorf("the run exited with %d, want 1", code)
	}
	r.quotes(r.take("text"), said)
	if left := r.service.In("Testing").Groups(); len(left) > 0 {
		r.t.Errorf("these groups are left in Testing: %v", left)
	}
}

func plansWithWrongKey(r *reader) {
	r.key(customerKey, "")
	r.begins(group("customer", `for_each = { for i in range(40) : format("customer-%03d", i) => "Customer ${i}" }`,
		"user_group_id = each.key", "name = each.value"))
	state := r.read("terraform.tfstate")
	r.key(testingKey, "")
	r.quotes(strings.Replace(r.take("text"), "400", "40", 1), r.must("plan"))
	if copies := r.service.In("Testing").Groups(); len(copies) > 0 {
		r.t.Errorf("the plan left these groups in Testing: %v", copies)
	}
	if r.read("terraform.tfstate") != state {
		r.t.Error("the plan changed the state")
	}
}

// undoesApply follows both ways of the guide, with an older state and without. It checks that no customer is changed
// and no copy is left.
func undoesApply(r *reader) {
	r.key(customerKey, "")
	r.begins(group("customer", `for_each = { customer-001 = { sales = "a" }, customer-002 = null }`,
		"user_group_id = each.key", "name = each.key", "mapping = each.value", "deletion_protection = true"))
	customers := r.service.In("Customer").Groups()
	before := r.read("terraform.tfstate")
	r.key(testingKey, "")
	r.apply()
	wrong := r.read("terraform.tfstate")

	saves, restores, removes := r.take("shell"), r.take("shell"), r.take("shell")
	r.shell(saves)
	r.write("before.tfstate", before)
	r.shell(restores)
	r.key(customerKey, "Customer")
	r.plansNothing()

	r.write("terraform.tfstate", wrong)
	said := r.must("plan", "-out=planned")
	r.quotes(r.take("text"), said)
	r.quotes("0 to add, 1 to change, 0 to destroy", said)
	r.must("apply", "planned")
	r.plansNothing()
	state := r.read("terraform.tfstate")
	for _, customer := range customers {
		if !strings.Contains(state, customer.Token) {
			r.t.Errorf("the state does not contain the token of %s", customer.ID)
		}
	}

	r.key(testingKey, "Testing")
	right := r.dir
	r.dir = filepath.Join(right, "../wrong")
	r.replace("main.tf", "deletion_protection = true", "deletion_protection = false")
	r.dir = right
	r.quotes("0 added, 2 changed, 0 destroyed", r.shell(removes))
	if left := r.service.In("Testing").Groups(); len(left) > 0 {
		r.t.Errorf("these copies are left in Testing: %v", left)
	}
	if !reflect.DeepEqual(customers, r.service.In("Customer").Groups()) {
		r.t.Error("a customer was changed")
	}
}
