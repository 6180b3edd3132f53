/** Contacts of a project up to which each call counts anew: some ten milliseconds. */
export const contactsCountedLive = 50_000;
