-- Colour of the buttons on the pages that recipients see.
alter table projects add brand_color text;
alter table projects add constraint projects_brand_color_check check (brand_color ~ '^#[0-9a-f]{6}$');

-- Snoozes by their end, for the sweep that ends what nothing else has ended.
create index contacts_snooze_end on contacts (snoozed_until) where snoozed_until is not null;

-- The suppressed of a project by reason, newest first; both reasons together are two short ranges of it.
create index contacts_suppressed on contacts (project_id, suppression_reason, suppressed_at, id)
  where suppression_reason is not null;
