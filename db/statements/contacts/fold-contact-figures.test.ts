import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, providerEvent, trackInput, upsertInput } from '../../../test/setup/inputs.ts';
import type { Em } from '../../orm.ts';
import { retryTransaction } from '../../retry-transaction.ts';
import { sql } from '../../testing/sql.ts';
import { acceptEmails } from '../emails/accept-emails.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import { trackEvents } from '../events/track-events.ts';
import { foldContactFigures, readAudienceFigures, readKeyFigures } from './contact-figures.ts';
import { deleteContacts } from './delete-contacts.ts';
import { patchContact, upsertContact } from './patch-contact.ts';
import { removeKey } from './remove-key.ts';

const { em } = useTestDatabase();

const keys = [
  'plan',
  'a.b',
  'data.plan',
  ' spaced key ',
  `it's "odd"`,
  '',
  '$1 ? \\',
  'ключ',
  'k'.repeat(255),
];
const emails = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`);

const patchOf = fc.dictionary(
  fc.constantFrom(...keys),
  fc.oneof(fc.constantFrom(null, 1, 'x', true, [1]), fc.constant({ deep: { a: 1 } })),
  { maxKeys: 4 },
);
const subscription = fc.constantFrom(undefined, undefined, true, false);
const oneEmail = fc.constantFrom(...emails);
const someEmails = fc.uniqueArray(oneEmail, { minLength: 1, maxLength: 5 });

const operation = fc.oneof(
  fc.record({
    do: fc.constant('upsert' as const),
    email: oneEmail,
    patch: patchOf,
    subscribed: subscription,
  }),
  fc.record({
    do: fc.constant('track' as const),
    emails: someEmails,
    patch: patchOf,
    subscribed: subscription,
  }),
  fc.record({
    do: fc.constant('send' as const),
    emails: someEmails,
    patch: patchOf,
    subscribed: subscription,
  }),
  fc.record({ do: fc.constant('patch' as const), email: oneEmail, patch: patchOf, subscribed: subscription }),
  fc.record({ do: fc.constantFrom('delete', 'snooze', 'bounce', 'rolled back'), email: oneEmail }),
  fc.record({ do: fc.constant('remove key' as const), key: fc.constantFrom(...keys) }),
  fc.record({ do: fc.constant('fold' as const), limit: fc.integer({ min: 1, max: 20 }) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

async function contactIdOf(em: Em, projectId: string, email: string): Promise<string> {
  const [row] = await sql<{ id: string }>(
    em,
    'select id from contacts where project_id = $1 and email = $2',
    [projectId, email],
  );
  return row?.id ?? uuidv7();
}

async function run(em: Em, projectId: string, one: Operation): Promise<unknown> {
  if (one.do === 'fold') return foldContactFigures(em, one.limit);
  if (one.do === 'remove key') return removeKey(em, projectId, one.key, undefined, 3);
  if (one.do === 'track') {
    const { patch, subscribed } = one;
    return trackEvents(
      em,
      one.emails.map((email) => trackInput(projectId, email, { patch, subscribed })),
    );
  }
  if (one.do === 'send') {
    const { patch, subscribed } = one;
    return acceptEmails(em, [acceptInput(projectId, one.emails, { patch, subscribed })]);
  }
  if (one.do === 'upsert') return upsertContact(em, upsertInput(projectId, one.email, one));
  const id = await contactIdOf(em, projectId, one.email);
  switch (one.do) {
    case 'patch': {
      const { patch, subscribed } = one;
      const occurredAt = new Date();
      return patchContact(em, {
        ...{ projectId, id, email: undefined, subscribed, patch, occurredAt },
      });
    }
    case 'delete':
      return deleteContacts(em, projectId, [id]);
    case 'snooze':
      return sql(
        em,
        `update contacts set subscribed = false, snoozed_until = now() + interval '1 day' where id = $1`,
        [id],
      );
    case 'bounce': {
      const [[accepted] = []] = await acceptEmails(em, [acceptInput(projectId, [one.email])]);
      return applyProviderEvents(em, [providerEvent(accepted?.emailId ?? uuidv7(), 'bounce')]);
    }
    case 'rolled back':
      return em
        .transactional(async (transaction) => {
          await deleteContacts(transaction, projectId, [id]);
          await upsertContact(
            transaction,
            upsertInput(projectId, `new.${one.email}`, { patch: { plan: 1 } }),
          );
          throw new Error('rolled back');
        })
        .catch(() => undefined);
  }
}

/** Figures that differ from a recount of the contacts, in one snapshot. */
function wrongFigures(em: Em, projectId: string): Promise<unknown[]> {
  return sql(
    em,
    `with kept as (
       select figure, sum(value)::int as value from (
         select figure, value from contact_figures where project_id = $1
         union all
         select figure, change from contact_figure_changes where project_id = $1
       ) part group by figure having sum(value) <> 0
     ),
     counted as (
       select figure, count(*)::int as value
       from contacts c
       cross join lateral unnest(
         array['contacts'] || case when subscribed then array['subscribed'] end
         || case when snoozed_until is not null then array['snoozed'] end
         || array(select 'data.' || key from jsonb_object_keys(data) key)) figure
       where project_id = $1 group by figure
     )
     select figure, kept.value as kept, counted.value as counted
     from kept full join counted using (figure) where kept.value is distinct from counted.value`,
    [projectId],
  );
}

describe('the figures of an audience', () => {
  it('match a recount at every moment, despite concurrent writes and folds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }),
        async (waves) => {
          const projectId = randomUUID();
          const look = async () => expect(await wrongFigures(em(), projectId)).toEqual([]);
          for (const wave of waves) {
            await Promise.all([
              ...wave.map((one) => retryTransaction(() => run(em(), projectId, one))),
              look(),
              look(),
            ]);
          }
          await look();
          await foldContactFigures(em(), 10_000);
          await look();
        },
      ),
      { numRuns: 60 },
    );
    expect(await sql(em(), 'select from contact_figure_changes')).toEqual([]);
    expect(await sql(em(), 'select from contact_figures where value <= 0')).toEqual([]);
  });

  it('can be folded concurrently, each change once', async () => {
    const projectId = randomUUID();
    for (let i = 0; i < 40; i += 1) {
      await upsertContact(em(), upsertInput(projectId, `reader-${i}@example.com`, { patch: { plan: i } }));
    }
    const folds = await Promise.all(Array.from({ length: 8 }, () => foldContactFigures(em(), 7)));
    expect(folds.reduce((total, { folded }) => total + folded, 0)).toBeGreaterThanOrEqual(7);
    expect(await readAudienceFigures(em(), projectId)).toEqual({ contacts: 40, subscribed: 40, snoozed: 0 });
    while ((await foldContactFigures(em(), 7)).folded > 0);
    expect(await readAudienceFigures(em(), projectId)).toEqual({ contacts: 40, subscribed: 40, snoozed: 0 });
    expect(await readKeyFigures(em(), projectId)).toEqual(new Map([['plan', 40]]));
  });

  it('can be read for one key with any characters, and leave out unused keys', async () => {
    const projectId = randomUUID();
    const data = Object.fromEntries(keys.map((key) => [key, 1]));
    await upsertContact(em(), upsertInput(projectId, 'a@example.com', { patch: data }));
    await upsertContact(em(), upsertInput(projectId, 'b@example.com', { patch: { plan: 1, gone: 1 } }));
    await upsertContact(em(), upsertInput(projectId, 'b@example.com', { patch: { gone: null } }));
    const figures = await readKeyFigures(em(), projectId);
    expect(figures).toEqual(new Map(keys.map((key) => [key, key === 'plan' ? 2 : 1])));
    for (const key of keys)
      expect(await readKeyFigures(em(), projectId, key)).toEqual(new Map([[key, figures.get(key)]]));
    expect(await readKeyFigures(em(), projectId, 'gone')).toEqual(new Map());
  });

  it('report keys without a type when they are folded', async () => {
    const projectId = randomUUID();
    await upsertContact(em(), upsertInput(projectId, 'a@example.com', { patch: { typed: 1, untyped: 1 } }));
    await sql(em(), `insert into contact_fields (project_id, key, type) values ($1, 'typed', 'number')`, [
      projectId,
    ]);
    const untyped: { projectId: string }[] = [];
    for (;;) {
      const batch = await foldContactFigures(em(), 1);
      untyped.push(...batch.untyped);
      if (batch.folded === 0) break;
    }
    expect(untyped.filter((one) => one.projectId === projectId)).toEqual([{ projectId, key: 'untyped' }]);
  });
});
