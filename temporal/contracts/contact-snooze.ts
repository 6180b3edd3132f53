export interface ContactSnoozeInput {
  contactId: string;
}

/**
 * `waiting`: ends in `inMs`. `resubscribed`: ended by this call. `ended`: nothing to do, because the contact opted
 * out, was suppressed, resubscribed or was erased in the meantime.
 */
export type SnoozeOutcome =
  | { outcome: 'waiting'; inMs: number }
  | { outcome: 'resubscribed' }
  | { outcome: 'ended' };

export interface ContactSnoozeActivities {
  endSnooze(input: ContactSnoozeInput): Promise<SnoozeOutcome>;
}

export const contactSnoozeWorkflow = 'contactSnooze';
/** The end may have moved. Carries no data: the database is authoritative. */
export const snoozeMovedSignal = 'snoozeMoved';
