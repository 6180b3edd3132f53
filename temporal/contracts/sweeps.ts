export interface SweepActivities {
  /** Deletes what has outlived its retention: keys, windows, notifications, contents. Answers rows by table. */
  sweepExpired(): Promise<Record<string, number>>;
  /** Puts commands back for emails that were accepted, to send or to read, but that nothing takes care of. */
  repairStrandedEmails(): Promise<{ requeued: number }>;
  /** Ends the snoozes that are over although nothing has ended them. */
  endOverdueSnoozes(): Promise<{ ended: number }>;
  /**
   * Folds the changes of the audiences' figures, and gives keys of contacts a type that have none. Answers how
   * many of each.
   */
  foldContactFigures(): Promise<{ folded: number; typed: number }>;
  /** Erases what happened to contacts that were deleted, here and in ClickHouse. Answers how many of each. */
  eraseContacts(): Promise<{ contacts: number; events: number }>;
  /** Folds the figures of campaigns, and reminds the workflows of those that are under way or due. */
  tendCampaigns(): Promise<{ folded: number; reminded: number }>;
  /** Counts the figures of recent campaigns anew. Answers the sum of the differences, which must be 0. */
  recountCampaigns(): Promise<{ campaigns: number; differences: number }>;
  /** Folds what became of the emails of projects, and disables those whose last seven days are critical. */
  judgeSenders(): Promise<{ folded: number; disabled: number }>;
  /** Reminds the workflows of executions that should have gone on by now; one that is lost begins anew. */
  remindExecutions(): Promise<{ reminded: number }>;
  /** Tells the workflows of executions that have ended, or are gone, to end: a slice of them, newest first. */
  endOrphanedExecutions(input: OrphanedExecutionsInput): Promise<OrphanedExecutionsResult>;
}

export interface OrphanedExecutionsInput {
  /** Where the slice before has stopped, milliseconds since 1970: it has looked at what was started later. 0: nowhere. */
  resumeBefore: number;
}

export interface OrphanedExecutionsResult {
  /** Workflows that it has looked at. */
  running: number;
  /** Those of them that it has told to end. */
  orphaned: number;
  /** For the next slice; 0 when it came to the oldest. */
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
  /** Of `orphaned-executions`: where the run before has stopped. */
  resumeBefore?: number;
}
