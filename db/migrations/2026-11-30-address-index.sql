-- An earlier version has built it beside the traffic where the table was large.
create index if not exists contacts_address_part on contacts using gin (project_id, email gin_trgm_ops)
  with (fastupdate = on, gin_pending_list_limit = 32768);
