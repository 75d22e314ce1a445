variable "customers" {
  description = <<-EOT
    The customers, by user_group_id. Never change an ID: a different ID is a different customer, with a different token.

    - name: name of the group. It may change.
    - mapping: data source for each schema ID. If left out, the mapping is not managed. {} empties it.
    - properties: a JSON object as a string, such as jsonencode({ tier = "gold" }). If left out, the properties are not managed.
    - token_triggers: changing one of these values rotates the token of this customer, once.
    - rotate_token_after_days: overrides rotate_token_after_days of the module for this customer.
    - data_source_provided_id: your ID for the data source, for services that require it when a group is deleted.
    - adopt_existing: whether to take over a group that already exists, instead of failing.
    - deletion_protection: overrides deletion_protection of the module for this customer.
  EOT

  type = map(object({
    name                    = string
    mapping                 = optional(map(string))
    properties              = optional(string)
    token_triggers          = optional(map(string), {})
    rotate_token_after_days = optional(number)
    data_source_provided_id = optional(string)
    adopt_existing          = optional(bool)
    deletion_protection     = optional(bool)
  }))
  nullable = false

  validation {
    condition     = alltrue([for id in keys(var.customers) : id != "" && id == trimspace(id) && !can(regex("[[:cntrl:]]", id))])
    error_message = "An ID must not be empty, must not begin or end with a space, and must not contain a control character. Invalid IDs: ${jsonencode([for id in keys(var.customers) : id if !(id != "" && id == trimspace(id) && !can(regex("[[:cntrl:]]", id)))])}."
  }

  validation {
    condition     = alltrue([for customer in var.customers : try(length(trimspace(customer.name)) > 0, false)])
    error_message = "Every customer needs a name. Customers without one: ${join(", ", [for id, customer in var.customers : id if !try(length(trimspace(customer.name)) > 0, false)])}."
  }

  # The message names the customers and not their properties, which may be confidential.
  validation {
    condition     = alltrue([for customer in var.customers : customer.properties == null || can(keys(jsondecode(customer.properties)))])
    error_message = "The properties must be a JSON object as a string: use jsonencode({ ... }). Customers with other properties: ${join(", ", [for id, customer in var.customers : id if !(customer.properties == null || can(keys(jsondecode(customer.properties))))])}."
  }

  validation {
    condition     = alltrue([for customer in var.customers : alltrue([for source in values(coalesce(customer.mapping, {})) : source != null])])
    error_message = "A mapping must not have null as a data source: leave the schema out instead. Customers with null in the mapping: ${join(", ", [for id, customer in var.customers : id if !alltrue([for source in values(coalesce(customer.mapping, {})) : source != null])])}."
  }

  validation {
    condition     = alltrue([for customer in var.customers : customer.data_source_provided_id != ""])
    error_message = "A data_source_provided_id must not be empty: leave it out instead. Customers with an empty one: ${join(", ", [for id, customer in var.customers : id if customer.data_source_provided_id == ""])}."
  }
}

variable "token_triggers" {
  description = "Changing one of these values rotates the token of every customer, once. Adding or removing a value does not rotate any token."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "rotate_token_after_days" {
  description = "Age in days after which the next apply rotates a customer's token. If left out, no token is rotated because of its age."
  type        = number
  default     = null
}

variable "store_tokens" {
  description = "Whether to store the tokens in the state. If false, the output tokens contains nulls; read the tokens with the ephemeral resource embed_user_group_token."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_protection" {
  description = "Whether to refuse a plan that deletes a customer, such as one that was removed from the map by mistake. Apply false before you delete a customer."
  type        = bool
  default     = true
  nullable    = false
}
