import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { createMessageId, type MailStore } from '../mail/mail-store.ts';
import type { ReceivedVerdicts } from '../mail/records.ts';

export interface IncomingMail {
  /** Envelope sender; empty for a bounce. */
  source: string;
  recipients: readonly string[];
  raw: Buffer;
  verdicts?: Partial<ReceivedVerdicts> | undefined;
}

/** The limit of SES. */
export const mostMailBytes = 40 * 1024 * 1024;
export const mostNotifiedBytes = 150 * 1024;
export const receivedBucket = 'local-inbound';

const allPass: ReceivedVerdicts = { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS', spam: 'PASS', virus: 'PASS' };
const idForm = /^[0-9a-f-]{20,80}$/;

/** One file per email; the folder is the bucket of the S3 action. */
export class ReceivedMail {
  readonly #directory: string;
  readonly #store: MailStore;

  constructor(dataDir: string, store: MailStore) {
    this.#directory = join(dataDir, 'received');
    this.#store = store;
    mkdirSync(this.#directory, { recursive: true });
  }

  /** Stores the email on disk, then queues its notification. @returns its SES id */
  async accept({ source, recipients, raw, verdicts }: IncomingMail): Promise<string> {
    const at = Date.now();
    const id = createMessageId(at);
    const returnPath = Buffer.from(`Return-Path: <${source.replace(/[<>\r\n]/g, '')}>\r\n`);
    const path = join(this.#directory, id);
    await writeFileAtomic(path, Buffer.concat([returnPath, raw]), { mode: 0o600, fsync: false });
    this.#store.receive({
      id,
      at,
      source,
      recipients: [...recipients],
      size: returnPath.length + raw.length,
      verdicts: { ...allPass, ...verdicts },
    });
    return id;
  }

  async read(id: string): Promise<Buffer | undefined> {
    if (!idForm.test(id)) return undefined;
    return readFile(join(this.#directory, id)).catch(() => undefined);
  }
}
