-- Several projects may add a domain; only one of them can have it verified.
alter table domains drop constraint domains_domain_unique;
alter table domains add constraint domains_project_domain unique (project_id, domain);
create index domains_domain on domains (domain);
create unique index domains_verified on domains (domain) where status = 'verified';

alter table domains add column needs_proof boolean not null default true;
alter table domains add column verified_at timestamptz(3);
