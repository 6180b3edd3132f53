import { readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Each of them can be run again, and by several processes at once, without harm. */
  readonly statements: readonly string[];
}

/** The statements of a file end with a semicolon at the end of a line. */
function sqlMigration(version: number, name: string): Migration {
  const file = `./${String(version).padStart(4, '0')}-${name}.sql`;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const statements = text
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return { version, name, statements };
}

/** Every migration, oldest first. They only go forward: what has been released is never edited. */
export const migrations: readonly Migration[] = [sqlMigration(1, 'events'), sqlMigration(2, 'figures')];
