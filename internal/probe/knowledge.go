package probe

// Severity says how much a finding asks of a user.
type Severity string

const (
	// OK asks for nothing.
	OK Severity = "ok"
	// Note is something to know before the first apply.
	Note Severity = "note"
	// Bad is something that does not work, or that can do harm. The row says how to live with it.
	Bad Severity = "error"
)

// finding is an answer to a question. The two read as one sentence. %s stands for what was observed.
type finding struct {
	severity Severity
	found    string
	// means says what follows for the configuration, and page is where to read on. Both are empty if nothing does.
	means, page string
}

type question struct {
	id, asks string
	findings map[string]finding
}

const (
	pageClears   = "guides/which-service.md#updates-that-clear-what-they-do-not-send"
	pageIDs      = "guides/which-service.md#different-ids-for-the-same-group"
	pageUnseen   = "guides/how-it-talks-to-the-api.md#what-the-provider-cannot-see"
	pageManaged  = "resources/user_group.md#managed-and-unmanaged-arguments"
	pageKey      = "index.md#permissions-of-the-key"
	pageNoTag    = "guides/troubleshooting.md#the-environment-of-the-api-key-is-not-known"
	pagePlanned  = "guides/troubleshooting.md#user-group--was-not-updated-as-planned"
	pageRefresh  = "guides/rotate-without-surprise.md#when-the-state-has-an-old-token"
	pageProxies  = "guides/proxies-and-gateways.md"
	notShown     = "cannot be checked with a lookup"
	meansOneID   = "Two customers must not have IDs that differ only in this way. Write IDs as the service shows them."
	meansRefused = "Do not use such IDs."
)

var allowed = finding{OK, "is allowed", "", ""}

