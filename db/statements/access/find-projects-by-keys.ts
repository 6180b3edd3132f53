import { z } from 'zod';
import { hasSendLimitSql } from '../../fragments/has-send-limit-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const projectRow = z.object({
  kind: z.enum(['public', 'secret']),
  hash: z.instanceof(Buffer),
  id: z.string(),
  disabled: z.boolean(),
  disabledReason: z.string().nullable(),
  suppressTransactional: z.boolean(),
  hasSendLimit: z.boolean(),
});

const columns = `id, disabled, disabled_reason as "disabledReason", suppress_transactional as "suppressTransactional",
  ${hasSendLimitSql('projects.id')} as "hasSendLimit"`;

// A statement, because one call looks up the keys of many requests, public and secret ones each through their own
// index.
export function findProjectsByKeys(
  em: Em,
  publicHashes: readonly Buffer[],
  secretHashes: readonly Buffer[],
): Promise<z.output<typeof projectRow>[]> {
  const sql = `select 'public' as kind, public_key_hash as hash, ${columns} from projects where public_key_hash = any($1::bytea[])
     union all
     select 'secret', secret_key_hash, ${columns} from projects where secret_key_hash = any($2::bytea[])`;
  return query(em, projectRow, sql, [publicHashes, secretHashes]);
}
