package probe

// Part is the part of a report in which an answer stands. It says what the answer asks of a user.
type Part string

const (
	// Unusable is for what does not work, or does harm.
	Unusable Part = "Cannot be used like this"
	// Line is for what works with a line of configuration.
	Line Part = "Write this line"
	// Manage is for what goes wrong with an argument that the configuration leaves out.
	Manage Part = "Manage everything"
	// Expect is for what to know before the first apply.
	Expect Part = "Expect this"
	// OK asks for nothing.
	OK Part = "Nothing to do"
)

// parts are all parts, in the order of the report.
var parts = []Part{Unusable, Line, Manage, Expect, OK}

// answer is a possible answer to a question. The two read as one sentence. %s stands for what was observed.
type answer struct {
	part  Part
	found string
	// page is where to read on, and means says what a user does about it, or cannot do. Both are empty if it is OK.
	page, means string
}

func ok(found string) answer                    { return answer{OK, found, "", ""} }
func unusable(found, page, means string) answer { return answer{Unusable, found, page, means} }
func line(found, page, means string) answer     { return answer{Line, found, page, means} }
func manage(found, means string) answer         { return answer{Manage, found, clears, means} }
func expect(found, page, means string) answer   { return answer{Expect, found, page, means} }

// question is a fact about the service.
type question struct {
	id, asks string
	answers  map[string]answer
}

// The pages are guides, with a heading.
const (
	clears      = "Service behavior: Updates that clear what they do not send"
	sameID      = "Service behavior: Different IDs for the same group"
	unseen      = "Service behavior: What the provider cannot see or help"
	proof       = "Service behavior: How the key is proved"
	staleToken  = "Tokens: When the state has an old token"
	rotating    = "Tokens: Rotate"
	environment = "Wrong environment: Prevent it"
	messages    = "Troubleshooting: Messages"
	gateways    = "Network: Gateways"
	limits      = "Network: Limits"
	emptyGroup  = "Troubleshooting: Remove an empty group"

	alsoMapping  = "The service probably merges a mapping likewise, which no response shows."
	everything   = "Set name, mapping and properties of every group, and list none of them in ignore_changes."
	waitToCreate = "A create at once, as with -replace, may find the old group, which then disappears. Wait between the " +
		"destroy and the create."
	meansRefresh = "With -refresh=false, or an old saved plan, a rotation made elsewhere goes unnoticed. Refresh first."
)

