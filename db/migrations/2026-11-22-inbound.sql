-- Emails that came in: a row per project that holds a domain which they were addressed to. Of their own, so that
-- nothing that counts or judges what was sent sees them.
create table inbound_emails (
  id uuid not null,
  project_id uuid not null,
  -- The provider's id: an email comes once to each project, however often the provider tells of it.
  provider_id text not null,
  -- PENDING: accepted, not read yet. KEPT. REJECTED: a virus or spam, without content. UNREADABLE: without content.
  status text not null default 'PENDING',
  recipients text[] not null,
  verdicts jsonb not null,
  -- Of the envelope, and the headers as the provider told them; gone once the email is read.
  source text,
  headers jsonb,
  -- Where the email is until it is read: here, or in a bucket.
  raw bytea,
  bucket text,
  object_key text,
  contact_id uuid,
  -- The email of ours that it answers.
  email_id uuid,
  from_email text,
  from_name text,
  subject text,
  message_id text,
  in_reply_to text,
  automatic text,
  has_content boolean not null default false,
  text text,
  html text,
  attachments jsonb not null default '[]',
  received_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
alter table inbound_emails add constraint inbound_emails_status_check
  check (status in ('PENDING', 'KEPT', 'REJECTED', 'UNREADABLE'));
create unique index inbound_emails_provider on inbound_emails (project_id, provider_id);
create index inbound_emails_contact on inbound_emails (contact_id, received_at) where contact_id is not null;
create index inbound_emails_content on inbound_emails (created_at) where has_content;
create index inbound_emails_pending on inbound_emails (created_at) where status = 'PENDING';

alter table billing_limits drop constraint billing_limits_category_check;
alter table billing_limits add constraint billing_limits_category_check check (category in ('transactional', 'campaigns', 'workflows', 'inbound'));
