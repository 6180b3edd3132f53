import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

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

export const readCredentials = (dataDirectory: string) =>
  readJsonFile(credentialsFile(dataDirectory), credentialsSchema);

export const writeCredentials = (dataDirectory: string, credentials: Credentials) =>
  writeJsonFile(credentialsFile(dataDirectory), credentials);
