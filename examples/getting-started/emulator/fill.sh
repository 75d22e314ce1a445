#!/bin/sh
# Makes a list of 400 customers, and gives the first 150 of them a group on the emulator. It needs curl and seq.
set -eu

echo id,name,tier,sales >customers.csv
for i in $(seq -w 400); do
  echo "customer-$i,Customer $i,silver,database-$i" >>customers.csv
done

for i in $(seq -w 150); do
  properties='{"tier":"gold"}'
  [ "$i" -gt 100 ] || properties='{"legacy":true}'
  curl -fsS -o /dev/null -X GET "$EMBED_BASE_URL/api/user" \
    -H "Authorization: Token $CUSTOMER_KEY" -H 'Content-Type: application/json' \
    -d "{\"user_group_id\":\"customer-$i\",\"name\":\"Customer $i\",\"properties\":$properties}"
done
