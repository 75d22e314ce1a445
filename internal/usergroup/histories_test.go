package usergroup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestHistories walks every history of an operation with a limited number of faults, and compares what the operation
// reports with what really happened. One fault at every call holds all rules, two hold promises 1 to 4 and 6.
func TestHistories(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	all := scenes()
	t.Run("scene", func(t *testing.T) {
		for _, s := range all {
			search(t, &count, s.String(), func(t *testing.T, c *choices) *record { return s.play(t, c).record })
		}
	})
	t.Logf("%d scenes, %d histories", len(all), count.Load())
}

// operation is what is done to the group, as the provider does it.
type operation struct {
	// What the operation may do to the group.
	creates, writes, rotates, deletes bool
	// known means that the state has the group, and stored that it has its token.
	known, stored bool
	begins        []string
	do            func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error)
}

var (
	ofState   = []string{"exists", "stale", "absent", "replaced"} // and "alike", which no search needs
	ofNoState = []string{"exists", "absent", "nameless", "alike"}
)

var operations = map[string]operation{
	"find":   {known: true, stored: true, begins: ofState, do: find},
	"import": {begins: ofNoState[:3], do: find},
	"create": {creates: true, begins: ofNoState, do: create(false)},
	"adopt":  {writes: true, begins: ofNoState, do: create(true)},
	"update": {writes: true, known: true, stored: true, begins: ofState, do: update},
	"rotate": {rotates: true, known: true, stored: true, begins: ofState, do: rotate},
	"update and rotate": {
		writes: true, rotates: true, known: true, stored: true, begins: ofState, do: updateAndRotate,
	},
	"delete": {deletes: true, known: true, stored: true, begins: ofState, do: destroy},
	"replace": {
		deletes: true, creates: true, writes: true, known: true, stored: true, begins: []string{"exists"}, do: replace,
	},
	"rotate, not stored": {rotates: true, known: true, begins: ofState, do: rotate},
	"delete, not stored": {deletes: true, known: true, begins: ofState, do: destroy},
}

// twoInOne has the operations that are two of the others, one after the other.
var twoInOne = []string{"replace", "update and rotate"}

func find(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return s.Find(ctx, prior)
}

func create(adopt bool) func(context.Context, *usergroup.Service, usergroup.Prior) (usergroup.Result, error) {
	return func(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
		return s.Create(ctx, wanted(prior.ID), adopt)
	}
}

func update(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return change(ctx, s, wanted(prior.ID), prior)
}

// change updates the group to what is wanted.
func change(
	ctx context.Context, s *usergroup.Service, wanted api.GroupRequest, prior usergroup.Prior,
) (usergroup.Result, error) {
	applied := s.Apply(ctx, usergroup.Change{Update: &wanted}, prior)
	return applied.Updated, applied.NotUpdated
}

func rotate(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	applied := s.Apply(ctx, usergroup.Change{Rotates: true}, prior)
	return applied.Rotated, applied.NotRotated
}

// updateAndRotate does both in one operation. The result is what the state has in the end. If both fail, the error is
// that of the rotation, and the other one comes with the warnings.
func updateAndRotate(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	sent := wanted(prior.ID)
	applied := s.Apply(ctx, usergroup.Change{Update: &sent, Rotates: true}, prior)
	result := applied.Rotated
	result.Warnings = append(applied.Updated.Warnings, result.Warnings...)
	if applied.NotRotated == nil {
		return result, applied.NotUpdated
	}
	result.Warnings = append(result.Warnings, problemsOf(applied.NotUpdated, nil)...)
	return result, applied.NotRotated
}

func destroy(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	return s.Delete(ctx, prior)
}

// replace is what Terraform does to a group that is tainted.
func replace(ctx context.Context, s *usergroup.Service, prior usergroup.Prior) (usergroup.Result, error) {
	deleted, err := s.Delete(ctx, prior)
	if err != nil {
		return deleted, err
	}
	created, err := s.Create(ctx, wanted(prior.ID), true)
	created.Warnings = append(deleted.Warnings, created.Warnings...)
	return created, err
}

// variant is what a service makes of the contract, and what the provider is told about it.
type variant struct {
	emulator.Options

	// why is a text that the variant is for: of a promise, a proof, or what is not handled. See notHandled.
	why          string
	lookupFields []string
	takesRetries int // how many retries an operation needs at most even if nothing goes wrong
	// of has the operations for which it makes a difference, or is empty for all.
	of []string
}

var allFields = []string{"name", "mapping", "properties"}

