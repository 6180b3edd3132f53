import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

/** With 60 kB each: more than the buffers of the connections between a client and the API hold. */
const contacts = 700;

const stack = useSharedProduct();

/** @param begin called when the file begins, before any of it is read */
function ask({ secretKey }: TestSender, begin: (answer: IncomingMessage) => void): void {
  const call = request(`${stack.url}/contacts/export`, {
    headers: { Authorization: `Bearer ${secretKey}` },
    agent: false,
  });
  call.on('error', () => undefined);
  call.on('response', (answer) => {
    answer.on('error', () => undefined);
    begin(answer);
  });
  call.end();
}

const read = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray()).toString();
const rowsIn = (file: string) => file.trimEnd().split('\r\n').length - 1;

it('exports whose clients do not read hold up neither the next one of their project nor those of others', async () => {
  const [sender, other] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const field = `insert into contact_fields (project_id, key, type) values ($1, 'note', 'string')`;
  await stack.sql(field, [sender.projectId]);
  await stack.sql(
    `insert into contacts (id, project_id, email, data)
     select uuidv7(), $1, n || '@example.com', jsonb_build_object('note', repeat('x', 60000))
     from generate_series(1, $2::int) n`,
    [sender.projectId, contacts],
  );
  const asleep: IncomingMessage[] = [];
  for (let calls = 0; calls < 7; calls += 1) ask(sender, (answer) => asleep.push(answer));
  await eventually(async () => asleep.length, 7);
  const next = Promise.withResolvers<string>();
  let isNextBegun = false;
  ask(sender, (answer) => {
    isNextBegun = true;
    next.resolve(read(answer));
  });
  expect((await other.get('/contacts/export')).status).toBe(200);
  expect(isNextBegun).toBe(false);
  expect(rowsIn(await next.promise)).toBe(contacts);
  let cut = 0;
  for (const answer of asleep) {
    if (cut === 0)
      cut += await read(answer).then(
        () => 0,
        () => 1,
      );
    answer.destroy();
  }
  expect(cut).toBe(1);
});
