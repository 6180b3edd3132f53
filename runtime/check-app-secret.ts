import type { Logger } from 'pino';
import { createKeyVault } from '../core/crypto/project-keys.ts';
import { Project } from '../db/entities/project.ts';
import type { Em } from '../db/orm.ts';

/** Logs when the keys of the oldest project can't be read: callers only get 401, which no alert counts. */
export async function checkAppSecret(em: Em, appSecret: string, log: Logger): Promise<void> {
  const [project] = await em.find(
    Project,
    {},
    { orderBy: { id: 'asc' }, limit: 1, fields: ['publicKeyEncrypted'] },
  );
  if (project === undefined) return;
  if (createKeyVault(appSecret).canOpenPublicKey(project.id, project.publicKeyEncrypted)) return;
  log.error('APP_SECRET is not that of the database: API keys get 401. Set the old one');
}