var variants = map[string]variant{
	"stored": {
		why: "With one fault, an operation succeeds or says exactly",
	},
	"echo": {
		why:     "They may be an echo, so they count as not shown.",
		Options: emulator.Options{Answers: emulator.AnswersEcho},
	},
	"merging": {
		why:     "a warning names what the response shows differently",
		Options: emulator.Options{Updates: emulator.UpdatesMerge}, of: []string{"adopt", "update"},
	},
	"success 0": {
		why:     "`success: 0`",
		Options: emulator.Options{Refusals: emulator.RefusalsSuccessZero},
		of:      []string{"adopt", "update", "rotate", "delete"},
	},
	"stale 401": {
		why:     "if another token shows",
		Options: emulator.Options{StaleTokenStatus: http.StatusUnauthorized}, of: []string{"rotate", "delete"},
	},
	"stale 500": {
		why:     "A rotation by somebody else, if the response to ours leaves open",
		Options: emulator.Options{StaleTokenStatus: http.StatusInternalServerError},
		of:      []string{"find", "import", "update", "rotate", "delete", "replace"},
	},
	"name required": {
		why:          "With `lookup_fields`, a name or properties that equal",
		Options:      emulator.Options{Required: allFields[:1], RequiredToUpdate: allFields[:1]},
		lookupFields: allFields[:1], of: []string{"find", "update", "rotate", "delete"},
	},
	"defaults": {
		why:     "Services fill in defaults, so looking empty",
		Options: emulator.Options{DefaultName: "New user group", DefaultProperties: `{"plan":"free"}`},
		of:      []string{"import", "create"},
	},
	"defaults that show later": {
		why:     "A service that fills in a new group only after its response",
		Options: emulator.Options{DefaultName: "New user group", DefaultProperties: `{"plan":"free"}`, LateDefaults: true},
	},
	"derived tokens": {
		why:     "Tokens that follow from the ID alone",
		Options: emulator.Options{DerivedTokens: true},
	},
	"updates that renew tokens": {
		why:     "If the PUT shows another token",
		Options: emulator.Options{RenewingUpdates: true}, of: []string{"update"},
	},
	"the group of before in the response": {
		why:     "a warning names what the response shows differently",
		Options: emulator.Options{StaleUpdates: true}, of: []string{"adopt", "update"},
	},
	"a replica that answers updates": {
		why:          "A replica that still shows a deleted group",
		takesRetries: maxRetries - 1,
		Options:      emulator.Options{StaleUpdates: true, ReplicaLag: 2 * time.Second}, of: []string{"adopt", "update"},
	},
	"reused numbers": {
		why:     "Numbers that are used again, when another client",
		Options: emulator.Options{ReuseTeamIDs: true},
	},
	"all fields required": {
		why:          "With `lookup_fields`, a name or properties that equal",
		Options:      emulator.Options{Required: allFields, RequiredToUpdate: allFields},
		lookupFields: allFields, of: []string{"find", "import", "delete"},
	},
	"false left out": {
		why:     "without `new_user_group`",
		Options: emulator.Options{OmitZero: true}, of: []string{"find", "import", "create", "adopt", "rotate"},
	},
	"rows counted": {
		why:     "A 404 to an update that changes nothing",
		Options: emulator.Options{CountsChangedRows: true}, of: []string{"adopt", "update"},
	},
	"a replica": {
		why:          "A replica that still shows a deleted group",
		takesRetries: maxRetries - 1,
		Options:      emulator.Options{ReplicaLag: 2 * time.Second},
		of:           []string{"find", "import", "adopt", "rotate", "delete"},
	},
	"the sent token in the response": {
		why:     "another token than the one that was sent",
		Options: emulator.Options{StaleRotations: true}, of: []string{"rotate"},
	},
	"rotations that take effect later": {
		why:          "A rotation that is carried out after the run has given up",
		takesRetries: maxRetries - 1,
		Options:      emulator.Options{RotationDelay: 5 * time.Second}, of: []string{"rotate"},
	},
	"slow rotations": {
		why:          "the service may still be at work on it",
		takesRetries: maxRetries,
		Options:      emulator.Options{RotationTime: slowWork},
		of:           []string{"rotate"},
	},
	"busy deletions": {
		why:          "409, 423 and 425",
		takesRetries: maxRetries - 1,
		Options:      emulator.Options{BusyStatus: http.StatusConflict, BusyDeletions: 1},
		of:           []string{"find", "delete", "replace"},
	},
	"deletions that come too early": {
		why:          "A lookup directly before each attempt to delete it",
		takesRetries: maxRetries - 1,
		Options:      emulator.Options{BusyStatus: http.StatusForbidden, BusyDeletions: 1, BusyRetryAfter: 2},
		of:           []string{"find", "delete"},
	},
	"deletions that take effect later": {
		why:          "A create soon after a deletion that is carried out later",
		takesRetries: maxRetries - 1,
		Options:      emulator.Options{DeletionDelay: 5 * time.Second}, of: []string{"replace", "delete"},
	},
	// The following make a difference together, or if an environment is expected.
	"derived tokens and reused numbers": {
		why:     "Numbers are used again, so what a call",
		Options: emulator.Options{DerivedTokens: true, ReuseTeamIDs: true}, of: []string{},
	},
	"equal numbers": {
		why:     "token and no other number",
		Options: emulator.Options{SameTeamIDs: true}, of: []string{},
	},
	"no numbers": {
		why:     "without a `team_id`",
		Options: emulator.Options{Omit: []string{"team_id"}}, of: []string{},
	},
	"a full account": {
		why:     "token and no other number",
		Options: emulator.Options{MaxGroups: 2}, of: []string{},
	},
	"no IDs": {
		why:     "Another lookup's response, where responses show no ID",
		Options: emulator.Options{Omit: []string{"provided_id"}}, of: []string{},
	},
	"IDs with a pattern": {
		why:     "token and no other number",
		Options: emulator.Options{IDPattern: "^(acme|neighbor)$"}, of: []string{},
	},
	"IDs in capitals": {
		why:     "An ID in another spelling is another ID",
		Options: emulator.Options{UpperIDs: true}, of: []string{},
	},
}

