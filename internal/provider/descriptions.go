package provider

// What several objects say in the same words.
const (
	describeUserGroupID = "Your own identifier of the group, unique within the environment of the API key. " +
		"At least one character; no invisible characters, and no spaces at the beginning or end."
	describeFingerprint = "The first 12 hexadecimal digits of the token's SHA-256. " +
		"It is not secret and changes exactly when the token does. Use it to trigger restarts, " +
		"or as a `*_wo_version` argument of another resource; `parseint(…, 16)` turns it into the number that most of " +
		"those want."
	describeTeamID = "The service's own number of the group. Another number under the same ID means that the group " +
		"was deleted and recreated."
)
