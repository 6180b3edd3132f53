-- For the index of parts of addresses (db/address-index.ts), which large tables get beside the traffic.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