// slowWork is longer than the provider waits, but not as long as all of its retries take.
const slowWork = 41 * time.Second

// isFor reports whether the variant makes a difference for an operation.
func (v variant) isFor(operation string) bool {
	operation, _, _ = strings.Cut(operation, ",")
	return v.of == nil || slices.Contains(v.of, operation)
}

// environments are what the provider expects of the API key, which opens Customer, and what the state has noted about
// the environment of its group. The group of the state is in Testing if that is noted: then the group with its ID in
// Customer is another one.
var environments = map[string]struct{ expected, noted string }{
	"":                           {},
	"Customer":                   {expected: "Customer"},
	"Testing":                    {expected: "Testing"},
	"Customer, noted":            {expected: "Customer", noted: "Customer"},
	"Testing, noted":             {expected: "Testing", noted: "Testing"},
	"Customer, Testing is noted": {expected: "Customer", noted: "Testing"},
}

// priorOf returns what the state has about a group.
func (o operation) priorOf(group emulator.Group) usergroup.Prior {
	if !o.known {
		return usergroup.Prior{ID: group.ID}
	}
	token := api.NewSecret(group.Token)
	prior := usergroup.Prior{
		ID: group.ID, Name: group.Name, TeamID: strconv.FormatInt(group.TeamID, 10),
		Fingerprint: token.Fingerprint(), Instance: "first",
		Stored: func() api.GroupRequest {
			stored := api.GroupRequest{Name: &group.Name}
			stored.Properties, _ = api.ParseProperties(string(group.Properties))
			return stored
		},
	}
	if o.stored {
		prior.Token = token
	}
	return prior
}

// scene is the start of histories.
type scene struct {
	operation
	named                        string
	begins, variant, environment string
}

func (s scene) String() string {
	return strings.TrimSuffix(strings.Join([]string{s.named, s.begins, s.variant, s.environment}, "/"), "/")
}

// sceneOf returns the scene with the name that String returns.
func sceneOf(name string) scene {
	parts := append(strings.Split(name, "/"), "")
	return scene{operations[parts[0]], parts[0], parts[1], parts[2], parts[3]}
}

// scenes returns the scenes that are searched.
func scenes() (all []scene) {
	for named, o := range operations {
		for _, begins := range o.begins {
			for name, v := range variants {
				if v.isFor(named) {
					all = append(all, scene{o, named, begins, name, ""})
				}
			}
			if begins != "exists" && begins != "absent" {
				continue
			}
			all = append(all, scene{o, named, begins, "stored", "Customer"}, scene{o, named, begins, "stored", "Testing"})
			if !o.known {
				continue
			}
			all = append(all, scene{o, named, begins, "stored", "Customer, noted"})
			for _, variant := range []string{"stored", "equal numbers", "no numbers", "derived tokens"} {
				all = append(all, scene{o, named, begins, variant, "Testing, noted"})
			}
		}
	}
	slices.SortFunc(all, func(a, b scene) int { return strings.Compare(a.String(), b.String()) })
	return all
}

const (
	mostAttempts = 60
	mostTime     = 10 * time.Minute
)

