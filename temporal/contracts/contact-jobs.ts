/** Input of the workflows `contactImport` and `contactBulk`. */
export interface ContactJobInput {
  jobId: string;
}

/** How far a job is. Counts only: what they are of is in the database. */
export interface ContactJobProgress {
  /** Nothing is left to do: completed, failed or gone. */
  ended: boolean;
  outcome: 'active' | 'completed' | 'failed' | 'gone';
  /** 0 to 100. */
  progress: number;
  /** By name, for the operator to read. */
  counts: Record<string, number>;
}

export interface ContactJobActivities {
  /** Goes on with an import for some seconds, from where it is. Each row is applied once, however often this runs. */
  importContacts(input: ContactJobInput): Promise<ContactJobProgress>;
  /** Goes on with a bulk operation, likewise. */
  changeContacts(input: ContactJobInput): Promise<ContactJobProgress>;
}

export const contactImportWorkflow = 'contactImport';
export const contactBulkWorkflow = 'contactBulk';