// questions are all that a probe asks, in the order of the table.
var questions = []question{
	{"environment", "The environment of the key", map[string]finding{
		"expected": {OK, "is %s, as expected", "", ""},
		"none": {
			Note, "is not shown, as expected",
			"Do not set the provider's environment argument, which needs a service that shows environments.", pageNoTag,
		},
		"not-shown": {
			Bad, "is not shown",
			"The key may belong to the wrong environment, such as that of your customers, so the probe stopped here. If " +
				"you are sure that it is the right key, run again with -environment none.", pageNoTag,
		},
		"other": {
			Bad, "is %s", "This is not the expected environment, so the probe stopped here. If this is the right key, pass " +
				"its environment with -environment. Otherwise, use another key.", "guides/wrong-environment.md",
		},
	}},
	{"create", "Looking up or creating", map[string]finding{
		"yes": allowed,
		"no": {Bad, "is refused: %s", "The key is wrong, or lacks permission to create groups. Without that " +
			"permission, the provider can neither create a group nor look up a missing one.", pageKey},
	}},
	{"update", "Updating", map[string]finding{
		"yes": allowed,
		"no": {
			Bad, "is refused: %s", "With this key, no apply can update a group. The probe stopped here, because it needs an " +
				"update to learn the key's environment.", pageKey,
		},
	}},
	{"rotate", "Rotating a token", map[string]finding{
		"yes": allowed,
		"no": {
			Note, "is refused: %s",
			"Do not use rotate_token_when_changed, rotate_token_after_days, or the action that rotates a token.", pageKey,
		},
	}},
	{"delete", "Deleting", map[string]finding{
		"yes": allowed,
		"no": {
			Bad, "is refused: %s", "The first lookup of a missing group leaves up to two groups behind, an empty one and a " +
				"test group, and ends the run. If the service refuses only because the ID of a data source is missing, set " +
				"data_source_provided_id, and do not set the provider's environment argument: the check of the environment " +
				"does not send this ID, so it would leave its test group behind.", pageKey,
		},
	}},
	{"lookup", "A lookup by ID", map[string]finding{
		"both": {OK, "shows name and properties", "", ""},
		"name": {
			Note, "shows the name, not the properties",
			"Changes made elsewhere to the properties go unnoticed, and an import finds no properties.", pageUnseen,
		},
		"properties": {
			Note, "shows the properties, not the name",
			"Changes made elsewhere to the name go unnoticed, and an import finds no name.", pageUnseen,
		},
		"nothing": {
			Note, "shows neither name nor properties", "Changes made elsewhere to the name or the properties go unnoticed. An " +
				"import finds neither: write both into the configuration.", pageUnseen,
		},
	}},
	{"lookup-name", "A lookup without a name", map[string]finding{
		"works":   {OK, "works", "", ""},
		"refused": {OK, "is refused, so the provider sends a name", "", ""},
	}},
	{"update-name", "An update without a name", map[string]finding{
		"works":   {OK, "works", "", ""},
		"refused": {Note, "is refused", "Do not list name in ignore_changes.", pageManaged},
	}},
	{"unsent", "What an update does not send", map[string]finding{
		"kept": {OK, "is kept", "", ""},
		"cleared": {
			Bad, "is cleared: %s", "Each update removes what your configuration does not manage, usually without a message. " +
				"Manage every argument: set name, mapping and properties of every group, and list none of them in " +
				"ignore_changes. Then every update sends all three.", pageClears,
		},
		"unknown": {
			Note, notShown, "An update may clear what it does not send. Until you know, manage every argument: set name, " +
				"mapping and properties of every group, and list none of them in ignore_changes.", pageClears,
		},
	}},
	{"properties", "Properties in an update", map[string]finding{
		"replaced": {OK, "replace the old ones", "", ""},
		"merged": {
			Note, "are merged into the old ones",
			"A property that you remove from the configuration stays at the service, and the apply fails. Remove the " +
				"property at the service, too.",
			pagePlanned,
		},
		"unknown": {
			Note, notShown, "A property that you remove from the configuration may stay at the service.", pagePlanned,
		},
	}},
	{"mapping", "The mapping in an update", map[string]finding{
		"unknown": {
			Note, "cannot be seen: no response shows it", "The service probably treats it like properties.", pageUnseen,
		},
	}},
	{"own-properties", "Properties that nobody sent", map[string]finding{
		"none": {OK, "do not appear", "", ""},
		"added": {
			Note, "appear: %s", "If the configuration sets properties, add these to them. Otherwise, later plans show a " +
				"change, and applying it fails.",
			pagePlanned,
		},
		"unknown": {Note, notShown, "", ""},
	}},
	{"numbers", "Numbers in properties", map[string]finding{
		"exact": {OK, "are exact", "", ""},
		"changed": {
			Note, "are changed: %s", "Write numbers with more than 15 digits as strings. Otherwise, later plans show " +
				"a change, and applying it fails.",
			pagePlanned,
		},
		"unknown": {Note, notShown, "", ""},
	}},
	{"name", "Names with spaces and accents", map[string]finding{
		"kept": {OK, "are kept", "", ""},
		"changed": {
			Note, "become %s", "Write names as the service shows them. Otherwise, later plans show a change, and applying " +
				"it fails.", pagePlanned,
		},
		"refused": {Note, "are refused: %s", "The probe sent a name with leading, trailing and double spaces, and a " +
			"decomposed é (an e followed by a combining accent).", ""},
		"unknown": {Note, notShown, "", ""},
	}},
	{"id-case", "IDs that differ in case", map[string]finding{
		"exact":   {OK, "refer to different groups", "", ""},
		"same":    {Note, "refer to the same group", meansOneID, pageIDs},
		"refused": {Note, "are refused: %s", meansRefused, pageIDs},
	}},
	{"id-unicode", "IDs with é in different forms", map[string]finding{
		"exact":   {OK, "refer to different groups", "", ""},
		"same":    {Note, "refer to the same group", meansOneID, pageIDs},
		"refused": {Note, "are refused: %s", meansRefused, pageIDs},
	}},
	{"id-length", "IDs of 255 characters", map[string]finding{
		"exact": {OK, "are kept", "", ""},
		"same": {
			Bad, "are truncated", "Long IDs with the same beginning refer to the same group, with one token: one customer " +
				"would see another customer's dashboards. Keep IDs short.", pageIDs,
		},
		"refused": {Note, "are refused: %s", meansRefused, pageIDs},
	}},
	{"missing-update", "An update of a missing group", map[string]finding{
		"refused": {OK, "is refused: %s", "", ""},
		"creates": {
			Note, "creates the group", "If a group was deleted elsewhere, updating it without a refresh creates another " +
				"group, with another token.", pageRefresh,
		},
	}},
	{"stale-rotation", "A rotation with an old token", map[string]finding{
		"refused":      {OK, "is refused: %s", "", ""},
		"unauthorized": {OK, "is refused as if the key were wrong: %s", "", ""},
		"failed": {
			Note, "fails: %s", "Without a refresh, the provider may mistake a rotation made elsewhere for its own.",
			pageRefresh,
		},
		"accepted": {
			Note, "succeeds", "Without a refresh, the provider does not notice that the token was rotated elsewhere.",
			pageRefresh,
		},
	}},
	{"stale-deletion", "A deletion with an old token", map[string]finding{
		"refused": {OK, "is refused: %s", "", ""},
		"accepted": {
			Note, "succeeds", "Without a refresh, a destroy may delete a group that was recreated elsewhere.", pageRefresh,
		},
		"ignored": {
			Bad, "seems to succeed, but the group remains", "Refresh before each deletion. Otherwise, a group whose token was " +
				"rotated elsewhere disappears from the state but remains at the service.", pageRefresh,
		},
	}},
	{"fields", "Responses", map[string]finding{
		"complete": {OK, "contain the expected fields", "", ""},
		"missing": {
			Note, "lack %s", "The provider cannot check fields that it does not see. Without team_id, it tells groups apart " +
				"by their tokens.", pageUnseen,
		},
		"no-token": {
			Bad, "lack the token", "The provider cannot work without the token, so the probe stopped here.", pageUnseen,
		},
	}},
	{"lag", "Lookups after a change", map[string]finding{
		"none": {OK, "show the change at once", "", ""},
		"lags": {
			Note, "do not show the change for about %s", "A plan immediately after an apply can show old values.", pageUnseen,
		},
	}},
	{"between", "Caching or repetition", map[string]finding{
		"none": {OK, "was not seen", "", ""},
		"cached": {
			Bad, "is likely: a cache seems to respond in place of the service",
			"The probe stopped here. Turn off caching for the service.",
			pageProxies + "#caches",
		},
		"repeated": {
			Bad, "was seen: %s", "Something between this command and the service sends calls twice. Turn this off. " +
				"Otherwise, tokens may be rotated twice.",
			pageProxies + "#repeated-requests",
		},
	}},
	{"connection", "The connection", map[string]finding{
		"direct": {OK, "uses %s", "", ""},
		"passed": {
			Note, "uses %s", "Something forwards calls to the service. It must not cache or repeat these calls.", pageProxies,
		},
	}},
	{"pace", "Calls in quick succession", map[string]finding{
		"none": {OK, "hit no rate limit", "", ""},
		"some": {
			Note, "were refused: %s", "The provider slows down automatically. If several runs share the service's limit, " +
				"set requests_per_second.", pageProxies + "#limits",
		},
	}},
}
