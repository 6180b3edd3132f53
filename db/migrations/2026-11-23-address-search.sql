-- For the index of parts of addresses (2026-11-30-address-index).
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
