import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeFileAtomically } from './atomic-file.ts';

const urlsSchema = z.object({
  api: z.string(),
  docs: z.string(),
  /** `null` with a Temporal of the user's whose UI is not known. */
  temporalUi: z.string().nullable(),
  /** `null` with a real provider. */
  inbox: z.string().nullable(),
  /** Where email comes in by SMTP; `null` with a real provider. */
  inboundSmtp: z.string().nullable().default(null),
});

const credentialsSchema = z.object({
  email: z.string(),
  password: z.string(),
  projectId: z.string(),
  publicKey: z.string(),
  secretKey: z.string(),
  /** Verified sender domain; `null` with a real provider, where only its owner can verify one. */
  domain: z.string().nullable(),
  urls: urlsSchema,
});

export type StackUrls = z.output<typeof urlsSchema>;

/** What `credentials.json` holds: how to use the stack that was started here, for people and for scripts. */
export type Credentials = z.output<typeof credentialsSchema>;

export function credentialsFile(dataDirectory: string): string {
  return join(dataDirectory, 'credentials.json');
}

/** The stored credentials; `undefined` when there are none or the file was changed beyond use. */
export async function readCredentials(dataDirectory: string): Promise<Credentials | undefined> {
  const stored = await readJsonFile(credentialsFile(dataDirectory), credentialsSchema);
  return stored === 'malformed' ? undefined : stored;
}

/** Writes `credentials.json` (mode 0600) in one step. */
export async function writeCredentials(dataDirectory: string, credentials: Credentials): Promise<void> {
  await writeFileAtomically(
    credentialsFile(dataDirectory),
    `${JSON.stringify(credentials, null, 2)}\n`,
    0o600,
  );
}
