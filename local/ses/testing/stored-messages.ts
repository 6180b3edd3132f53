import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../mail/mail-store.ts';
import type { MessageRecord } from '../mail/records.ts';

/** The messages in the folder of a local SES, oldest first, while it runs or afterwards. */
export function* storedMessages(directory: string): Generator<MessageRecord> {
  const database = new DatabaseSync(join(directory, databaseFile), { readOnly: true });
  try {
    for (const { messages } of database.prepare('select messages from call order by number').iterate()) {
      yield* JSON.parse(String(messages)) as MessageRecord[]; // as: `MailStore` wrote it
    }
  } finally {
    database.close();
  }
}
