import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyDataPatch } from '../../../core/contact-data/testing/apply-data-patch.ts';
import { isStorableText, type JsonObject, type JsonValue } from '../../../core/json-value.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, trackInput, upsertInput } from '../../../test/setup/inputs.ts';
import { findWrongCounts, readContact, readCounts } from '../../../test/setup/read-database.ts';
import { acceptEmails } from '../emails/accept-emails.ts';
import { trackEvents } from '../events/track-events.ts';
import { patchContact, upsertContact } from './patch-contact.ts';

const { em } = useTestDatabase();

const keys = ['a', 'b', 'c c', '', 'a.b', '0', "it's", '"', 'ключ', 'toString', 'null'];
const text = fc.string({ unit: 'binary', maxLength: 8 }).filter(isStorableText);
const { value } = fc.letrec<{ value: JsonValue; nested: JsonValue }>((tie) => ({
  nested: fc.oneof(
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<JsonValue>(null, true, false, '', 'null', 0, 1, 100, 1e21, 1e-7, [], {}, [null], {
      a: null,
    }),
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    tie('nested'),
  ),
}));

/** JSON has no negative zero. */
const asJson = <Value>(json: Value): Value => JSON.parse(JSON.stringify(json));

const patches = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.oneof(value, fc.constant(null))), {
    selector: ([key]) => key,
    maxLength: 4,
  })
  .map((entries) => asJson(Object.fromEntries(entries)));

const ways = ['track', 'trackTogether', 'send', 'upsert', 'patch'] as const;
const steps = fc.array(
  fc.record({
    way: fc.constantFrom(...ways),
    contact: fc.nat({ max: 1 }),
    patch: patches,
    subscribed: fc.constantFrom(undefined, undefined, true, false),
  }),
  { minLength: 1, maxLength: 12 },
);

interface ModelContact {
  id: string;
  data: JsonObject;
  subscribed: boolean;
  counts: Record<string, number>;
}

function applyToModel(contact: ModelContact, patch: JsonObject, subscribed: boolean | undefined): void {
  const set = Object.fromEntries(Object.entries(patch).filter(([, entry]) => entry !== null));
  const remove = Object.keys(patch).filter((key) => patch[key] === null);
  contact.data = applyDataPatch(contact.data, { set, remove });
  if (subscribed === undefined || subscribed === contact.subscribed) return;
  contact.subscribed = subscribed;
  const name = subscribed ? 'contact.subscribed' : 'contact.unsubscribed';
  contact.counts[name] = (contact.counts[name] ?? 0) + 1;
}

type Step = (typeof ways)[number];

/** Performs a step in SQL. @returns the contact's id */
async function perform(
  way: Step,
  projectId: string,
  email: string,
  contact: ModelContact,
  change: { patch: JsonObject; subscribed: boolean | undefined },
): Promise<string | undefined> {
  switch (way) {
    case 'track':
    case 'trackTogether': {
      // Two events at once: the second repeats the patch, which changes nothing more.
      const inputs = Array.from({ length: way === 'track' ? 1 : 2 }, () =>
        trackInput(projectId, email, { ...change, eventName: 'tracked' }),
      );
      contact.counts.tracked = (contact.counts.tracked ?? 0) + inputs.length;
      return (await trackEvents(em(), inputs)).at(-1)?.contactId;
    }
    case 'send':
      return (await acceptEmails(em(), [acceptInput(projectId, [email], change)]))[0]?.[0]?.contactId;
    case 'upsert': {
      const answer = await upsertContact(em(), upsertInput(projectId, email, change));
      expect(answer.isNew).toBe(contact.id === '');
      return answer.id;
    }
    case 'patch': {
      const target = { projectId, id: contact.id, email: undefined };
      const answer = await patchContact(em(), {
        ...target,
        ...change,
        occurredAt: new Date(),
      });
      expect(answer?.data).toEqual(contact.data);
      return answer?.id;
    }
  }
}

it('changes contacts as the model does, with any call and in any order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const projectId = randomUUID();
      const model = new Map<number, ModelContact>();
      for (const { way, contact: index, patch, subscribed } of drawn) {
        const email = `c${index}@example.com`;
        const before = await readContact(em(), projectId, email);
        if (before === undefined && way === 'patch') continue;
        const contact = model.get(index) ?? {
          ...{ id: '', data: {}, counts: {} },
          subscribed: subscribed ?? way !== 'send',
        };
        model.set(index, contact);
        applyToModel(contact, patch, subscribed);
        const id = await perform(way, projectId, email, contact, { patch, subscribed });
        contact.id ||= id ?? 'none';
        expect(id).toBe(contact.id);

        const after = await readContact(em(), projectId, email);
        expect(after).toMatchObject({ id: contact.id, subscribed: contact.subscribed });
        expect(after?.data).toEqual(contact.data);
        const isUnchanged =
          before?.subscribed === contact.subscribed && isDeepStrictEqual(before.data, contact.data);
        expect(after?.ctid === before?.ctid).toBe(isUnchanged);
      }
      for (const contact of model.values())
        expect(await readCounts(em(), contact.id)).toEqual(contact.counts);
      expect(await findWrongCounts(em(), projectId)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
