variable "customers" {
  description = <<-EOT
    The customers, by user_group_id. Never change an ID: a different ID is a different customer, with a different token.

    - mapping, properties: not managed if left out. {} and jsonencode({}) tell the service to empty them.
    - rotate_token_when_changed: changing one of these values rotates this customer's token. The key incident is 0 unless you set it.
    - rotate_token_after_days, deletion_protection: override the module's.
    - data_source_provided_id: for services that require it when a group is deleted. Overrides the provider's.
    - adopt_existing: takes over a group that already exists, instead of failing.
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

  validation {
    condition     = length(distinct([for id in keys(var.customers) : lower(id)])) == length(var.customers)
    error_message = "Two customers have IDs that differ only in case."
  }
}

variable "rotate_token_when_changed" {
  description = "Changing one of these values rotates every customer's token. The key incident is 0 unless you set it."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "rotate_token_after_days" {
  description = "Age in days after which the next apply rotates a customer's token."
  type        = number
  default     = null
}

variable "store_tokens" {
  description = "Whether to store the tokens in the state. If false, the output tokens contains only nulls."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_protection" {
  description = "Whether to refuse to delete customers. To delete one, first apply false in its entry."
  type        = bool
  default     = true
  nullable    = false
}
