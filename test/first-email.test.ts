import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from './setup/product.ts';

let stack: TestProduct;
beforeAll(async () => {
  stack = await startTestProduct();
});
afterAll(() => stack.close());

it('takes an email from the API over Temporal and SES to the activity feed', async () => {
  const { services } = stack.product;
  const { user } = await services.accounts.signUp({
    email: 'owner@posthaste.test',
    password: 'a long password',
  });
  const project = await services.projects.create(user.id, 'First');
  const domain = await services.domains.add(project.id, 'posthaste.test');
  await services.domains.verify(project.id, domain.id);

  const answer = await fetch(`${stack.url}/v1/send`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${project.secretKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      to: 'ada@example.com',
      from: 'hello@posthaste.test',
      subject: 'Hello {{ firstName ?? "friend" }}',
      body: '<p>Hello <b>{{ firstName }}</b></p>',
      data: { firstName: 'Ada' },
    }),
  });
  const sent = await answer.json();
  expect(answer.status, JSON.stringify(sent)).toBe(200);
  const started = Date.now();
  for (;;) {
    const feed = await fetch(`${stack.url}/activity`, {
      headers: { Authorization: `Bearer ${project.secretKey}` },
    });
    const { data } = (await feed.json()) as { data: { type: string }[] };
    if (data?.some((row) => row.type === 'email.delivered')) {
      console.log('delivered in feed after ms', Date.now() - started, data);
      break;
    }
    if (Date.now() - started > 15_000) throw new Error('not delivered ' + JSON.stringify(data));
    await delay(50);
  }
});
