/** Projects with more contacts use stored or cached counts. Counting this many takes some 10 ms. */
export const contactsCountedLive = 50_000;
