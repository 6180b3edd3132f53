-- Of the emails that workflows send to an address other than the contact's.
alter table emails add column custom_recipient boolean not null default false;
