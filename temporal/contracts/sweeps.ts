/** Removes data past its retention, one activity per expiry. */
export interface ExpiryActivities {
  listExpiries(): Promise<string[]>;
  /** A retry resumes from the last heartbeat. `isFinished` is false if the next round has more to do. */
  expire(input: { expiry: string }): Promise<{ count: number; isFinished: boolean }>;
  /** For rounds from before each expiry had its own activity: one slice of each. */
  sweepExpired(): Promise<Record<string, number>>;
}

export interface SweepActivities {
  /**
   * Adds the partitions of the coming days and months and drops those past their retention. First partitions the table
   * `events` if it was too large to do so in a migration.
   */
  keepPartitions(): Promise<{ added: number; dropped: number }>;
  /** Requeues accepted emails, outgoing or received, that have neither a command nor a workflow. */
  repairStrandedEmails(): Promise<{ requeued: number }>;
  endOverdueSnoozes(): Promise<{ ended: number }>;
  foldContactFigures(): Promise<{ folded: number; typed: number }>;
  eraseContacts(): Promise<{ contacts: number; events: number }>;
  tendCampaigns(): Promise<{ folded: number; reminded: number }>;
  /** Recounts campaigns that are sending or ended recently. `differences` is the sum of the deviations, 0 unless there is a bug. */
  recountCampaigns(): Promise<{ campaigns: number; differences: number }>;
  judgeSenders(): Promise<{ folded: number; disabled: number }>;
  remindExecutions(): Promise<{ reminded: number }>;
  /**
   * Signals workflow runs whose execution has ended or is gone, so that they end, and those that missed the event they
   * waited for: one slice, newest first.
   */
  endOrphanedExecutions(input: OrphanedExecutionsInput): Promise<OrphanedExecutionsResult>;
}

export interface OrphanedExecutionsInput {
  /** Start time where the previous slice stopped, in epoch milliseconds; 0 to start from the newest. */
  resumeBefore: number;
}

export interface OrphanedExecutionsResult {
  running: number;
  orphaned: number;
  missed: number;
  /** For the next slice; 0 when the oldest was reached. */
  resumeBefore: number;
}

export const sweepWorkflow = 'sweep';

/** How often each sweep runs. */
export const sweepSeconds = {
  campaigns: 60,
  'campaign-recount': 60 * 60,
  expired: 60 * 60,
  partitions: 60 * 60,
  'stranded-emails': 10 * 60,
  'overdue-snoozes': 10 * 60,
  'contact-figures': 30,
  'contact-erasures': 5 * 60,
  'project-security': 60,
  executions: 5 * 60,
  'orphaned-executions': 60 * 60,
};
export type SweepName = keyof typeof sweepSeconds;

export interface SweepInput {
  sweep: SweepName;
  resumeBefore?: number;
}
