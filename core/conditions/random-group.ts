/** Each contact is in one of them: 0 to 99. */
export const randomGroups = 100;

/** By the last 16 bits of the contact's id, which are random, so that it is the same at each evaluation. */
export const randomGroup = (contactId: string): number =>
  Number.parseInt(contactId.slice(-4), 16) % randomGroups;
