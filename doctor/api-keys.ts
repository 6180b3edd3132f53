import { z } from 'zod';
import { createKeyVault } from '../core/crypto/project-keys.ts';
import { type Finding, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const sample = 50;
const keyRow = z.object({ id: z.uuid(), encrypted: z.instanceof(Buffer) });

/** With another `APP_SECRET` than that of the database, every key gets 401, and nothing else says why. */
export async function checkApiKeys({ ask }: ReadOnly, appSecret: string): Promise<Finding[]> {
  const report = reporter('API keys');
  // The oldest: others may have been made since the secret changed.
  const sql = 'select id, public_key_encrypted as encrypted from projects order by id limit $1';
  const projects = await ask(keyRow, sql, [sample]);
  const vault = createKeyVault(appSecret);
  const unreadable = projects.filter(({ id, encrypted }) => !vault.canOpenPublicKey(id, encrypted));
  if (unreadable.length === 0) return [report.ok('APP_SECRET is that of the database')];
  return [
    report.error(
      `APP_SECRET can't read the keys of ${unreadable.length} of ${projects.length} projects: they get 401`,
      'Set APP_SECRET to the one that the database was used with. If it is lost, make new keys in each project. docs/deployment.md: "Secrets".',
    ),
  ];
}
