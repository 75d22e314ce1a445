#!/bin/sh
# apply.sh [DIRECTORY]
# Plans the configuration in the directory, by default this one. If the plan has changes and keeps to the limits, applies
# it, unless PLAN_ONLY is set. A limit that is not set is 0. It needs jq.
set -eu
cd "${1:-.}"
trap 'rm -f tfplan' EXIT # It has sensitive values.

# 0 means no changes, and 2 changes. Everything else is a failure, such as 137 for a lack of memory.
code=0
terraform plan -input=false -lock-timeout=5m -out=tfplan -detailed-exitcode || code=$?
case "$code" in
0) exit 0 ;;
2) ;;
*) exit "$code" ;;
esac

plan=$(terraform show -json tfplan)
count() {
  printf '%s' "$plan" |
    jq "[.resource_changes[]? | select(.type == \"embed_user_group\") | .change | select($1)] | length"
}
creations=$(count '.actions | index("create")')
deletions=$(count '.actions | index("delete")')
rotations=$(count '.actions == ["update"] and .after_unknown.token_fingerprint')
echo "Creations: $creations of at most ${MAX_CREATIONS:=0}. Rotations: $rotations of at most ${MAX_ROTATIONS:=0}." \
  "Deletions: $deletions of at most ${TF_VAR_max_deletions:=0}."
if [ "$creations" -gt "$MAX_CREATIONS" ] || [ "$rotations" -gt "$MAX_ROTATIONS" ] ||
  [ "$deletions" -gt "$TF_VAR_max_deletions" ]; then
  echo "Nothing was applied. To do this on purpose, raise the limit."
  exit 1
fi
[ -z "${PLAN_ONLY:-}" ] || exit 0

terraform apply -input=false -lock-timeout=5m tfplan
