import type { Orm } from '../../db/orm.ts';

/** What activities need that change records. */
export interface WriterDependencies {
  orm: Orm;
  committed: () => void;
}
