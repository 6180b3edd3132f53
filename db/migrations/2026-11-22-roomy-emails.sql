-- A claim updates all emails of a page in one statement, and so does the record of their outcome: with less room, a third
-- of these updates went to other pages and wrote each index again. Takes no long lock; applies to new pages only.
alter table emails set (fillfactor = 40);
