-- Emails that a project may send in a calendar month (UTC); without a row there is no limit.
create table billing_limits (
  project_id uuid not null,
  category text not null,
  emails int not null,
  updated_at timestamptz(3) not null default now(),
  primary key (project_id, category)
);
alter table billing_limits add constraint billing_limits_category_check check (category in ('transactional', 'campaigns', 'workflows'));
alter table billing_limits add constraint billing_limits_emails_check check (emails >= 0);
alter table billing_limits add constraint billing_limits_project_id_foreign
  foreign key (project_id) references projects (id) on delete cascade;

-- Emails of a project by calendar month. Connections count in sixteen lanes, so that they rarely wait for each other; the
-- figure is the sum of the lanes.
create table billing_usage (
  project_id uuid not null,
  month date not null,
  category text not null,
  lane smallint not null,
  emails int not null,
  primary key (project_id, month, category, lane)
) with (fillfactor = 50);

-- Upper bound of a campaign's recipients if the project has a limit: their number when it was sent.
alter table campaigns add column recipient_limit int;
alter table campaigns add column cancel_reason text;

-- A project's customer as last reported by Stripe. Rows of deleted projects stay until their subscriptions have ended.
create table billing_customers (
  project_id uuid not null,
  customer_id text not null,
  checkout_session_id text,
  subscription jsonb,
  version int not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (project_id)
);
alter table billing_customers add constraint billing_customers_customer_id_unique unique (customer_id);

create table stripe_events (
  id text not null,
  type text not null,
  received_at timestamptz(3) not null default now(),
  primary key (id)
);
create index stripe_events_received on stripe_events (received_at);
