package probe

// Severity says how much an answer asks of a user.
type Severity string

const (
	// OK asks for nothing.
	OK Severity = "ok"
	// Note is something to know before the first apply.
	Note Severity = "note"
	// Bad is something that does not work, or that can do harm. The row says how to live with it.
	Bad Severity = "ERROR"
)

// answer is a possible answer to a question. The two read as one sentence. %s stands for what was observed.
type answer struct {
	severity Severity
	found    string
	// page is where to read on, and means says what follows for the configuration. Both are empty if nothing does.
	page, means string
}

func ok(found string) answer                { return answer{OK, found, "", ""} }
func note(found, page, means string) answer { return answer{Note, found, page, means} }
func bad(found, page, means string) answer  { return answer{Bad, found, page, means} }

// question is a row of the table.
type question struct {
	id, asks string
	answers  map[string]answer
}

// The pages are guides, with a heading.
const (
	clears      = "Service behavior: Updates that clear what they do not send"
	sameID      = "Service behavior: Different IDs for the same group"
	unseen      = "Service behavior: What the provider cannot see"
	noHelp      = "Service behavior: What the provider cannot help"
	preflight   = "Service behavior: The preflight"
	proof       = "Service behavior: How the key is proved"
	staleToken  = "Tokens: When the state has an old token"
	rotating    = "Tokens: Rotate"
	environment = "Wrong environment: Prevent it"
	messages    = "Troubleshooting: Messages"
	gateways    = "Network: Gateways"
	limits      = "Network: Limits"
	emptyGroup  = "Troubleshooting: Remove an empty group"

	hidden       = "cannot be seen"
	meansOneID   = "Two customers must not have IDs that differ only in this way. Write IDs as the service shows them."
	meansNoID    = "Do not use such IDs."
	meansRefresh = "With -refresh=false, or an old saved plan, a rotation made elsewhere goes unnoticed. Refresh first."
)

