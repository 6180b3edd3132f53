-- Functions and triggers are files of db/functions now, some under new names. These exist where earlier versions of the
-- migrations created them.
drop trigger if exists contacts_inserted on contacts;
drop trigger if exists contacts_updated on contacts;
drop trigger if exists contacts_deleted on contacts;
drop trigger if exists event_names_limit on event_names;
drop trigger if exists contact_fields_limit on contact_fields;
drop function if exists note_contact_figures, bound_project_rows, hear_events, deal_in_turns;
