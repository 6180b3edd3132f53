import { describe, expect, it } from 'vitest';
import { messageOf } from './setup/inbox.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const content = (changes: object = {}) => ({
  subject: 'Hello {{ name ?? "you" }}',
  body: '<p>Hi {{ name ?? "" }} of {{ plan ?? "" }}, {{ email }}</p>',
  from: `news@${sender.domain}`,
  ...changes,
});

describe.each(['templates', 'campaigns'])('POST /%s/preview', (kind) => {
  const preview = (changes: object = {}) => sender.post(`/${kind}/preview`, content(changes));
  const problemsOf = async (changes: object) => (await preview(changes)).body.problems;

  it('renders for a contact, for an address, and for nobody', async () => {
    const data = { name: 'Ada & Co', plan: 'pro' };
    const { id } = (await sender.post('/contacts', { email: 'ada@example.com', data })).body;
    for (const reader of [{ contactId: id }, { email: 'Ada@example.com' }]) {
      const { status, body } = await preview({ ...reader, type: 'TRANSACTIONAL', data: { plan: 'max' } });
      expect([status, body]).toEqual([
        200,
        {
          subject: 'Hello Ada & Co',
          html: '<p>Hi Ada &amp; Co of max, ada@example.com</p>',
          text: 'Hi Ada & Co of max, ada@example.com',
          sizeBytes: 46,
          headers: {},
          problems: [],
        },
      ]);
    }
    expect((await preview({ email: 'new@example.com' })).body.html).toContain('new@example.com');
    expect((await preview()).body.subject).toBe('Hello you');
    expect((await sender.get('/contacts')).body.total).toBe(1);
  });

  it('renders the variables of a workflow email from samples', async () => {
    const body = '<p>{{ event.order.id }} {{ context.coupon }}, {{ name }}{{ data.event }}</p>';
    const shown = async (samples: object) =>
      (await preview({ body, type: 'TRANSACTIONAL', ...samples })).body.html;
    expect(await shown({})).toBe('<p> , </p>');
    expect(await shown({ event: { order: { id: 7 } }, context: { coupon: 'SPRING', name: 'x' } })).toBe(
      '<p>7 SPRING, </p>',
    );
    expect(await shown({ event: { order: '<b>' } })).toBe('<p> , </p>');
    for (const event of ['x', [1], { a: 'x'.repeat(65_536) }]) {
      const refused = await preview({ event });
      expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, 'event']);
    }
  });

  it('adds the footer of its type, with unsubscribe links that do nothing', async () => {
    const { headers, html, text, problems } = (await preview()).body;
    expect(headers).toMatchObject({ Precedence: 'bulk', 'List-Unsubscribe-Post': expect.any(String) });
    const [url = ''] = /http[^"]+unsubscribe[^"]+/.exec(html) ?? [];
    expect(text).toContain(url);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
    expect(problems).toMatchObject([
      { code: 'postal_address_missing', severity: 'warning' },
      { code: 'unsubscribe_added', severity: 'info' },
    ]);
    const own = { body: '<a href="{{ unsubscribeUrl }}">Leave</a>' };
    expect((await preview(own)).body).toMatchObject({ html: `<a href="${url}">Leave</a>`, problems: [] });
  });

  it('reports Liquid that does not parse as a problem at its place, and renders the rest', async () => {
    const { status, body } = await preview({ body: '<p>\n  {% if %}</p>' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ subject: 'Hello you', html: '', text: '', sizeBytes: 0 });
    expect(body.problems).toEqual([
      {
        code: 'invalid_liquid',
        severity: 'error',
        message: expect.stringContaining('line 2, column 8'),
        field: 'body',
        line: 2,
        column: 8,
      },
    ]);
    const subject = (await preview({ subject: '{{ name | shout }}', type: 'HEADLESS' })).body;
    expect(subject.html).toContain('<p>Hi');
    expect(subject.problems).toMatchObject([{ code: 'invalid_liquid', field: 'subject', line: 1 }]);
  });

  it('names what to fix before sending', async () => {
    const problems = await problemsOf({
      subject: '',
      body: '<a href="">A</a>\n<img src="https://example.com/a.png">{{ email }}',
      from: 'news@elsewhere.example',
    });
    expect(problems).toMatchObject([
      { code: 'domain_not_verified', severity: 'error' },
      { code: 'subject_empty', field: 'subject' },
      { code: 'link_empty', line: 1, column: 1 },
      { code: 'image_without_alt', line: 2, column: 1 },
      { code: 'postal_address_missing' },
      { code: 'unsubscribe_added' },
    ]);
    const endless = '{% for a in (1..90000) %}{% for b in (1..90000) %}x{% endfor %}{% endfor %}';
    expect(await problemsOf({ body: endless })).toMatchObject([{ code: 'render_limit', field: 'body' }]);
    expect(await problemsOf({ body: '', type: 'TRANSACTIONAL', from: '' })).toEqual([]);
  });
});

describe('fields that no contact has', () => {
  const problemsOf = async (kind: 'templates' | 'campaigns', body: string, changes: object = {}) => {
    const draft = { subject: 'Hi', body, type: 'TRANSACTIONAL', data: { given: 1 }, ...changes };
    return (await sender.post(`/${kind}/preview`, draft)).body.problems;
  };
  const missing = [{ code: 'unknown_field', severity: 'warning', field: 'body', line: 1, column: 1 }];

  it('are named in campaigns, which have no variables of their own', async () => {
    expect(await problemsOf('campaigns', '{{ nobodyHasIt }} {{ given }}')).toMatchObject(missing);
  });

  it('are noted in templates, whose requests may pass them', async () => {
    expect(await problemsOf('templates', '{{ nobodyHasIt }} {{ given }} {{ event.id }}')).toMatchObject([
      { code: 'variable_needed', severity: 'info', message: expect.stringContaining('“nobodyHasIt”') },
    ]);
    await sender.post('/contacts', { email: 'ada@example.com', data: { 'First name': 'Ada' } });
    expect(await problemsOf('templates', '{{ firstName ?? "you" }}')).toMatchObject([
      { ...missing[0], message: 'No contact has a field “firstName”. Did you mean “First name”?' },
    ]);
  });

  it('are named in templates of workflows, which pass only `event` and `context`', async () => {
    const body = '{{ nobodyHasIt }} {{ event.id }} {{ context.id }} {{ given }}';
    for (const samples of [{ event: {} }, { context: {} }])
      expect(await problemsOf('templates', body, samples)).toMatchObject(missing);
  });
});

describe('POST /templates/:id/test', () => {
  it('sends it to one address, with the data of its contact', async () => {
    const made = await sender.post('/templates', { name: 'Welcome', ...content() });
    const to = `ada@${sender.domain}`;
    await sender.post('/contacts', { email: to, data: { name: 'Ada' } });
    const { status, body } = await sender.post(`/templates/${made.body.id}/test`, { email: to });
    expect([status, body]).toEqual([200, { success: true, message: `Test email to ${to} is on its way` }]);
    const [row] = await stack.sql<{ id: string }>(
      `select id from emails where project_id = $1 and source = 'TEST'`,
      [sender.projectId],
    );
    expect(await messageOf(stack.ses, row?.id ?? '')).toMatchObject({
      to: [to],
      subject: '[TEST] Hello Ada',
    });
  });
});
