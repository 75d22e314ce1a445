package provider

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// unsent are the attributes of the resource that a configuration can set and no create or update sends, and why.
var unsent = map[string]string{
	"user_group_id":             "it says which group the call is about, and another one is another group",
	"data_source_provided_id":   "only a deletion sends it",
	"rotate_token_when_changed": "it decides whether a rotation is due",
	"rotate_token_after_days":   "it decides whether a rotation is due",
	"adopt_existing":            "it decides what a create may do",
	"deletion_protection":       "it decides whether a deletion is refused",
	"store_token":               "it decides what the state contains",
}

func userGroupSchema(t *testing.T) schema.Schema {
	t.Helper()
	var resp resource.SchemaResponse
	newUserGroupResource().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	return resp.Schema
}

// TestEveryAttributeIsManagedOrUnsent names an attribute that a configuration can set, and that is neither in the table
// of managed fields nor known not to be sent. Such an attribute would be accepted, and never reach the service.
func TestEveryAttributeIsManagedOrUnsent(t *testing.T) {
	t.Parallel()
	managed := map[string]bool{}
	for _, f := range managedFields {
		managed[f.name] = true
	}
	for name, attribute := range userGroupSchema(t).Attributes {
		isConfigured := attribute.IsRequired() || attribute.IsOptional()
		if (managed[name] || unsent[name] != "") != isConfigured || managed[name] && unsent[name] != "" {
			t.Errorf("%s is configurable: %t, managed: %t, unsent because %q", name, isConfigured, managed[name], unsent[name])
		}
	}
}

// TestManagedFieldsAreTheAttributesOfTheirNames sets each field of the table and finds the value in the attribute.
func TestManagedFieldsAreTheAttributesOfTheirNames(t *testing.T) {
	t.Parallel()
	for _, f := range managedFields {
		var group userGroupModel
		f.set(&group, f.empty)
		fields := reflect.TypeOf(group)
		for i := range fields.NumField() {
			value := reflect.ValueOf(group).Field(i)
			if isSet := !value.IsZero(); isSet != (fields.Field(i).Tag.Get("tfsdk") == f.name) {
				t.Errorf("%s sets the attribute %s: %t", f.name, fields.Field(i).Tag.Get("tfsdk"), isSet)
			}
		}
		if !f.null.IsNull() || f.empty.IsNull() || !f.equal(f.empty, f.of(&group)) || f.equal(f.null, f.empty) {
			t.Errorf("%s: null is %v, and empty is %v", f.name, f.null, f.empty)
		}
	}
}

// TestManagedFieldsAreComplete names a row of the table that sends another field, or that lacks what a response shows.
func TestManagedFieldsAreComplete(t *testing.T) {
	t.Parallel()
	for _, f := range managedFields {
		if attribute := userGroupSchema(t).Attributes[f.name]; attribute != nil && attribute.IsRequired() != f.isRequired {
			t.Errorf("the schema requires %s: %t, but the row of it says %t", f.name, attribute.IsRequired(), f.isRequired)
		}
		var request api.GroupRequest
		f.send(t.Context(), f.empty, &request)
		var sent []string
		for field := range reflect.TypeFor[api.GroupRequest]().Fields() {
			if !reflect.ValueOf(request).FieldByName(field.Name).IsZero() {
				sent = append(sent, field.Name)
			}
		}
		if len(sent) != 1 {
			t.Errorf("%s is sent as the fields %q", f.name, sent)
			continue
		}
		if _, isShown := reflect.TypeFor[api.UserGroup]().FieldByName(sent[0]); isShown == f.isHidden {
			t.Errorf("responses have %s: %t, but the row of %s is hidden: %t", sent[0], isShown, f.name, f.isHidden)
		}
	}
}

// TestPageHasEveryManagedArgument: the page says of each optional argument when it is managed, and what is sent then.
func TestPageHasEveryManagedArgument(t *testing.T) {
	t.Parallel()
	const path, title = "../../templates/resources/user_group.md.tmpl", "## Managed and Unmanaged Arguments"
	page, err := os.ReadFile(path)
	_, section, isThere := strings.Cut(string(page), title)
	if err != nil || !isThere {
		t.Fatalf("%s has no %q: %v", path, title, err)
	}
	head, _, _ := strings.Cut(section, "|---")
	for _, f := range managedFields {
		attribute := userGroupSchema(t).Attributes[f.name]
		if attribute != nil && attribute.IsOptional() != strings.Contains(head, "`"+f.name+"`") {
			t.Errorf("%s is optional: %t, but the table below %q does not say so in %s",
				f.name, attribute.IsOptional(), title, path)
		}
	}
}

// fieldSample has values of a managed field for TestManagedFields: ours are in the configuration, theirs at the
// service.
type fieldSample struct {
	ours, others, theirs, empty any // as in a configuration and, for a number and a text, as in JSON
	// inJSON is ours as a request sends it, if that is not the same.
	inJSON any
	set    func(*emulator.Group)
}

