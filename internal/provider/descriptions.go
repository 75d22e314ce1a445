package provider

// Descriptions that several schemas share.
const (
	describeUserGroupID = "Your own identifier of the group, unique within the environment of the API key. " +
		"At least one character; no invisible characters, and no spaces at the beginning or end."
	describeFingerprint = "The first 12 hexadecimal digits of the token's SHA-256. It is not secret and changes " +
		"exactly when the token does. Use it to trigger restarts, or as a `*_wo_version` argument of another " +
		"resource; `parseint(…, 16)` converts it to the number that most of those require."
	describeTeamID = "The service's own number of the group. A different number under the same ID means that the " +
		"group was deleted and recreated."
)
