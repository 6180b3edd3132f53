import { describe, expect, it } from 'vitest';
import { where } from '../setup/segments.ts';
import { createTestSender, useOneSender } from '../setup/sender.ts';
import { useSharedProduct } from '../setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useOneSender(stack);

/** Names that mean something in SQL, a JSON path or a template. */
const hostile = [
  `'`,
  `"`,
  `'; drop table contacts; --`,
  `x' or '1'='1`,
  `$1`,
  `$$`,
  '\\',
  `\\'`,
  '?',
  ':name',
  '%s',
  '%',
  '_',
  '{projectId:UUID}',
  `data->>'plan'`,
  '$.a[*]',
  '{a,b}',
  '{{ email }}',
  '/* */',
  'constructor',
  'toString',
];
const encoded = (text: string) => encodeURIComponent(text);

describe('SQL injection', () => {
  it.each(hostile)(
    'through the data key %j: it is only a key, and finds the contacts that have it',
    async (key) => {
      const index = hostile.indexOf(key);
      const data = { [key]: 'yes' };
      const one = await sender.post('/contacts', { email: `${index}-has@example.com`, data });
      await sender.post('/contacts', { email: `${index}-not@example.com`, data: { plan: 'yes' } });
      const field = `data.${key}`;
      const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

      expect(one.body.data).toEqual(data);
      const name = `filter[${field}]`;
      expect(idsOf(await sender.get(`/contacts?${encoded(name)}=yes`))).toEqual([one.body.id]);
      const filters = [
        { field, operator: 'equals', value: 'yes' },
        { field, operator: 'contains', value: 'YE' },
        { field, operator: 'exists' },
      ];
      const segment = await sender.post('/segments', { name: 'Hostile', condition: where(...filters) });
      expect([segment.status, segment.body.memberCount]).toEqual([201, 1]);
      expect(idsOf(await sender.get(`/segments/${segment.body.id}/contacts`))).toEqual([one.body.id]);
      const values = await sender.get(`/contacts/fields/${encoded(field)}/values`);
      expect([values.status, values.body.values]).toEqual([200, ['yes']]);
      const usage = await sender.get(`/contacts/fields/${encoded(field)}/usage`);
      expect([usage.body.usedInSegments.length, usage.body.contactCount]).toEqual([1, 1]);
      expect((await sender.delete(`/contacts/fields/${encoded(field)}`)).body).toEqual({ deletedFrom: 1 });
      expect((await sender.get(`/contacts/${one.body.id}`)).body.data).toEqual({});
      const others = await sender.get(`/contacts?search=${index}-not&sort=email`);
      expect(others.body.data[0].data).toEqual({ plan: 'yes' });
    },
  );

  it('through event names: a name is only a name', async () => {
    for (const event of hostile) {
      await sender.post('/v1/track', { email: 'one@example.com', event });
    }
    await sender.post('/contacts', { email: 'none@example.com' });
    for (const event of hostile) {
      const filter = { field: `event.${event}`, operator: 'triggered' };
      const segment = await sender.post('/segments', { name: 'Hostile', condition: where(filter) });
      expect([event, segment.status, segment.body.memberCount]).toEqual([event, 201, 1]);
      const usage = await sender.get(`/events/${encoded(event)}/usage`);
      expect([event, usage.body.segments.length]).toEqual([event, 1]);
    }
    for (const [index, event] of hostile.entries()) {
      expect([event, (await sender.delete(`/events/${encoded(event)}`)).body]).toEqual([
        event,
        { deleted: 1 },
      ]);
      const { body } = await sender.get(`/events/${encoded(hostile[index + 1] ?? 'none')}/usage`);
      expect(body.segments.length).toBe(index + 1 < hostile.length ? 1 : 0);
    }
  });

  it('through operators, units, logic and built-in fields: refused', async () => {
    const filter = { field: 'data.plan', operator: 'equals', value: 'x' };
    for (const text of hostile) {
      for (const change of [
        where({ ...filter, operator: text }),
        where({ ...filter, field: text }),
        where({ ...filter, field: `segment.${text}`, operator: 'memberOfSegment' }),
        where({ ...filter, field: `email.${text}`, operator: 'triggered' }),
        where({ ...filter, operator: 'within', value: 1, unit: text }),
        where({ field: 'createdAt', operator: 'greaterThan', value: text }),
        { ...where(filter), logic: text },
      ]) {
        const { status, body } = await sender.post('/segments', { name: 'Hostile', condition: change });
        expect([status, body]).toEqual([400, { error: expect.any(String) }]);
      }
    }
  });

  it('through values: a value is only a value', async () => {
    for (const value of hostile) {
      await sender.post('/contacts', { email: `${hostile.indexOf(value)}@example.com`, data: { value } });
    }
    for (const [index, value] of hostile.entries()) {
      const { body } = await sender.get(`/contacts?${encoded('filter[data.value]')}=${encoded(value)}`);
      expect(body.data.map(({ email }: { email: string }) => email)).toEqual([`${index}@example.com`]);
    }
  });

  it('through queries: only the requested records come back', async () => {
    const other = await createTestSender(stack.url);
    await other.post('/contacts', { email: 'one@example.com' });
    const content = { name: 'News', subject: 'News', body: '<p>x</p>', from: `hello@${other.domain}` };
    await other.post('/templates', content);
    await other.post('/campaigns', { ...content, audienceType: 'ALL' });
    await other.post('/workflows', { name: 'News', eventName: 'news' });
    for (const text of hostile) {
      for (const path of ['/contacts', '/templates', '/campaigns', '/workflows']) {
        const found = await other.get(`${path}?search=${encoded(text)}`);
        expect([path, text, found.status, found.body.data]).toEqual([path, text, 200, []]);
      }
      for (const path of ['/contacts', '/templates', '/campaigns']) {
        const found = await other.get(`${path}?sort=${encoded(text)}&dir=${encoded(text)}`);
        expect([path, text, found.status, found.body.data.length]).toEqual([path, text, 200, 1]);
      }
      for (const query of [
        '/campaigns?status=',
        '/contacts?cursor=',
        '/suppressions?cursor=',
        '/events?cursor=',
      ]) {
        const refused = await other.get(`${query}${encoded(text)}`);
        expect([query, text, refused.status]).toEqual([query, text, 400]);
      }
    }
  });
});
