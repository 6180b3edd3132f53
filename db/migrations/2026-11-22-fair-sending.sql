-- Whether the hand-over of a claimed email has begun. Null outside of a claim, and in claims that count as begun.
alter table emails add column hand_over_begun boolean;

-- Emails that the send rate keeps waiting, until they are claimed, and when a batch last looked at each. Unlogged: what
-- a crash takes comes back with the next look, and until then they only look again sooner.
create unlogged table waiting_emails (
  project_id uuid not null,
  email_id uuid not null,
  seen_at timestamptz(3) not null default now(),
  primary key (project_id, email_id)
) with (fillfactor = 50);
