import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMessageId, type MailStore } from '../mail/mail-store.ts';
import type { ReceivedVerdicts } from '../mail/records.ts';

/** An email on its way in, as SES gets it by SMTP. */
export interface IncomingMail {
  /** Sender of the envelope; empty for a bounce. */
  source: string;
  recipients: readonly string[];
  raw: Buffer;
  verdicts?: Partial<ReceivedVerdicts> | undefined;
}

/** As much as SES takes. */
export const mostMailBytes = 40 * 1024 * 1024;
/** What fits into a notification; a larger email is only in the bucket. */
export const mostNotifiedBytes = 150 * 1024;
/** The bucket of the S3 action, served by the local SES itself. */
export const receivedBucket = 'local-inbound';

const allPass: ReceivedVerdicts = { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS', spam: 'PASS', virus: 'PASS' };
const idForm = /^[0-9a-f-]{20,80}$/;

/** Emails that came in, a file each; the folder is the bucket of the S3 action. */
export class ReceivedMail {
  readonly #directory: string;
  readonly #store: MailStore;

  private constructor(directory: string, store: MailStore) {
    this.#directory = directory;
    this.#store = store;
  }

  static async open(dataDir: string, store: MailStore): Promise<ReceivedMail> {
    const directory = join(dataDir, 'received');
    await mkdir(directory, { recursive: true });
    return new ReceivedMail(directory, store);
  }

  /** Keeps an email; once it is on disk, its notification waits for delivery. @returns SES's id of it */
  async accept({ source, recipients, raw, verdicts }: IncomingMail): Promise<string> {
    const at = Date.now();
    const id = createMessageId(at);
    const returnPath = Buffer.from(`Return-Path: <${source.replace(/[<>\r\n]/g, '')}>\r\n`);
    const path = join(this.#directory, id);
    await writeFile(`${path}.new`, Buffer.concat([returnPath, raw]), { mode: 0o600 });
    await rename(`${path}.new`, path);
    await this.#store.receive({
      id,
      at,
      source,
      recipients: [...recipients],
      size: returnPath.length + raw.length,
      verdicts: { ...allPass, ...verdicts },
    });
    return id;
  }

  /** The bytes of an email by its id; undefined when there is none. */
  async read(id: string): Promise<Buffer | undefined> {
    if (!idForm.test(id)) return undefined;
    return readFile(join(this.#directory, id)).catch(() => undefined);
  }
}
