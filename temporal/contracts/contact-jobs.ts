export interface ContactJobInput {
  jobId: string;
}

export interface ContactJobProgress {
  ended: boolean;
  outcome: 'active' | 'completed' | 'failed' | 'gone';
  progress: number;
  counts: Record<string, number>;
}

export interface ContactJobActivities {
  /** Continues an import for several seconds. Each row is applied once, however often this runs. */
  importContacts(input: ContactJobInput): Promise<ContactJobProgress>;
  changeContacts(input: ContactJobInput): Promise<ContactJobProgress>;
}

export const contactImportWorkflow = 'contactImport';
export const contactBulkWorkflow = 'contactBulk';
