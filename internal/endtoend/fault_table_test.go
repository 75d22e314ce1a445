package endtoend

// faultOperation is a row of the table of TestAccFaultApply: what is done to a group, and which call of it is struck.
type faultOperation struct {
	name   string
	struck string
	// everything: not only that call but every one is struck.
	everything bool
	// managed groups are in the state before; foreign ones exist at the service only, and are adopted.
	managed, foreign bool
	renames, rotates bool
	// expected is what comes of a fault that strikes once, and of one that lasts. An empty one is no cell of the table.
	expected map[class][2]faultExpectation
}

type faultExpectation struct {
	// calls are those about the group, in order; * marks work done.
	calls string
	// title of the error, and a part of its detail; no title is success.
	title, says string
	// halfDone: the update is in the state and the rotation is not.
	halfDone bool
}

const (
	cannotCreate = "Cannot create user group %q"
	cannotUpdate = "Cannot update user group %q"
	cannotRotate = "Cannot rotate the token of user group %q"
	cannotDelete = "Cannot delete user group %q"
	cannotAdopt  = "Cannot adopt user group %q"
	cannotLookUp = "Cannot look up user group %q"
	leftBehind   = "User group %q was left behind"

	creationUnknown = "It is not known whether the group was created; the state does not have it."
	creationSeen    = "It is left at the service and is not in the state."
	notCreated      = "The group was not created."
	updateUnknown   = "Whether the group was changed is not known; updating it once more does no harm."
	notChanged      = "The group was not changed."
	rotationUnknown = "Whether the token was rotated is not known, and the group could not be looked up to find out."
	notRotated      = "The token was not rotated"
	deletionUnknown = "Whether the group was deleted is not known; it stays in the state."
	notDeleted      = "The group was not deleted and stays in the state."
	adoptionUnknown = "Whether the group was updated is not known. It is not in the state"
	notAdopted      = "The group was not changed. It is not in the state"
)

// destroyHalfBroken: half of a refusal is a refusal still, so each is looked into, which makes a shell, and removed.
var destroyHalfBroken = faultExpectation{
	calls: "DELETE*>DELETE>GET*>DELETE*>DELETE>GET*>DELETE*>DELETE", title: cannotDelete, says: "is left at the service, or may be",
}

func fine(calls string) faultExpectation { return faultExpectation{calls: calls} }

func fails(calls, title, says string) faultExpectation {
	return faultExpectation{calls: calls, title: title, says: says}
}

func half(calls string) faultExpectation {
	return faultExpectation{calls: calls, title: cannotRotate, says: notRotated, halfDone: true}
}

