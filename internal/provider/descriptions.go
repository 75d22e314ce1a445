package provider

// What several objects say in the same words.
const (
	describeUserGroupID = "Your own identifier of the group, unique within the environment of the API key. At least one character, without control characters or surrounding spaces."
	describeFingerprint = "The first 12 hexadecimal digits of the token's SHA-256. It is not secret, changes exactly when the token does, and can drive restarts and the `*_wo_version` arguments of other resources; `parseint(…, 16)` turns it into a number, as most of those want."
	describeTeamID      = "The service's own number of the group. Another number under the same id means that the group was deleted and made anew."
)