// questions are all that a probe asks, in the order of the report. Each one has an answer that changes what a user
// does: a line of configuration, a page to read, or something that cannot be used.
var questions = []question{
	{"environment", "The environment of the key", map[string]answer{
		"expected": ok("is %s, as expected"),
		"none": expect("is not shown, as expected", proof,
			"Do not set the provider's environment argument. It needs a service that shows environments."),
		"not-shown": unusable("is not shown", environment, "The key may belong to the environment of your customers, so "+
			"the probe stopped here. If it is the right key, run again with -environment none."),
		"other": unusable("is %s", environment, "This is not the expected environment, so the probe stopped here. If this "+
			"is the right key, pass its environment with -environment. Otherwise, use another key."),
	}},
	{"create", "Looking up or creating", map[string]answer{
		"yes": ok("is allowed"),
		"no": unusable("is refused: %s", messages, "The key is wrong, or it may not create groups. Then the provider can "+
			"neither create a group nor look up a missing one. The probe stopped here."),
		"no-token": unusable("works, but shows no token", unseen,
			"The provider cannot work without the token. The probe stopped here."),
		"slash": line("is redirected to an address with a slash at its end", messages, "Write this address into the "+
			"provider block, or into EMBED_BASE_URL, and run again. The probe stopped here.\nbase_url = \"%s\""),
	}},
	{"lookup-fields", "A lookup with the ID alone", map[string]answer{
		"works": ok("works"),
		"set":   ok("does not work, but the provider has %s"),
		"demands": line("is refused: %s", messages, "Write this line into the provider block. Without it, the service "+
			"refuses what the provider asks.\n%s"),
	}},
	{"update", "Updating", map[string]answer{
		"yes":     ok("is allowed"),
		"demands": manage("is refused unless it sends %s", everything),
		"no": unusable("is refused, also with name, an empty mapping and properties: %s", messages, "Answers about updates "+
			"are missing. If the service demands another mapping, set name, mapping and properties of every group. "+
			"Otherwise, no apply can update a group with this key."),
	}},
	{"rotate", "Rotating a token", map[string]answer{
		"yes": ok("works"),
		"no": expect("is refused: %s", rotating,
			"Do not use rotate_token_when_changed, rotate_token_after_days, or the action that rotates a token."),
		"later": expect("takes effect some seconds later", staleToken, "The provider looks until another token shows. If "+
			"max_retries ends that, the next refresh shows the new token."),
		"none": unusable("seems to work, but the token stays", staleToken,
			"Do not rotate with this service. The probe stopped here."),
	}},
	{"delete", "Deleting", map[string]answer{
		"yes": ok("works"),
		"source": line("demands data_source_provided_id", messages, "Write this line into the provider block. Otherwise, "+
			"each lookup of a missing group leaves an empty group behind.\n"+
			`data_source_provided_id = "the ID of your data source"`),
		"no": unusable("is refused: %s", gateways, "The first lookup of a missing group leaves an empty group behind, and "+
			"ends the run. The probe stopped here. A gateway may drop the body of DELETE. If the service demands the ID of "+
			"a data source, set EMBED_DATA_SOURCE_PROVIDED_ID, and run again."),
		"ignored": unusable("seems to work, but the group remains", gateways,
			"The service does not do what it says, or a gateway drops the body of DELETE. The probe stopped here."),
	}},
	{"lookup", "What the service stores", map[string]answer{
		"name, properties": ok("is shown by lookups, but for the mapping"),
		"name": manage("is not shown by lookups, except for the name", "Changes made elsewhere to the properties go "+
			"unnoticed, and so does an update that clears what it does not send. "+everything),
		"properties": expect("is not shown by lookups, except for properties", unseen,
			"Changes made elsewhere to the name go unnoticed.%s"),
		"nothing": manage("is not shown by lookups", "Responses repeat what a call sends, if at all. Changes made "+
			"elsewhere go unnoticed, and so does an update that clears what it does not send. An import finds neither name "+
			"nor properties. "+everything+"%s"),
	}},
	{"overwrites", "A lookup of an existing group", map[string]answer{
		"no": ok("changes nothing"),
		"always": unusable("overwrites it", unseen, "Each plan would overwrite the name of every group, and could wipe its "+
			"mapping and its properties. No message would say so. Do not use the provider with this service."),
		"named": expect("overwrites it if the lookup sends a name", unseen, "A create with an ID that is taken changes the "+
			"customer's group, although the provider reports an error. Import every group before you create others."),
	}},
	{"defaults", "The defaults of a new group", map[string]answer{
		"none": ok("have no properties"),
		"some": manage("are %s", "Nobody has sent this. Set properties of every group."),
		"later": line("show only later: %s", emptyGroup, "Write this line into the provider block, and run again. "+
			"Otherwise, a lookup of a missing ID leaves an empty group, and the error names it.\n%s"),
	}},
	{"token", "The token in responses", map[string]answer{
		"same": ok("stays the same until it is rotated"),
		"renewed": expect("is another one after each update", staleToken, "After each apply that updates a group, the state "+
			"has its old token until the next refresh. A warning says so."),
		"masked": unusable("is masked in lookups", unseen, "The provider can neither import a group nor keep its token. The "+
			"probe stopped here."),
		"signed": expect("is new in every response", unseen, "token_fingerprint and token_rotated_at change with every "+
			"refresh. Rotate with rotate_token_when_changed, and refer to its value in place of the fingerprint."),
	}},
	{"unsent", "What an update does not send", map[string]answer{
		"kept": ok("is kept"),
		"cleared": manage("is cleared: %s", "Each update removes what your configuration does not manage, usually "+
			"without a message. "+everything),
	}},
	{"properties", "Properties in an update", map[string]answer{
		"replaced": ok("replace the old ones"),
		"removes": expect("are merged into the old ones", unseen, "A property that you remove from the configuration "+
			"stays at the service. Give it the value null for one apply, as in jsonencode({ key = null }), and then remove "+
			"it. "+alsoMapping),
		"merged": expect("are merged into the old ones", unseen, "A property that you remove from the configuration stays "+
			"at the service. Remove it at the service, too. "+alsoMapping),
	}},
	{"empty", "Empty properties in an update", map[string]answer{
		"emptied": ok("empty them"),
		"refused": expect("are refused: %s", unseen, "jsonencode({}) cannot be sent. Give every group a property."),
		"ignored": expect("are ignored", unseen, "jsonencode({}) leaves the properties as they are. The service probably "+
			"treats mapping = {} likewise, which no response shows."),
	}},
	{"texts", "Texts with &, < and accents", map[string]answer{
		"kept": ok("are kept"),
		"escaped": expect("come back with HTML entities", unseen,
			"The provider takes both for the same. Write texts as they are, and never write an entity."),
		"changed": expect("are changed, for example to %s", unseen,
			"Write texts as the service shows them. Otherwise, a warning shows both."),
		"refused": expect("are refused: %s", unseen,
			"The name and a property had an ampersand, a tag, quotes, and a letter with an accent. Leave them out."),
	}},
	{"ids", "IDs", map[string]answer{
		"exact": ok("that differ in case refer to different groups"),
		"same": expect("that differ in case refer to the same group", sameID,
			"Two customers must not have IDs that differ only in case. Write IDs as the service shows them."),
		"refused": expect("that differ in case are refused: %s", sameID, "Do not use such IDs."),
		"spelled": unusable("in lower case are shown as %s", sameID, "The provider takes an ID in another case for that of "+
			"another group. Write IDs as the service shows them."),
		"changed": unusable("are changed: the one of the probe becomes %s", messages, "The provider refuses a group that "+
			"the service shows under another ID. Use IDs that it does not change, of letters and digits for example."),
	}},
	{"gone", "A deleted group", map[string]answer{
		"once":    ok("cannot be updated any more"),
		"later":   expect("is gone some seconds later", unseen, waitToCreate),
		"lookups": expect("is still found by a lookup some seconds later", unseen, waitToCreate),
	}},
	{"deleted-id", "The ID of a deleted group", map[string]answer{
		"free": ok("can be used again, for a new group"),
		"same-number": expect("leads to a group with the old team_id", unseen, "If a group was deleted and created again "+
			"elsewhere, the provider takes it for the old one with another token. Let only Terraform create it again."),
		"reserved": expect("is refused: %s", unseen, "A deleted ID cannot be used again. A lookup of a missing ID creates "+
			"and deletes a group, so it uses up the ID. Create a group before anything looks it up."),
		"revived": expect("brings back the old %s", unseen, "A create after a destroy finds what was deleted. An old token "+
			"may work again, so rotate it after such a create, or use another ID."),
	}},
	{"missing-update", "Updating a missing group", map[string]answer{
		"refused": ok("is refused: %s"),
		"creates": expect("creates it", staleToken,
			"If a group was deleted elsewhere, an update without a refresh creates another one, with another token."),
	}},
	{"stale-rotation", "Rotating with an old token", map[string]answer{
		"refused":  ok("is refused: %s"),
		"hollow":   ok("seems to succeed, but names no group"),
		"fails":    expect("fails: %s", staleToken, meansRefresh),
		"accepted": expect("succeeds with %s", staleToken, "An old token can rotate the current one away. "+meansRefresh),
		"believed": unusable("seems to succeed, but the token stays", staleToken, "Do not use -refresh=false or an old "+
			"saved plan. The response names the group, so the provider believes it. The state then has a token that belongs "+
			"to nobody."),
	}},
	{"stale-deletion", "Deleting with an old token", map[string]answer{
		"refused": ok("is refused: %s"),
		"accepted": expect("succeeds", unseen,
			"Without a refresh, a destroy may delete a group that was recreated elsewhere. Refresh first."),
		"ignored": unusable("seems to succeed, but the group remains", staleToken, "Do not use -refresh=false. Otherwise, a "+
			"group whose token was rotated elsewhere disappears from the state and remains at the service."),
	}},
	{"lag", "A lookup after a change", map[string]answer{
		"none": ok("shows the new values, unless it lags by more than 3 seconds"),
		"lags": expect("shows the old values for a while", staleToken,
			"A plan immediately after an apply can show old values. Wait some seconds."),
	}},
	{"between", "Caching or repetition", map[string]answer{
		"none": ok("was not seen"),
		"cached": unusable("is likely: a cache seems to respond in place of the service", gateways,
			"The probe stopped here. Turn off caching for the service."),
		"repeated": unusable("was seen: %s", gateways,
			"Something sends calls to the service twice. Turn this off. Otherwise, tokens may be rotated twice."),
	}},
	{"pace", "Calls one after the other", map[string]answer{
		"none": ok("were not refused"),
		"some": expect("were refused: %s", limits,
			"The provider slows down by itself. If several runs share the limit, set requests_per_second."),
		"in-front": line("are refused by something in front of the service, such as a firewall", limits, "The provider "+
			"cannot tell such a refusal from one by the service, so it does not slow down by itself. Write this line into "+
			"the provider block. To probe again, set EMBED_REQUESTS_PER_SECOND likewise. If calls are still refused, lower "+
			"the number.\n%s"),
	}},
}