// questions are all that a probe asks, in the order of the table.
var questions = []question{
	{"address", "The address", map[string]answer{
		"right": ok("is that of the service"),
		"slash": bad("needs a slash at its end", messages,
			"The service redirects to %s. Set base_url, or EMBED_BASE_URL, to this address. The probe stopped here."),
	}},
	{"environment", "The environment of the key", map[string]answer{
		"expected": ok("is %s, as expected"),
		"none": note("is not shown, as expected", proof,
			"Do not set the provider's environment argument. It needs a service that shows environments."),
		"not-shown": bad("is not shown", environment, "The key may belong to the environment of your customers, so the "+
			"probe stopped here. If it is the right key, run again with -environment none."),
		"other": bad("is %s", environment, "This is not the expected environment, so the probe stopped here. If this is "+
			"the right key, pass its environment with -environment. Otherwise, use another key."),
	}},
	{"create", "Looking up or creating", map[string]answer{
		"yes": ok("is allowed"),
		"no": bad("is refused: %s", messages, "The key is wrong, or it may not create groups. Then the provider can "+
			"neither create a group nor look up a missing one. The probe stopped here."),
	}},
	{"update", "Updating", map[string]answer{
		"yes": ok("is allowed"),
		"no":  bad("is refused: %s", messages, "With this key, no apply can update a group. Rows about updates are missing."),
	}},
	{"rotate", "Rotating a token", map[string]answer{
		"yes": ok("is allowed"),
		"no": note("is refused: %s", rotating,
			"Do not use rotate_token_when_changed, rotate_token_after_days, or the action that rotates a token."),
	}},
	{"delete", "Deleting", map[string]answer{
		"yes": ok("is allowed"),
		"source": bad("demands data_source_provided_id", unseen, "Set data_source_provided_id in the provider block. "+
			"Otherwise, each lookup of a missing group leaves an empty group behind."),
		"no": bad("is refused: %s", gateways, "The first lookup of a missing group leaves an empty group behind, and ends "+
			"the run. The probe stopped here. A gateway may drop the body of DELETE. If the service demands the ID of a "+
			"data source, set EMBED_DATA_SOURCE_PROVIDED_ID, and run again."),
		"ignored": bad("seems to work, but the group remains", gateways,
			"The service does not do what it says, or a gateway drops the body of DELETE. The probe stopped here."),
	}},
	{"deletion", "The response to a deletion", map[string]answer{
		"success": ok("reports success"),
		"bare":    ok("has status %s and does not report success, which the provider accepts"),
	}},
	{"lookup", "A lookup by ID", map[string]answer{
		"name, properties": ok("shows name and properties"),
		"name":             note("shows the name only", unseen, "Changes made elsewhere to the properties go unnoticed."),
		"properties":       note("shows the properties only", unseen, "Changes made elsewhere to the name go unnoticed."),
		"nothing": note("shows neither name nor properties", unseen,
			"Changes made elsewhere to them go unnoticed. An import finds neither."),
	}},
	{"lookup-fields", "A lookup with the ID alone", map[string]answer{
		"works": ok("works"),
		"set":   ok("does not work, but the provider has %s"),
		"demands": bad("is refused: %s", messages, "Write this line into the provider block. Without it, the service "+
			"refuses what the provider asks.\n%s"),
	}},
	{"new", "A lookup that finds a group", map[string]answer{
		"marked": ok("says that the group is not new"),
		"unmarked": note("does not say that the group is not new", preflight, "The provider takes what is left out for "+
			"false once the service has marked a new group in the same run. Where a lookup does not show the known token, "+
			"the run makes a test group for that."),
	}},
	{"overwrites", "A lookup of an existing group", map[string]answer{
		"no": ok("changes nothing"),
		"always": bad("overwrites it", noHelp, "Each plan would overwrite the name of every group, and could wipe its "+
			"mapping and its properties. No message would say so. Do not use the provider with this service."),
		"named": bad("overwrites it if the lookup sends a name", noHelp, "A create with an ID that is taken changes the "+
			"customer's group, although the provider reports an error. Import every group before you create others."),
		"unknown": note("may overwrite it, which "+hidden, noHelp, "No response shows the stored name. Ask whoever runs the "+
			"service whether GET changes a group that exists. If it does, do not use the provider."),
	}},
	{"defaults", "The defaults of a new group", map[string]answer{
		"none": ok("are empty"),
		"some": note("are %s", unseen, "Nobody has sent this. Set name and properties of every group."),
		"later": note("show only later: %s", emptyGroup, "A lookup of a missing ID leaves an empty group, and the error "+
			"names it. Set lookup_fields to the fields that are filled in, and probe again."),
	}},
	{"token", "The token in responses", map[string]answer{
		"same": ok("stays the same until it is rotated"),
		"renewed": note("is another one after each update", staleToken, "After each apply that updates a group, the state "+
			"has its old token until the next refresh. A warning says so."),
		"signed": note("is new in every response", noHelp, "token_fingerprint and token_rotated_at change with every "+
			"refresh. Rotate with rotate_token_when_changed, and refer to its value in place of the fingerprint."),
	}},
	{"fields", "Responses", map[string]answer{
		"complete": ok("contain the expected fields"),
		"missing": note("lack %s", unseen,
			"The provider cannot check fields that it does not see. Without team_id, it tells groups apart by their tokens."),
		"no-token": bad("lack the token", unseen, "The provider cannot work without the token. The probe stopped here."),
	}},
	{"unchanged", "An update that changes nothing", map[string]answer{
		"works": ok("works"),
		"refused": note("is refused: %s", unseen, "The provider then looks the group up, and takes the update for carried "+
			"out if the group shows what was sent. It cannot know that of a mapping."),
	}},
	{"update-name", "An update without a name", map[string]answer{
		"works":   ok("works"),
		"refused": note("is refused: %s", clears, "Set the name of every group, and do not list it in ignore_changes."),
	}},
	{"unsent", "What an update does not send", map[string]answer{
		"kept": ok("is kept"),
		"cleared": bad("is cleared: %s", clears, "Each update removes what your configuration does not manage, usually "+
			"without a message. Set name, mapping and properties of every group, and list none of them in ignore_changes."),
		"unknown": note(hidden, clears, "An update may clear it. Until you know, set name, mapping and properties of every "+
			"group, and list none of them in ignore_changes."),
	}},
	{"properties", "Properties in an update", map[string]answer{
		"replaced": ok("replace the old ones"),
		"merged": note("are merged into the old ones", messages, "A property that you remove from the configuration stays "+
			"at the service, and the apply fails. Remove the property at the service, too."),
		"unknown": note(hidden, unseen, "A property that you remove from the configuration may stay at the service."),
	}},
	{"mapping", "The mapping in an update", map[string]answer{
		"unknown": note(hidden+": no response shows it", unseen, "The service probably treats it like properties."),
	}},
	{"empty", "Empty properties in an update", map[string]answer{
		"emptied": ok("empty them"),
		"ignored": note("are ignored", unseen, "jsonencode({}) leaves the properties as they are, and the apply may fail. "+
			"The service probably treats mapping = {} likewise, which no response shows."),
		"unknown": note(hidden, unseen, "The service may ignore empty properties, and mapping = {}."),
	}},
	{"numbers", "Numbers in properties", map[string]answer{
		"exact":   ok("are exact"),
		"doubles": note("are stored as doubles", messages, "Write whole numbers with more than 15 digits as strings."),
		"rounded": note("lose digits", messages, "Write numbers as strings."),
		"text":    note("come back as text", messages, "With numbers, the apply fails. Write them as strings."),
		"unknown": note(hidden, unseen, "Write whole numbers with more than 15 digits as strings."),
	}},
	{"nested", "{}, [] and null in properties", map[string]answer{
		"kept":    ok("come back as sent"),
		"equal":   ok("come back as %s, which the provider takes for the same"),
		"changed": note("come back as %s", messages, "With these, the apply fails. Leave out what is empty or null."),
		"unknown": note(hidden, unseen, "The service may change them. Leave out what is empty or null."),
	}},
	{"keys", "Keys 0 and 1 in properties", map[string]answer{
		"kept": ok("come back as sent"),
		"lists": note("come back as a list: %s", unseen, "The provider takes the two for the same. If somebody "+
			"changes one into the other elsewhere, that goes unnoticed."),
		"unknown": note(hidden, unseen, "A service in PHP may make lists of objects with such keys."),
	}},
	{"name", "Names with odd characters", map[string]answer{
		"kept": ok("are kept"),
		"changed": note("are changed: %s", messages, "A warning shows both, and says whether to write the name as the "+
			"service shows it."),
		"refused": note("are refused: %s", messages,
			"The name had an ampersand, accents in two Unicode forms, a line break, and spaces at both ends."),
		"unknown": note(hidden, unseen, "The service may store another name than the configuration has."),
	}},
	{"name-length", "Long names", map[string]answer{
		"kept":    ok("are kept up to 255 characters"),
		"cut":     note("are cut%s", messages, "Keep names shorter. Otherwise, a warning shows both."),
		"refused": note("are refused at %s", messages, "Keep names shorter. A validation block can say so before the apply."),
		"unknown": note("are accepted, but "+hidden, unseen, "The service may cut names of up to 255 characters."),
	}},
	{"names-unique", "A name that another group has", map[string]answer{
		"allowed": ok("is allowed"),
		"refused": note("is refused: %s", messages, "Give every customer another name."),
	}},
	{"ids", "IDs", map[string]answer{
		"changed": bad("are changed: the one of the probe becomes %s", messages, "The provider refuses a group that the "+
			"service shows under another ID. Use IDs that it does not change, of letters and digits for example."),
	}},
	{"id-case", "IDs that differ in case", map[string]answer{
		"exact":   ok("refer to different groups"),
		"same":    note("refer to the same group", sameID, meansOneID),
		"refused": note("are refused: %s", sameID, meansNoID),
	}},
	{"id-unicode", "IDs with é in different forms", map[string]answer{
		"exact":   ok("refer to different groups"),
		"same":    note("refer to the same group", sameID, meansOneID),
		"refused": note("are refused: %s", sameID, meansNoID),
	}},
	{"id-length", "Long IDs", map[string]answer{
		"kept": ok("are kept up to 255 characters"),
		"cut": bad("are cut%s", sameID, "Long IDs with the same beginning refer to the same group, with one token. One "+
			"customer would see another customer's dashboards. Keep IDs short."),
		"refused": note("are refused at %s", sameID, "Keep IDs shorter. A validation block can say so before the apply."),
	}},
	{"busy", "A deletion", map[string]answer{
		"no": ok("was not refused as busy"),
		"busy": note("was refused as busy at first: %s", messages, "The provider repeats it for groups that it has created "+
			"itself, and within max_retries for yours."),
	}},
	{"gone", "A deleted group", map[string]answer{
		"once": ok("is gone at once"),
		"later": note("is gone some seconds later", noHelp, "A group that is created again at once, as with -replace, may "+
			"be the old one, which then disappears. Wait between the destroy and the create."),
	}},
	{"deleted-id", "The ID of a deleted group", map[string]answer{
		"free": ok("can be used again, for a new group"),
		"reserved": bad("is refused: %s", noHelp, "A deleted ID cannot be used again. A lookup of a missing ID creates and "+
			"deletes a group, so it uses up the ID. Create a group before anything looks it up."),
		"revived": bad("brings back the old %s", noHelp, "A create after a destroy finds what was deleted. An old token may "+
			"work again, so rotate it after such a create, or use another ID."),
	}},
	{"team-id", "The team_id of a deleted group", map[string]answer{
		"new":   ok("is not used again at once"),
		"again": note("is used again", unseen, "Another group can have it. Do not store it to identify a group."),
	}},
	{"missing-update", "An update of a missing group", map[string]answer{
		"refused": ok("is refused: %s"),
		"creates": note("creates the group", staleToken,
			"If a group was deleted elsewhere, an update without a refresh creates another one, with another token."),
	}},
	{"rotation", "The response to a rotation", map[string]answer{
		"new": ok("has the new token"),
		"old": note("has the old token", staleToken, "The provider looks until another token shows. Each rotation takes one "+
			"call more."),
		"later": note("has the old token, which is replaced some seconds later", staleToken,
			"The provider looks until another token shows. If max_retries ends that, the next refresh shows the new token."),
		"none": bad("has the old token, and the token stays", staleToken,
			"Do not rotate with this service. The probe stopped here."),
	}},
	{"stale-rotation", "A rotation with an old token", map[string]answer{
		"refused":      ok("is refused: %s"),
		"unauthorized": ok("is refused as if the key were wrong: %s"),
		"fails":        note("fails: %s", staleToken, meansRefresh),
		"accepted":     note("succeeds", staleToken, "An old token can rotate the current one away. "+meansRefresh),
		"hollow":       note("seems to succeed, but names no group", staleToken, "The provider then looks the group up."),
		"believed": bad("seems to succeed, but the token stays", staleToken, "The response names the group, so the provider "+
			"believes it. The state then has a token that belongs to nobody. "+meansRefresh),
	}},
	{"stale-deletion", "A deletion with an old token", map[string]answer{
		"refused":  ok("is refused: %s"),
		"accepted": note("succeeds", noHelp, "Without a refresh, a destroy may delete a group that was recreated elsewhere."),
		"ignored": bad("seems to succeed, but the group remains", staleToken, "Refresh before each deletion. Otherwise, a "+
			"group whose token was rotated elsewhere disappears from the state and remains at the service."),
	}},
	{"lag", "A lookup after a rotation", map[string]answer{
		"none": ok("shows the new token at once"),
		"lags": note("shows the old token for a while", staleToken, "A plan immediately after an apply can show old values."),
	}},
	{"between", "Caching or repetition", map[string]answer{
		"none": ok("was not seen"),
		"cached": bad("is likely: a cache seems to respond in place of the service", gateways,
			"The probe stopped here. Turn off caching for the service."),
		"repeated": bad("was seen: %s", gateways,
			"Something sends calls to the service twice. Turn this off. Otherwise, tokens may be rotated twice."),
	}},
	{"connection", "The connection", map[string]answer{
		"direct": ok("uses %s"),
		"passed": note("uses %s", gateways, "Something forwards calls to the service. It must not cache or repeat them."),
	}},
	{"pace", "Calls in quick succession", map[string]answer{
		"none": ok("hit no rate limit"),
		"some": note("were refused: %s", limits,
			"The provider slows down by itself. If several runs share the limit, set requests_per_second."),
	}},
}
