export interface SweepActivities {
  /** Deletes rows past their retention: keys, windows, notifications, contents. Resolves to deleted rows by table. */
  sweepExpired(): Promise<Record<string, number>>;
  /** Requeues accepted emails, outgoing or received, that have neither a command nor a workflow. */
  repairStrandedEmails(): Promise<{ requeued: number }>;
  endOverdueSnoozes(): Promise<{ ended: number }>;
  foldContactFigures(): Promise<{ folded: number; typed: number }>;
  eraseContacts(): Promise<{ contacts: number; events: number }>;
  tendCampaigns(): Promise<{ folded: number; reminded: number }>;
  /** Recounts recent campaigns. `differences` is the sum of the deviations, 0 unless there is a bug. */
  recountCampaigns(): Promise<{ campaigns: number; differences: number }>;
  judgeSenders(): Promise<{ folded: number; disabled: number }>;
  remindExecutions(): Promise<{ reminded: number }>;
  /** Signals workflows whose execution has ended or is gone, so that they end: one slice, newest first. */
  endOrphanedExecutions(input: OrphanedExecutionsInput): Promise<OrphanedExecutionsResult>;
}

export interface OrphanedExecutionsInput {
  /** Start time where the previous slice stopped, epoch milliseconds; 0 to start from the newest. */
  resumeBefore: number;
}

export interface OrphanedExecutionsResult {
  running: number;
  orphaned: number;
  /** For the next slice; 0 when the oldest was reached. */
  resumeBefore: number;
}

export const sweepWorkflow = 'sweep';
export type SweepName =
  | 'campaigns'
  | 'campaign-recount'
  | 'expired'
  | 'stranded-emails'
  | 'overdue-snoozes'
  | 'contact-figures'
  | 'contact-erasures'
  | 'project-security'
  | 'executions'
  | 'orphaned-executions';
export interface SweepInput {
  sweep: SweepName;
  resumeBefore?: number;
}
