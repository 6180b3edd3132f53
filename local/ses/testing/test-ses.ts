import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateEmailIdentityCommand,
  GetEmailIdentityCommand,
  SESv2Client,
  type SendEmailCommandInput,
} from '@aws-sdk/client-sesv2';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type LocalSesOptions, startLocalSes } from '../server.ts';

const messageSchema = z.object({
  id: z.string(),
  emailId: z.string().nullable(),
  receivedAt: z.string(),
  from: z.string(),
  to: z.array(z.string()),
  replyTo: z.string().nullable(),
  subject: z.string(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  attachments: z.array(
    z.object({
      filename: z.string(),
      contentType: z.string(),
      contentId: z.string().nullable(),
      disposition: z.string(),
      size: z.number(),
    }),
  ),
});
const listSchema = z.object({ total: z.number(), messages: z.array(messageSchema) });
const figuresSchema = z.object({
  paused: z.boolean(),
  confirmed: z.boolean(),
  queued: z.number(),
  delivered: z.number(),
  retried: z.number(),
  failed: z.number(),
});

/** Only a hang reaches it, however busy the machine is. */
export const soon = { timeout: 180_000 };

export type LocalSes = Awaited<ReturnType<typeof startLocalSes>>;

export interface TestSes {
  ses: LocalSes;
  client: SESv2Client;
  dataDir: string;
  list(query?: string): Promise<z.output<typeof listSchema>>;
  figures(): Promise<z.output<typeof figuresSchema>>;
  control(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  verify(identity: string): Promise<void>;
  /** Closes it and starts another one on the same folder. */
  restart(options?: Partial<LocalSesOptions>): Promise<TestSes>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'local-ses-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function startTestSes(options: Partial<LocalSesOptions> = {}): Promise<TestSes> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const ses = await startLocalSes({ port: 0, ...options, dataDir });
  const client = createSdkClient(ses.url);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    client.destroy();
    await ses.close();
  };
  onTestFinished(close);
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(ses.url + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  };
  return {
    ses,
    client,
    dataDir,
    control,
    list: async (query = '') => listSchema.parse((await control('GET', `/api/messages${query}`)).body),
    figures: async () => figuresSchema.parse((await control('GET', '/api/events')).body),
    verify: async (identity) => {
      await client.send(new CreateEmailIdentityCommand({ EmailIdentity: identity }));
      await client.send(new GetEmailIdentityCommand({ EmailIdentity: identity }));
    },
    restart: async (changed = {}) => {
      await close();
      return startTestSes({ ...options, ...changed, dataDir });
    },
  };
}

export function createSdkClient(endpoint: string): SESv2Client {
  return new SESv2Client({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
}

export function emailTo(
  address: string,
  replaced: Partial<SendEmailCommandInput> = {},
): SendEmailCommandInput {
  return {
    FromEmailAddress: 'Shop <hello@example.test>',
    Destination: { ToAddresses: [address] },
    Content: {
      Simple: {
        Subject: { Data: 'Your order' },
        Body: { Html: { Data: '<p>Thank you</p>' }, Text: { Data: 'Thank you' } },
      },
    },
    EmailTags: [{ Name: 'emailId', Value: '0199aaaa-0000-7000-8000-000000000001' }],
    ConfigurationSetName: 'posthaste',
    ...replaced,
  };
}
