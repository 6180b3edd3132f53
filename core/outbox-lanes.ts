/** Emails have a lane of the outbox of their own, so that nothing else waits in front of them. */
export const lanes = ['emails', 'work'] as const;
export type Lane = (typeof lanes)[number];
