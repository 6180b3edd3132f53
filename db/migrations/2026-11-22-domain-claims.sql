-- Several projects may add a domain; the one that proves it has it.
alter table domains drop constraint domains_domain_unique;
alter table domains add constraint domains_project_domain unique (project_id, domain);
create index domains_domain on domains (domain);
create unique index domains_verified on domains (domain) where status = 'verified';

-- What is verified stays so without the TXT record that is asked for from now on.
alter table domains add column needs_proof boolean not null default true;
alter table domains add column verified_at timestamptz(3);
update domains set needs_proof = false, verified_at = updated_at where status = 'verified';
