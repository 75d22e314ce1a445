variable "customers" {
  description = <<-EOT
    The customers, by user_group_id. An id never changes: another id is another customer, with another token.

      name                     what the group is called; free to change
      mapping                  schema id to data source; left out, it is not managed, and {} empties it
      properties               a JSON object as text, such as jsonencode({ tier = "gold" }); left out, it is not managed
      token_triggers           another value of one of these rotates this customer's token, once
      data_source_provided_id  your id of the data source, for services that ask for it when the group is deleted
      adopt_existing           take over a group that exists already, instead of stopping
      deletion_protection      overrides the module's deletion_protection for this customer
  EOT

  type = map(object({
    name                    = string
    mapping                 = optional(map(string))
    properties              = optional(string)
    token_triggers          = optional(map(string), {})
    data_source_provided_id = optional(string)
    adopt_existing          = optional(bool)
    deletion_protection     = optional(bool)
  }))
  nullable = false

  validation {
    condition     = alltrue([for id in keys(var.customers) : id != "" && id == trimspace(id) && !can(regex("[[:cntrl:]]", id))])
    error_message = "An id must not be empty, must not begin or end with a space and must not contain a control character. Wrong are: ${jsonencode([for id in keys(var.customers) : id if !(id != "" && id == trimspace(id) && !can(regex("[[:cntrl:]]", id)))])}."
  }

  validation {
    condition     = alltrue([for customer in var.customers : try(length(trimspace(customer.name)) > 0, false)])
    error_message = "Every customer needs a name. Without one are: ${join(", ", [for id, customer in var.customers : id if !try(length(trimspace(customer.name)) > 0, false)])}."
  }

  # The message names the customers and not their properties, which may be nobody else's business.
  validation {
    condition     = alltrue([for customer in var.customers : customer.properties == null || can(keys(jsondecode(customer.properties)))])
    error_message = "The properties must be a JSON object as text; write jsonencode({ ... }). They are not for: ${join(", ", [for id, customer in var.customers : id if !(customer.properties == null || can(keys(jsondecode(customer.properties))))])}."
  }

  validation {
    condition     = alltrue([for customer in var.customers : alltrue([for source in values(coalesce(customer.mapping, {})) : source != null])])
    error_message = "A mapping must name a data source for every schema; leave the schema out instead. Null is in the mapping of: ${join(", ", [for id, customer in var.customers : id if !alltrue([for source in values(coalesce(customer.mapping, {})) : source != null])])}."
  }

  validation {
    condition     = alltrue([for customer in var.customers : customer.data_source_provided_id != ""])
    error_message = "A data_source_provided_id must not be empty; leave it out instead. It is empty for: ${join(", ", [for id, customer in var.customers : id if customer.data_source_provided_id == ""])}."
  }
}

variable "token_triggers" {
  description = "Another value of one of these rotates the token of every customer, once. Adding or dropping one rotates nothing."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "store_tokens" {
  description = "With false no token gets into the state, and the output tokens has nulls. Read them with the ephemeral resource embed_user_group_token."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_protection" {
  description = "With true a plan fails that would delete a customer, for example one that was dropped from the map by mistake. Apply false before you delete."
  type        = bool
  default     = true
  nullable    = false
}
