import { expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from './index.ts';

const id = '0190a1b2-0000-7000-8000-00000000abcd';

/** Fields of a request part that take an id or a list of ids. */
function idFields(schema: z.ZodType | undefined): [string, z.core.$ZodType][] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).filter(([, field]) => {
    const document = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
    return JSON.stringify(document).includes('"format":"uuid"');
  });
}

it('reads the ids of every request in lower case, as they are stored and compared', () => {
  const fields = routes.flatMap(({ method, path, params, query, body }) =>
    [params, query, body].flatMap((part) =>
      idFields(part).map(([name, field]) => ({ name: `${method} ${path} ${name}`, field })),
    ),
  );
  expect(fields.length).toBeGreaterThan(70);
  for (const { name, field } of fields) {
    const upper = id.toUpperCase();
    const one = z.safeParse(field, upper);
    expect([one.success ? one.data : z.parse(field, [upper])].flat(), name).toEqual([id]);
  }
});
