import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { readJsonFile } from './json-file.ts';

const urlsSchema = z.object({
  dashboard: z.string().nullable().default(null),
  api: z.string(),
  docs: z.string(),
  /** `null` when the user's own Temporal has an unknown UI. */
  temporalUi: z.string().nullable(),
  inbox: z.string().nullable(),
  inboundSmtp: z.string().nullable().default(null),
});

const credentialsSchema = z.object({
  email: z.string(),
  password: z.string(),
  projectId: z.string(),
  publicKey: z.string(),
  secretKey: z.string(),
  domain: z.string().nullable(),
  urls: urlsSchema,
});

export type StackUrls = z.output<typeof urlsSchema>;

export type Credentials = z.output<typeof credentialsSchema>;

export function credentialsFile(dataDirectory: string): string {
  return join(dataDirectory, 'credentials.json');
}

export async function readCredentials(dataDirectory: string): Promise<Credentials | undefined> {
  const stored = await readJsonFile(credentialsFile(dataDirectory), credentialsSchema);
  return stored === 'malformed' ? undefined : stored;
}

export async function writeCredentials(dataDirectory: string, credentials: Credentials): Promise<void> {
  const text = `${JSON.stringify(credentials, null, 2)}\n`;
  await writeFileAtomic(credentialsFile(dataDirectory), text, { mode: 0o600 });
}
