/** Emails have their own lane of the outbox, so that they never wait behind other commands. */
export const lanes = ['emails', 'work'] as const;
export type Lane = (typeof lanes)[number];
