/**
 * Finds contacts of a project by part of their address. Indexing an address costs several times what inserting the
 * contact does, so Postgres keeps new ones in a pending list (32 MB, some 55,000 contacts), which searches read too. A
 * sweep merges it; a write does so only when it fills the list.
 */
export const addressIndex = {
  name: 'contacts_address_part',
  text: 'on contacts using gin (project_id, email gin_trgm_ops) with (fastupdate = on, gin_pending_list_limit = 32768)',
};
