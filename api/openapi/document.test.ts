import { isDeepStrictEqual } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operatorTables } from '../../core/conditions/operators.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { ResponseDeclaration } from '../edge/route.ts';
import { routes } from '../routes/index.ts';
import { sendBodySchema } from '../schemas/send.ts';
import { buildOpenapi } from './document.ts';
import { introduction } from './introduction.ts';

const itemSchema = z
  .object({
    id: z.uuid(),
    size: z.coerce.number().default(1),
    at: z.iso.datetime(),
    tag: z.string().optional(),
  })
  .meta({ id: 'Item' });
const example = { id: '0190a1b2-0000-7000-8000-000000000000', size: 2, at: '2030-01-01T00:00:00.000Z' };

const putItem = defineRoute('PUT /items/:itemId/parts/:part', {
  auth: 'secretKey',
  tags: ['Items'],
  summary: 'Replace',
  description: 'All of it.',
  idempotent: 'byProject',
  refuseDisabledProject: true,
  params: z.object({ itemId: z.uuid(), part: z.string() }),
  query: z.object({ page: z.coerce.number().int().min(1).default(1).describe('From 1.') }),
  headers: z.object({ 'x-mode': z.enum(['a', 'b']) }),
  body: itemSchema,
  bodyExample: { id: example.id, at: example.at },
  responses: {
    200: { description: 'The item', schema: itemSchema, example },
    204: { description: 'Nothing' },
  },
  errors: ['NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  handler: () => undefined,
});
const hidden = defineRoute('GET /hidden', {
  auth: 'none',
  tags: ['Hidden'],
  summary: 'Hidden',
  hidden: true,
  responses: { 204: { description: 'Nothing' } },
  handler: () => undefined,
});
const legacy = defineRoute('POST /items', {
  auth: 'publicKey',
  tags: ['Items'],
  summary: 'Create',
  legacyErrors: true,
  body: z.object({ name: z.string() }),
  responses: { 201: { description: 'The item', schema: itemSchema } },
  handler: () => undefined,
});

async function faultsOf(document: Record<string, unknown>) {
  const { errors } = await new Validator().validate(structuredClone(document));
  return errors ?? [];
}

describe('the OpenAPI document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into the document freely
  const document: any = buildOpenapi({
    routes: [putItem, hidden, legacy],
    serverUrl: 'https://api.example.com',
    version: '1.2.3',
  });
  const operation = document.paths['/items/{itemId}/parts/{part}'].put;

  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(await faultsOf(document)).toEqual([]);
    expect(await faultsOf({ ...document, paths: { nope: 1 } })).not.toEqual([]);
  });

  it('of all routes of the API is valid and refers to nothing that is missing', async () => {
    const whole = buildOpenapi({ routes, serverUrl: 'http://localhost:8080', version: '1.0.0' });
    expect(await faultsOf(whole)).toEqual([]);
    const references = JSON.stringify(whole).match(/"#\/components\/[^"]+"/g) ?? [];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      expect(whole).toHaveProperty(reference.slice('"#/'.length, -1).split('/'));
    }
    const ids = JSON.stringify(whole).match(/"operationId":"[^"]+"/g) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says what each section is for, in one chapter each', () => {
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into the document freely
    const whole: any = buildOpenapi({ routes, serverUrl: '', version: '' });
    for (const tag of whole.tags) expect(tag).toEqual({ name: tag.name, description: expect.any(String) });
    const inChapters = whole['x-tagGroups'].flatMap(({ tags }: { tags: string[] }) => tags);
    const names = whole.tags.map(({ name }: { name: string }) => name);
    expect(inChapters.toSorted()).toEqual(names.toSorted());
  });

  it('begins with an email that the API accepts', () => {
    const [, body = ''] = introduction('http://localhost:8080').match(/-d '(.*?)'/s) ?? [];
    expect(sendBodySchema.safeParse(JSON.parse(body)).error).toBeUndefined();
  });

  it('of each list with a cursor names the error for an invalid one', () => {
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into the document freely
    const { paths }: any = buildOpenapi({ routes, serverUrl: 'http://localhost:8080', version: '1.0.0' });
    const lists = Object.entries<{ get?: { parameters?: { name: string }[]; responses: object } }>(paths)
      .flatMap(([path, { get }]) => (get === undefined ? [] : [{ path, ...get }]))
      .filter(({ parameters }) => parameters?.some(({ name }) => name === 'cursor'));
    expect(lists.length).toBeGreaterThan(10);
    for (const { path, responses } of lists)
      expect([path, Object.keys(responses)]).toContainEqual(expect.arrayContaining(['400']));
  });

  it('has what client generators understand: names, one type or null, binary files', () => {
    const whole = buildOpenapi({ routes, serverUrl: 'http://localhost:8080', version: '1.0.0' });
    const json = JSON.stringify(whole, (_, value) => {
      expect(
        Array.isArray(value?.type) ? value.type.filter((type: string) => type !== 'null') : [1],
      ).toHaveLength(1);
      return value;
    });
    expect(json).not.toContain('__schema');
    // `'' | string`: a type with two texts.
    expect(json).not.toContain('"const":""');
    expect(json).not.toMatch(/"(?:anyOf|oneOf)":\[(?:[^[\]]*,)?\{\}/);
    expect(whole).toHaveProperty(
      [
        'paths',
        '/uploads/image',
        'post',
        'requestBody',
        'content',
        'multipart/form-data',
        'schema',
        'properties',
      ],
      { image: expect.objectContaining({ type: 'string', format: 'binary' }) },
    );
  });

  it('describes parameters without fixed names as an object', () => {
    const filter = { name: 'filter', in: 'query', style: 'deepObject', explode: true };
    expect(buildOpenapi({ routes, serverUrl: '', version: '' })).toHaveProperty(
      ['paths', '/contacts', 'get', 'parameters'],
      expect.arrayContaining([expect.objectContaining(filter)]),
    );
  });

  it('describes conditions, with all their operators', () => {
    const whole = JSON.stringify(buildOpenapi({ routes, serverUrl: '', version: '' }));
    expect(whole.match(/"#\/components\/schemas\/Condition"/g)?.length).toBeGreaterThan(5);
    for (const table of Object.values(operatorTables)) {
      for (const operator of table.keys()) expect(whole).toContain(`\`${operator}\``);
    }
  });

  it('has examples that match the schemas beside them', () => {
    const faults = routes.flatMap(({ method, path, body, bodyExample, responses }) => {
      const sent = bodyExample === undefined || body?.safeParse(bodyExample).success;
      const answered = Object.values<ResponseDeclaration>(responses).every(
        ({ schema, example }) =>
          example === undefined || isDeepStrictEqual(schema?.safeParse(example).data, example),
      );
      return [
        ...(sent ? [] : [`body of ${method} ${path}`]),
        ...(answered ? [] : [`answer of ${method} ${path}`]),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('lists path, query and header parameters', () => {
    expect(operation.parameters).toEqual([
      { name: 'itemId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      { name: 'part', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'page',
        in: 'query',
        required: false,
        description: 'From 1.',
        schema: { type: 'integer', minimum: 1, default: 1 },
      },
      { name: 'x-mode', in: 'header', required: true, schema: { type: 'string', enum: ['a', 'b'] } },
      expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: false }),
    ]);
  });

  it('distinguishes what is sent from what is answered', () => {
    const body = operation.requestBody.content['application/json'];
    expect(body.schema.$ref).not.toBe(operation.responses[200].content['application/json'].schema.$ref);
    const component = (reference: string) => document.components.schemas[reference.split('/').at(-1) ?? ''];
    expect(component(body.schema.$ref).required).toEqual(['id', 'at']);
    expect(component(operation.responses[200].content['application/json'].schema.$ref).required).toEqual([
      'id',
      'size',
      'at',
    ]);
    expect(body.example).toEqual({ id: example.id, at: example.at });
    expect(operation.responses[200].content['application/json'].example).toEqual(example);
    expect(operation.responses[204].content).toBeUndefined();
    expect(operation.requestBody.required).toBe(true);
  });

  it('names every possible error, with the codes that callers see', () => {
    const described = Object.fromEntries(
      Object.entries<{ description: string }>(operation.responses).map(([status, { description }]) => [
        status,
        description,
      ]),
    );
    expect(described).toEqual({
      200: 'The item',
      204: 'Nothing',
      400: '`INVALID_JSON`, `INVALID_IDEMPOTENCY_KEY`',
      401: '`MISSING_API_KEY`, `INVALID_API_KEY`, `UNAUTHENTICATED`',
      403: '`FORBIDDEN`, `PROJECT_DISABLED`, `INTERNAL_SERVER_ERROR`',
      404: '`NOT_FOUND`',
      409: '`IDEMPOTENCY_KEY_REUSED`',
      413: '`PAYLOAD_TOO_LARGE`',
      422: '`VALIDATION_ERROR`',
      429: '`RATE_LIMIT_EXCEEDED`',
      500: '`INTERNAL_SERVER_ERROR`',
      503: '`SERVICE_UNAVAILABLE`',
    });
    expect(operation.responses[422].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Error',
    });
    const created = document.paths['/items'].post.responses;
    expect(created[400].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/SimpleError',
    });
  });

  it('names the headers of answers, Retry-After included', () => {
    const ofKeyed = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    expect(Object.keys(operation.responses[200].headers)).toEqual(ofKeyed);
    expect(Object.keys(operation.responses[404].headers)).toEqual(['X-Request-Id']);
    expect(Object.keys(operation.responses[429].headers)).toEqual([...ofKeyed, 'Retry-After']);
    expect(Object.keys(operation.responses[503].headers)).toEqual(['X-Request-Id', 'Retry-After']);
    expect(document.components.headers['Retry-After'].schema.type).toBe('integer');
  });

  it('says who may call, and leaves hidden routes out', () => {
    expect(operation.security).toEqual([{ secretKey: [] }, { sessionCookie: [], projectId: [] }]);
    expect(document.paths['/items'].post.security).toEqual([{ publicKey: [] }]);
    expect(document.paths['/hidden']).toBeUndefined();
    expect(document.tags).toEqual([{ name: 'Items', description: undefined }]);
  });
});

describe('a declaration', () => {
  it('whose path and parameters disagree is refused at start', () => {
    expect(() =>
      defineRoute('GET /items/:id', {
        auth: 'none',
        tags: [],
        summary: 'Broken',
        params: z.object({ itemId: z.string() }),
        responses: { 204: { description: 'Nothing' } },
        handler: () => undefined,
      }),
    ).toThrow('different parameters');
  });
});
