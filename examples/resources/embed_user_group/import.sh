# The import ID is the user_group_id alone.
terraform import embed_user_group.acme 'acme'
