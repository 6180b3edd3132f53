-- Links that were promised by an answer, until they are queued: killing the process loses none.
create table link_requests (
  id uuid not null,
  email text not null,
  purpose text not null,
  language text not null,
  next_attempt_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (id),
  constraint link_requests_purpose_check check (purpose in ('verify-email', 'reset-password'))
);
create index link_requests_due on link_requests (next_attempt_at, id);
create index link_requests_address on link_requests (email, purpose, id);
