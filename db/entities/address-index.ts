/**
 * Finds the contacts of a project by a part of their address. Sorting the parts of an address into it costs several times what
 * inserting the contact does, so Postgres keeps a list of new ones (32 MB, some 55,000 contacts) that a sweep sorts in together;
 * only a write that fills the list does it itself. Searches read the list, too.
 */
export const addressIndex = {
  name: 'contacts_address_part',
  text: 'on contacts using gin (project_id, email gin_trgm_ops) with (fastupdate = on, gin_pending_list_limit = 32768)',
};
