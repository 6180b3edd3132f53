import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { StateFile } from './state-file.ts';

const status = z.enum(['pending', 'verified', 'failed']);

export const identityTag = z.object({ Key: z.string(), Value: z.string() });

const identity = z.object({
  status,
  /** Set by the control API: checks leave the status alone. */
  isPinned: z.boolean(),
  tokens: z.array(z.string()),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  checkedAt: z.number().nullable(),
  configurationSet: z.string().nullable(),
  mailFrom: z
    .object({
      domain: z.string(),
      behavior: z.enum(['USE_DEFAULT_VALUE', 'REJECT_MESSAGE']),
      isVerified: z.boolean(),
    })
    .nullable(),
  tags: z.array(identityTag).default([]),
});

const eventDestination = z.object({
  enabled: z.boolean(),
  /** Names of the protocol, such as `SEND`. */
  matchingEventTypes: z.array(z.string()),
  topicArn: z.string().nullable(),
});

const subscription = z.object({
  topicArn: z.string(),
  endpoint: z.string(),
  token: z.string(),
  arn: z.string(),
  isConfirmed: z.boolean(),
});

const stateSchema = z.object({
  /** Makes the message ids of notifications differ between two data folders. */
  instanceId: z.string().default(() => randomUUID()),
  /** By domain or address, in lower case. */
  identities: z.record(z.string(), identity).default({}),
  /** Texts of TXT records by name in lower case, where they were set. */
  texts: z.record(z.string(), z.array(z.string())).default({}),
  /** By configuration set and destination name. */
  configurationSets: z.record(z.string(), z.record(z.string(), eventDestination)).default({}),
  subscriptions: z.array(subscription).default([]),
});

export type IdentityStatus = z.output<typeof status>;
export type Identity = z.output<typeof identity>;
export type EventDestination = z.output<typeof eventDestination>;
export type Subscription = z.output<typeof subscription>;
export type State = StateFile<typeof stateSchema>;

/** Opens `state.json`: everything that is small and has to outlive a restart. */
export async function openState(directory: string): Promise<State> {
  const state = await StateFile.open(join(directory, 'state.json'), stateSchema);
  // The instance id is made while parsing the first time; writing it keeps it.
  await state.update((value) => value);
  return state;
}
