import { readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Each must be idempotent, and safe to run concurrently. */
  readonly statements: readonly string[];
}

function sqlMigration(version: number, name: string): Migration {
  const file = `./${String(version).padStart(4, '0')}-${name}.sql`;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const statements = text
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return { version, name, statements };
}

/** In order. Forward only: a released migration is never edited. */
export const migrations: readonly Migration[] = [
  sqlMigration(1, 'events'),
  sqlMigration(2, 'figures'),
  sqlMigration(3, 'request-log'),
  sqlMigration(4, 'day-changes'),
  sqlMigration(5, 'email'),
];
