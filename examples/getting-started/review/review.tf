locals {
  # What the service returns for the existing groups.
  before = data.embed_user_groups.all.groups

  renamed = [for id, group in local.before : id if group.name != null && group.name != local.customers[id].name]

  # For each property that the plan removes, the IDs of the groups that have it.
  lost = transpose({
    for id, group in local.before : id => setsubtract(
      keys(jsondecode(coalesce(group.properties, "{}"))),
      keys(jsondecode(local.customers[id].properties)),
    )
  })
}

check "names" {
  assert {
    condition     = length(local.renamed) == 0
    error_message = "These groups have names other than those in the list, and may belong to someone else: ${join(", ", local.renamed)}"
  }
}

check "properties" {
  assert {
    condition     = length(local.lost) == 0
    error_message = join("\n", [for name, ids in local.lost : "The plan removes the property ${name} from ${join(", ", ids)}"])
  }
}
