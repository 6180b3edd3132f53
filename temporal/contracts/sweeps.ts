export interface SweepActivities {
  /** Deletes what has outlived its retention: keys, windows, notifications, contents. Answers rows by table. */
  sweepExpired(): Promise<Record<string, number>>;
  /** Puts dispatch commands back for emails that were accepted but that nothing takes care of. */
  repairStrandedEmails(): Promise<{ requeued: number }>;
  /** Ends the snoozes that are over although nothing has ended them. */
  endOverdueSnoozes(): Promise<{ ended: number }>;
  /**
   * Folds the changes of the audiences' figures, and gives keys of contacts a type that have none. Answers how
   * many of each.
   */
  foldContactFigures(): Promise<{ folded: number; typed: number }>;
}

export const sweepWorkflow = 'sweep';
export type SweepName = 'expired' | 'stranded-emails' | 'overdue-snoozes' | 'contact-figures';
export interface SweepInput {
  sweep: SweepName;
}