// history is one path of the search.
type history struct {
	scene
	*ledger

	choices   *choices
	budget    int
	script    []string // takes the place of the choices
	creation  reply    // the response to the creation of the group
	cached    func(body string) (key string)
	cache     map[string]reply
	late      []*http.Request // the service carries them out after the next attempt
	attempts  int
	log       []string // the attempts, with their faults
	transient bool     // all faults so far were transient
	acted     bool     // another client has changed something
	renamed   bool     // it has renamed the group
	handed    string   // the last new token that arrived
	stop      context.CancelFunc
	service   *usergroup.Service
	took      time.Duration
}

// start returns the history at its beginning.
func (s scene) start() *history {
	h := &history{scene: s, transient: true}
	r := &record{scene: s.String(), operations: []string{s.named}, begins: s.begins, variant: s.variant}
	h.ledger = newLedger(r, variants[s.variant].Options, &actor{operation: s.operation, name: "we"})
	h.made(h.Seed(emulator.Group{ID: "neighbor", Name: "Neighbor"}), before)
	group := emulator.Group{ID: id, Name: oldName, Properties: json.RawMessage(`{"tier":"silver","seats":5}`)}
	switch s.begins {
	case "nameless":
		group = emulator.Group{ID: id}
	case "alike":
		group.Name, group.Properties = newName, json.RawMessage(wantedProperties)
		group.Mapping = map[string]string{"sales": "acme-db"}
	}
	made := h.Seed(emulator.Group{ID: id})
	h.creation = isNew(h.lookUp(id))
	group.TeamID, group.Token = made.TeamID, made.Token
	h.made(h.Seed(group), before)
	h.actor.prior = s.priorOf(group)
	h.setEnvironment()
	switch s.begins {
	case "absent":
		h.Remove(id)
	case "stale":
		h.RotateBehind(id)
	case "replaced":
		h.Remove(id)
		h.made(h.Seed(emulator.Group{ID: id, Name: "Theirs"}), another)
	}
	time.Sleep(variants[s.variant].ReplicaLag)
	h.seen()
	h.events, h.broken = nil, nil
	return h
}

// setEnvironment sets what the state has noted, and what may be done with the API key. With the wrong one, nothing may
// be changed.
func (h *history) setEnvironment() {
	e := environments[h.environment]
	h.actor.prior.Environment = e.noted
	if e.expected != "Testing" && e.noted != "Testing" {
		return
	}
	h.actor.writes, h.actor.rotates, h.actor.deletes = false, false, false
	if e.noted != "Testing" {
		return
	}
	theirs, _ := h.Group(id)
	h.made(theirs, another)
	h.Emulator.In("Testing").Seed(emulator.Group{ID: "neighbor"}) // so that the next one can have the number of theirs
	ours := h.Emulator.In("Testing").Seed(emulator.Group{ID: id, Name: oldName})
	h.actor.prior = h.priorOf(ours)
	h.actor.prior.Environment = e.noted
}

// lookUp returns the response to the lookup of a group that exists, and isNew that to its creation.
func (h *history) lookUp(id string) reply {
	text := `{"user_group_id":"` + id + `","name":"` + id + `"}`
	if len(variants[h.variant].Required) > 1 {
		text = `{"user_group_id":"` + id + `","name":"` + id + `","mapping":{},"properties":{}}`
	}
	r := httptest.NewRequest(http.MethodGet, "/api/user", strings.NewReader(text))
	r.Header.Set("Authorization", "Token "+emulator.DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	return serve(h, r)
}

func isNew(r reply) reply {
	r.body = bytes.Replace(r.body, []byte(`"new_user_group":false,`), nil, 1)
	r.body = bytes.Replace(r.body, []byte(`"success":1,`), []byte(`"success":1,"new_user_group":true,`), 1)
	return r
}

// play plays and checks a history.
func (s scene) play(t *testing.T, c *choices) *history {
	h := s.start()
	h.choices, h.budget = c, *faultsFlag
	h.operate(t.Context())
	h.check()
	return h
}

// retries is how many retries an operation has. With two faults, it can use up all.
func retries(faults int) int {
	if faults > 1 {
		return 1
	}
	return maxRetries
}

// lacksRetries reports whether the service takes the retries that a fault needs.
func (h *history) lacksRetries() bool {
	takes := variants[h.variant].takesRetries
	return takes > 0 && retries(h.budget)-len(h.faults) < takes
}

// operate carries out the operation, and then what is late.
func (h *history) operate(ctx context.Context) {
	ctx, h.stop = context.WithCancel(ctx)
	defer h.stop()
	begun := time.Now()
	service := newService(h, retries(h.budget), usergroup.Settings{
		Environment: environments[h.environment].expected, LookupFields: variants[h.variant].lookupFields,
	})
	h.service = service
	h.actor.operate(ctx, h.ledger, service)
	h.took = time.Since(begun)
	for _, work := range h.late {
		serve(h, work)
	}
	h.WaitIdle()
	h.seen()
}