var fieldSamples = map[string]fieldSample{
	"name": {
		ours: "Ours", others: "Other", theirs: "Theirs",
		set: func(group *emulator.Group) { group.Name = "Theirs" },
	},
	"mapping": {
		ours: object{"sales": "ours"}, others: object{"sales": "other"}, theirs: object{"sales": "theirs"}, empty: object{},
		set: func(group *emulator.Group) { group.Mapping = map[string]string{"sales": "theirs"} },
	},
	"properties": {
		ours: `{"tier":"ours"}`, others: `{"tier":"other"}`, theirs: `{"tier":"theirs"}`, empty: `{}`,
		inJSON: object{"tier": "ours"},
		set:    func(group *emulator.Group) { group.Properties = json.RawMessage(`{"tier":"theirs"}`) },
	},
}

// TestManagedFields checks each field of the table at null, empty, unknown, drift, import, ignored, and after a lost
// update: what is sent, and what the state has then.
func TestManagedFields(t *testing.T) {
	t.Parallel()
	for _, f := range managedFields {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			sample, isThere := fieldSamples[f.name]
			if !isThere {
				t.Fatalf("there is no sample of %s in fieldSamples", f.name)
			}
			if userGroupSchema(t).Attributes[f.name] == nil {
				t.Fatalf("%s is forgotten in the schema", f.name)
			}
			p := protocoltest.Start(t, NewServer("test"), emulator.Options{})
			with := func(value any) object {
				return protocoltest.With(object{"user_group_id": "acme", "name": "Acme"}, f.name, value)
			}
			// sent returns what the last call with the method sent of the field.
			sent := func(method string) (value any, there bool) {
				t.Helper()
				for _, call := range slices.Backward(p.Service.Calls()) {
					body := object{}
					if call.Method == method && json.Unmarshal(call.Body, &body) == nil {
						value, there = body[f.name]
						return value, there
					}
				}
				t.Errorf("there was no %s", method)
				return nil, false
			}
			wantSent := func(method string) {
				t.Helper()
				want := sample.inJSON
				if want == nil {
					want = sample.ours
				}
				if got, _ := sent(method); !reflect.DeepEqual(got, want) {
					t.Errorf("%s sent %v as %s, want %v", method, got, f.name, want)
				}
			}
			remove := func(state protocoltest.State) {
				t.Helper()
				p.WantDestroyed(state)
				p.Service.ResetCounts()
			}
			if sample.empty != nil { // The field is optional.
				state := protocoltest.Silent(p.Create(with(nil)))
				if value, there := sent(http.MethodGet); there {
					t.Errorf("null was sent as %v", value)
				}
				p.WantState(state, f.name, nil)
				remove(state)
				state = protocoltest.Silent(p.Create(with(sample.empty)))
				if _, there := sent(http.MethodGet); !there {
					t.Error("empty was not sent")
				}
				p.WantState(state, f.name, sample.empty)
				remove(state)
			}
			unknown := p.Plan(p.Nothing(), with(protocoltest.Unknown))
			state := protocoltest.Silent(p.Apply(unknown, with(sample.ours)))
			wantSent(http.MethodGet)
			p.WantState(state, f.name, sample.ours)

			// Drift is shown and undone, if a response shows the field.
			drifted, wanted := sample.ours, "no-op"
			if !f.isHidden {
				drifted, wanted = sample.theirs, "update"
			}
			p.Service.Change("acme", sample.set)
			state = p.Refreshed(state)
			p.WantState(state, f.name, drifted)
			plan := p.Plan(state, with(sample.ours))
			if plan.Action != wanted {
				t.Errorf("after drift, the plan is to %s, want %s", plan.Action, wanted)
			}
			state = protocoltest.Silent(p.Apply(plan))

			// What ignore_changes covers is not sent.
			p.Service.ResetCounts()
			config := protocoltest.With(with(sample.others), "properties", `{"x":1}`, "name", "Another", f.name, sample.others)
			state = protocoltest.Silent(p.Apply(p.Plan(state, config, f.name)))
			if value, there := sent(http.MethodPut); there {
				t.Errorf("an ignored change was sent: %v", value)
			}
			p.WantState(state, f.name, sample.ours)

			// After a lost update, the state does not claim to know the field, and the next plan sends it.
			p.Always(http.MethodPut, emulator.CutAfterWork)
			lost, diags := p.Update(state, with(sample.others))
			if !diags.HasError() {
				t.Error("an update that was lost has no error")
			}
			p.WantState(lost, f.name, nil)
			p.Service.ClearFaults()
			if plan := p.Plan(lost, with(sample.ours)); plan.Action != "update" {
				t.Errorf("after a lost update, the plan is to %s", plan.Action)
			}
			remove(state)

			// An import takes over what a response shows. The first apply sends what none shows.
			group := emulator.Group{ID: "acme", Name: "Acme"}
			sample.set(&group)
			p.Service.Seed(group)
			imported := p.Imported("acme")
			if !f.isHidden {
				p.WantState(imported, f.name, sample.theirs)
			} else {
				p.WantState(imported, f.name, nil)
			}
			applied, _ := p.Apply(p.Plan(imported, with(sample.ours)))
			wantSent(http.MethodPut)
			p.WantState(applied, f.name, sample.ours)
		})
	}
	for name := range maps.Keys(fieldSamples) {
		if !slices.ContainsFunc(managedFields, func(f managedField) bool { return f.name == name }) {
			t.Errorf("there is a sample of %s, which is not managed", name)
		}
	}
}
