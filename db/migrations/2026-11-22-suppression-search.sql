-- Suppressed addresses by their start.
create index contacts_suppressed_email on contacts (project_id, suppression_reason, email collate "C")
  where suppression_reason is not null;