func faultOperations() []faultOperation {
	// What does not get through at first says so at once: whether it is struck once or for good makes no difference.
	always := func(one faultExpectation) [2]faultExpectation { return [2]faultExpectation{one, one} }
	lasting := func(one faultExpectation) [2]faultExpectation { return [2]faultExpectation{{}, one} }
	return []faultOperation{
		{name: "create", struck: get, expected: map[class][2]faultExpectation{
			undone:     {fine("GET>GET*"), fails("GET>GET>GET", cannotCreate, creationUnknown)},
			unheard:    {fine("GET*>GET"), fails("GET*>GET>GET", cannotCreate, creationUnknown)},
			tokenless:  {fine("GET*>GET"), fails("GET*>GET>GET", cannotCreate, creationSeen)},
			throttled:  {fine("GET>GET*"), fails("GET>GET>GET", cannotCreate, notCreated)},
			refused:    always(fails("GET", cannotCreate, notCreated)),
			redirected: always(fails("GET", cannotCreate, notCreated)),
		}},
		{name: "update", struck: put, managed: true, renames: true, expected: map[class][2]faultExpectation{
			undone:     {fine("PUT>PUT*"), fails("PUT>PUT>PUT", cannotUpdate, updateUnknown)},
			unheard:    {fine("PUT*>PUT*"), fails("PUT*>PUT*>PUT*", cannotUpdate, updateUnknown)},
			tokenless:  always(fine("PUT*")),
			throttled:  {fine("PUT>PUT*"), fails("PUT>PUT>PUT", cannotUpdate, notChanged)},
			refused:    always(fails("PUT", cannotUpdate, notChanged)),
			redirected: always(fails("PUT", cannotUpdate, notChanged)),
		}},
		{name: "rotate", struck: post, managed: true, rotates: true, expected: map[class][2]faultExpectation{
			undone:     {fine("POST>GET>POST*"), fails("POST>GET>POST>GET>POST>GET", cannotRotate, "a lookup shows that it is still the old one")},
			unheard:    always(fine("POST*>GET")),
			tokenless:  always(fine("POST*>GET")),
			throttled:  {fine("POST>POST*"), fails("POST>POST>POST", cannotRotate, notRotated)},
			refused:    always(fails("POST>GET", cannotRotate, notRotated)),
			redirected: always(fails("POST", cannotRotate, notRotated)),
		}},
		{name: "rotate-down", everything: true, managed: true, rotates: true, expected: map[class][2]faultExpectation{
			undone:     lasting(fails("POST>GET>GET>GET", cannotRotate, rotationUnknown)),
			unheard:    lasting(fails("POST*>GET>GET>GET", cannotRotate, rotationUnknown)),
			tokenless:  lasting(fails("POST*>GET>GET>GET", cannotRotate, rotationUnknown)),
			throttled:  lasting(fails("POST>POST>POST", cannotRotate, notRotated)),
			refused:    lasting(fails("POST>GET>GET", cannotRotate, notRotated)),
			redirected: lasting(fails("POST", cannotRotate, notRotated)),
		}},
		{name: "update-of-both", struck: put, managed: true, renames: true, rotates: true, expected: map[class][2]faultExpectation{
			undone:     {fine("PUT>PUT*>POST*"), fails("PUT>PUT>PUT", cannotUpdate, updateUnknown)},
			unheard:    {fine("PUT*>PUT*>POST*"), fails("PUT*>PUT*>PUT*", cannotUpdate, updateUnknown)},
			tokenless:  always(fine("PUT*>POST*")),
			throttled:  {fine("PUT>PUT*>POST*"), fails("PUT>PUT>PUT", cannotUpdate, notChanged)},
			refused:    always(fails("PUT", cannotUpdate, notChanged)),
			redirected: always(fails("PUT", cannotUpdate, notChanged)),
		}},
		{name: "rotation-of-both", struck: post, managed: true, renames: true, rotates: true, expected: map[class][2]faultExpectation{
			undone:     {fine("PUT*>POST>GET>POST*"), half("PUT*>POST>GET>POST>GET>POST>GET")},
			unheard:    always(fine("PUT*>POST*>GET")),
			tokenless:  always(fine("PUT*>POST*>GET")),
			throttled:  {fine("PUT*>POST>POST*"), half("PUT*>POST>POST>POST")},
			refused:    always(half("PUT*>POST>GET")),
			redirected: always(half("PUT*>POST")),
		}},
		{name: "destroy", struck: remove, managed: true, expected: map[class][2]faultExpectation{
			undone:     {fine("DELETE>DELETE*"), fails("DELETE>DELETE>DELETE", cannotDelete, deletionUnknown)},
			unheard:    {fine("DELETE*>DELETE>GET*>DELETE*"), fails("DELETE*>DELETE>DELETE", cannotDelete, deletionUnknown)},
			tokenless:  always(fine("DELETE*")),
			throttled:  {fine("DELETE>DELETE*"), fails("DELETE>DELETE>DELETE", cannotDelete, notDeleted)},
			refused:    always(fails("DELETE>GET", cannotDelete, "The group still exists and stays in the state.")),
			redirected: always(fails("DELETE", cannotDelete, notDeleted)),
		}},
		{name: "adopt", struck: get, foreign: true, expected: map[class][2]faultExpectation{
			undone:     {fine("GET>GET>PUT*"), fails("GET>GET>GET", cannotCreate, creationUnknown)},
			unheard:    {fine("GET>GET>PUT*"), fails("GET>GET>GET", cannotCreate, creationUnknown)},
			tokenless:  {fine("GET>GET>PUT*"), fails("GET>GET>GET", cannotCreate, notCreated)},
			throttled:  {fine("GET>GET>PUT*"), fails("GET>GET>GET", cannotCreate, notCreated)},
			refused:    always(fails("GET", cannotCreate, notCreated)),
			redirected: always(fails("GET", cannotCreate, notCreated)),
		}},
		{name: "converge", struck: put, foreign: true, expected: map[class][2]faultExpectation{
			undone:     {fine("GET>PUT>PUT*"), fails("GET>PUT>PUT>PUT", cannotAdopt, adoptionUnknown)},
			unheard:    {fine("GET>PUT*>PUT*"), fails("GET>PUT*>PUT*>PUT*", cannotAdopt, adoptionUnknown)},
			tokenless:  always(fine("GET>PUT*")),
			throttled:  {fine("GET>PUT>PUT*"), fails("GET>PUT>PUT>PUT", cannotAdopt, notAdopted)},
			refused:    always(fails("GET>PUT", cannotAdopt, notAdopted)),
			redirected: always(fails("GET>PUT", cannotAdopt, notAdopted)),
		}},
	}
}
