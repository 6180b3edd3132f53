-- Counts of an event within a window, for the contacts whose events straddle the start of it. All other questions
-- about events are answered by contact_event_stats.
create index events_history on events (contact_id, name, occurred_at) where contact_id is not null and kind <> 'activity';
