# Delete this file after the first apply. It compares what the service shows with the list.

locals {
  # What the service returns for the existing groups.
  before = data.embed_user_groups.all.groups

  renamed = [for id, group in local.before : id if group.name != null && group.name != local.customers[id].name]

  old = { for id, group in local.before : id => jsondecode(coalesce(group.properties, "{}")) }
  new = { for id, old in local.old : id => try(jsondecode(local.customers[id].properties), old) }

  # For each property that the apply removes, and for each that it changes, the IDs of the groups that have it.
  lost = transpose({ for id, old in local.old : id => setsubtract(keys(old), keys(local.new[id])) })
  changed = transpose({
    for id, old in local.old : id => [
      for name, value in local.new[id] : name if can(old[name]) && jsonencode(try(old[name], null)) != jsonencode(value)
    ]
  })
}

check "names" {
  assert {
    condition     = length(local.renamed) == 0
    error_message = "The apply changes the names of these groups, which may belong to someone else: ${join(", ", local.renamed)}"
  }
}

check "properties" {
  assert {
    condition = length(local.lost) + length(local.changed) == 0
    error_message = join("\n", concat(
      [for name, ids in local.lost : "The apply removes the property ${name} from ${join(", ", ids)}"],
      [for name, ids in local.changed : "The apply changes the property ${name} of ${join(", ", ids)}"],
    ))
  }
}
