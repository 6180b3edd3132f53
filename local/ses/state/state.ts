import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';

const status = z.enum(['pending', 'verified', 'failed']);

export const identityTag = z.object({ Key: z.string(), Value: z.string() });

const identity = z.object({
  status,
  /** Set by the control API: checks do not change the status. */
  isPinned: z.boolean(),
  tokens: z.array(z.string()),
  createdAt: z.number(),
  checkedAt: z.number().nullable(),
  mailFrom: z
    .object({
      domain: z.string(),
      behavior: z.enum(['USE_DEFAULT_VALUE', 'REJECT_MESSAGE']),
      isVerified: z.boolean(),
    })
    .nullable(),
  tags: z.array(identityTag).default([]),
});

const subscription = z.object({
  topicArn: z.string(),
  endpoint: z.string(),
  token: z.string(),
  arn: z.string(),
  isConfirmed: z.boolean(),
});

const stateSchema = z.object({
  identities: z.record(z.string(), identity).default({}),
  texts: z.record(z.string(), z.array(z.string())).default({}),
  subscriptions: z.array(subscription).default([]),
});

export type IdentityStatus = z.output<typeof status>;
export type Identity = z.output<typeof identity>;
export type Subscription = z.output<typeof subscription>;
type StateValue = z.output<typeof stateSchema>;

/** A small JSON file, read once and replaced as a whole after each change. */
export class State {
  readonly #path: string;
  readonly #value: StateValue;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, value: StateValue) {
    this.#path = path;
    this.#value = value;
  }

  static async open(directory: string): Promise<State> {
    const path = join(directory, 'state.json');
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    return new State(path, stateSchema.parse(JSON.parse(text)));
  }

  get value(): StateValue {
    return this.#value;
  }

  update(change: (value: StateValue) => void): Promise<void> {
    change(this.#value);
    const text = JSON.stringify(this.#value, null, 2);
    // Writes to one path are queued, so the last value wins.
    this.#writing = writeFileAtomic(this.#path, text, { mode: 0o600 });
    return this.#writing;
  }

  close(): Promise<void> {
    return this.#writing;
  }
}
