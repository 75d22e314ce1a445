#!/bin/sh
# refresh.sh [DIRECTORY]
# Records in the state what has changed at the service, and changes no group there. It needs jq.
# Exits with 3 if anything had changed. Exits with 1, and records nothing, if more groups are gone than max_deletions.
set -eu
cd "${1:-.}"
trap 'rm -f drift' EXIT # It has sensitive values.

terraform plan -refresh-only -input=false -lock-timeout=5m -out=drift
plan=$(terraform show -json drift)
drifted() { printf '%s' "$plan" | jq -r ".resource_drift[]? | $1"; }

gone=$(drifted 'select(.type == "embed_user_group" and .change.actions == ["delete"]) | .address')
count=$(printf '%s' "$gone" | grep -c . || true)
if [ "$count" -gt "$TF_VAR_max_deletions" ]; then
  echo "$count groups are gone, and at most $TF_VAR_max_deletions may be. The state keeps them:"
  echo "$gone"
  echo "Find out who deleted them. To let the state forget them, raise the limit."
  exit 1
fi

terraform apply -input=false -lock-timeout=5m drift
[ -z "$(drifted .address)" ] || exit 3
