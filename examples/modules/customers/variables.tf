variable "customers" {
  description = <<-EOT
    The customers, keyed by user_group_id. Never change an ID: a different ID is a different customer, with a different token.

    - name: name of the group. You can change it at any time.
    - mapping: for each schema ID, the data source at the dashboard service. If left out, the mapping is not managed. {} tells the service to empty the mapping.
    - properties: a JSON object as a string, such as jsonencode({ tier = "gold" }). If left out, the properties are not managed.
    - rotate_token_when_changed: changing one of these values rotates this customer's token. Adding or removing a key does not, except for the key incident, which is 0 unless you set it.
    - rotate_token_after_days: overrides the module's rotate_token_after_days for this customer.
    - data_source_provided_id: your ID for the data source, for services that require it when a group is deleted.
    - adopt_existing: whether to take over a group that already exists, instead of failing.
    - deletion_protection: overrides the module's deletion_protection for this customer.
  EOT

  type = map(object({
    name                      = string
    mapping                   = optional(map(string))
    properties                = optional(string)
    rotate_token_when_changed = optional(map(string), {})
    rotate_token_after_days   = optional(number)
    data_source_provided_id   = optional(string)
    adopt_existing            = optional(bool)
    deletion_protection       = optional(bool)
  }))
  nullable = false
}

variable "rotate_token_when_changed" {
  description = "Changing one of these values rotates every customer's token. Adding or removing a key does not, except for the key incident, which is 0 unless you set it."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "rotate_token_after_days" {
  description = "Age in days after which the next apply rotates a customer's token. If null, only customers with their own rotate_token_after_days have their tokens rotated by age."
  type        = number
  default     = null
}

variable "store_tokens" {
  description = "Whether to store the tokens in the state. If false, every value in the output named tokens is null. In that case, read the tokens with the ephemeral resource embed_user_group_token."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_protection" {
  description = "Whether to refuse to delete customers. To delete a customer, first set deletion_protection = false in the customer's entry and apply."
  type        = bool
  default     = true
  nullable    = false
}
