import { expect, it } from 'vitest';
import { z } from 'zod';
import { validate } from './validate.ts';

it('answers a missing field with BAD_REQUEST where that is the rule, also after a hundred other issues', () => {
  const schema = z.object({ labels: z.array(z.string()), name: z.string() });
  const body = { labels: Array.from({ length: 1_000 }, () => 0) };
  expect(() => validate(schema, body, true)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: 'name is required' }),
  );
  expect(() => validate(schema, body)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
});
