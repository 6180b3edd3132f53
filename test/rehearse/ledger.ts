/** The answers that clients got, by item number. */
export class Book {
  readonly accepted = new Set<number>();
  /** The answer was lost, and the retry says only that the key was used. */
  readonly inDoubt = new Set<number>();
}

export interface Ledger {
  campaign: { id: string; recipients: number };
  workflowId: string;
  senders: { projectId: string }[];
  emails: Book;
  events: Book;
  signups: Book;
  /** By file number. */
  imports: Map<number, { jobId: string; rows: number }>;
  importProjectId: string;
}

export const addressOf = {
  /** The simulator's addresses open emails, or bounce. */
  email: (n: number) =>
    n % 5 === 1
      ? `opened+${n}@simulator.amazonses.com`
      : n % 25 === 2
        ? `bounce+${n}@simulator.amazonses.com`
        : `reader-${n}@send.example.com`,
  signup: (n: number) => `member-${n}@signup.example.com`,
  importRow: (file: number, row: number) => `row-${row}@file-${file}.example.com`,
};
