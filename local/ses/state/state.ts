import { randomUUID } from 'node:crypto';
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
  /** Makes the message ids of notifications differ between data folders. */
  instanceId: z.string().default(() => randomUUID()),
  identities: z.record(z.string(), identity).default({}),
  texts: z.record(z.string(), z.array(z.string())).default({}),
  subscriptions: z.array(subscription).default([]),
});

export type IdentityStatus = z.output<typeof status>;
export type Identity = z.output<typeof identity>;
export type Subscription = z.output<typeof subscription>;
export type State = StateFile<typeof stateSchema>;

export async function openState(directory: string): Promise<State> {
  const state = await StateFile.open(join(directory, 'state.json'), stateSchema);
  // The first parse generates the instance id; writing the state keeps it.
  await state.update((value) => value);
  return state;
}

/** A small JSON file, read once and replaced as a whole after each change. */
export class StateFile<Schema extends z.ZodType> {
  readonly #path: string;
  #value: z.output<Schema>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, value: z.output<Schema>) {
    this.#path = path;
    this.#value = value;
  }

  /** @param schema parses `{}` when there is no file yet, so every member needs a default */
  static async open<Schema extends z.ZodType>(path: string, schema: Schema): Promise<StateFile<Schema>> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    return new StateFile(path, schema.parse(JSON.parse(text)));
  }

  get value(): z.output<Schema> {
    return this.#value;
  }

  update(change: (value: z.output<Schema>) => z.output<Schema>): Promise<void> {
    this.#value = change(this.#value);
    const text = JSON.stringify(this.#value, null, 2);
    // Writes to one path are queued, so the last value wins.
    this.#writing = writeFileAtomic(this.#path, text, { mode: 0o600 });
    return this.#writing;
  }

  close(): Promise<void> {
    return this.#writing;
  }
}
