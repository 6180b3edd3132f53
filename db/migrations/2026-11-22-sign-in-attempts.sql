-- Passwords tried for an account, over all processes: by strangers together, and by each known device and address.
create table sign_in_attempts (
  subject bytea not null,
  attempts int not null,
  ends_at timestamptz(3) not null,
  primary key (subject)
);
create index sign_in_attempts_end on sign_in_attempts (ends_at);

-- Devices and addresses that signed in to an account.
create table sign_in_sources (
  user_id uuid not null,
  source bytea not null,
  seen_at timestamptz(3) not null default now(),
  primary key (user_id, source)
);
create index sign_in_sources_seen on sign_in_sources (seen_at);
alter table sign_in_sources add constraint sign_in_sources_user_id_foreign
  foreign key (user_id) references users (id) on delete cascade;
