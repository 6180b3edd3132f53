import { beforeEach, expect, it } from 'vitest';
import { withoutClickHouse } from '../../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../../analytics/client/errors.ts';
import { newId } from '../../../core/new-id.ts';
import { type Slice, SliceOver, wholeWork } from '../../../core/slice.ts';
import { useJournalStage } from '../../../journal/testing/journal-stage.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { type ErasedStores, eraseRecordedProject } from './erase-recorded-project.ts';

const stage = useJournalStage();
let erasureId: string;
/** Removed images and domains. */
let removed: string[];

/** A deleted project with an event, an image and a domain. */
beforeEach(async () => {
  erasureId = newId();
  removed = [];
  const { client, projectId } = stage;
  stage.stream();
  await stage.write([{}]);
  await eventually(stage.streamed, (rows) => rows.length === 1);
  await client.query('insert into project_erasures (id, project_id, before) values ($1, $2, now())', [
    erasureId,
    projectId,
  ]);
  await client.query(`insert into uploads (key, project_id) values ('image.png', $1)`, [projectId]);
  await client.query(
    `insert into domain_removals (id, project_id, domain) values (uuidv7(), $1, 'example.com')`,
    [projectId],
  );
});

const remove = async (name: string) => {
  removed.push(name);
};
const fails = async () => {
  throw new Error('503 SlowDown');
};

/** Tries again, as Temporal does, while the journal's reader is behind. */
async function erase(stores: Partial<ErasedStores> = {}, slice = wholeWork): Promise<void> {
  const identities = { remove } as unknown as DomainIdentities;
  const all = { clickhouse: stage.clickhouse, identities, removeImage: remove, ...stores };
  const erasing = eraseRecordedProject(stage.em(), all, erasureId, slice);
  return erasing.catch((error) => {
    if (String(error).includes('has not yet received')) return erase(stores, slice);
    throw error;
  });
}

const endsWithin = (slice: Slice) =>
  erase({}, slice).then(
    () => true,
    (error) => {
      expect(error).toBeInstanceOf(SliceOver);
      return false;
    },
  );

it('erases a project from the other stores while the image store fails, and then fails', async () => {
  await expect(erase({ removeImage: fails })).rejects.toThrow('503 SlowDown');
  expect(await stage.streamed()).toEqual([]);
  expect(removed).toEqual(['example.com']);
  await erase();
  expect(removed).toEqual(['example.com', 'image.png']);
});

it('reports every store that fails', async () => {
  const command = () => Promise.reject(new ClickHouseUnavailable('gone'));
  const failed = erase({ removeImage: fails, clickhouse: { ...stage.clickhouse, command } });
  await expect(failed).rejects.toThrow('Error: 503 SlowDown; ClickHouseUnavailable: gone');
  expect(removed).toEqual(['example.com']);
});

it('leaves the other stores to the next slice when one ends among the images', async () => {
  const slices: string[][] = [];
  while (!(await endsWithin({ endsAt: 0 }))) slices.push([...removed]);
  expect(slices.at(-1)).toEqual(['image.png']);
  expect(removed).toEqual(['image.png', 'example.com']);
});

it('needs no ClickHouse if none is configured, unless one has received events', async () => {
  const erased = () => erase({ clickhouse: withoutClickHouse() });
  await expect(erased()).rejects.toThrow('none is configured any more');
  expect(removed).toEqual(['image.png', 'example.com']);
  await stage.client.query('delete from stream_positions');
  await erased();
});
