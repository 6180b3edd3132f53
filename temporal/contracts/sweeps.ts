export interface SweepActivities {
  /** Deletes what has outlived its retention: keys, windows, notifications, contents. Answers rows by table. */
  sweepExpired(): Promise<Record<string, number>>;
  /** Puts dispatch commands back for emails that were accepted but that nothing takes care of. */
  repairStrandedEmails(): Promise<{ requeued: number }>;
}

export const sweepWorkflow = 'sweep';
export type SweepName = 'expired' | 'stranded-emails';
export interface SweepInput {
  sweep: SweepName;
}
