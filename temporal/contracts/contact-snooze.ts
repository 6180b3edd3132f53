export interface ContactSnoozeInput {
  contactId: string;
}

/**
 * `waiting`: the end is still `inMs` away. `resubscribed`: it has come, and the contact is subscribed again.
 * `ended`: nothing is left to wait for, because the contact opted out, was suppressed, subscribed again by itself
 * or was erased meanwhile.
 */
export type SnoozeOutcome =
  | { outcome: 'waiting'; inMs: number }
  | { outcome: 'resubscribed' }
  | { outcome: 'ended' };

export interface ContactSnoozeActivities {
  /** Ends the snooze if its time has come, and says what is left to wait for; idempotent. */
  endSnooze(input: ContactSnoozeInput): Promise<SnoozeOutcome>;
}

export const contactSnoozeWorkflow = 'contactSnooze';
/** Says that the end of the snooze may have moved; carries nothing, the database knows it. */
export const snoozeMovedSignal = 'snoozeMoved';
