import { randomUUID } from 'node:crypto';
import { type ContractLine, malformedKeys, under, withBody, withQuery } from '../line.ts';
import type { World } from '../world.ts';
import { domainFields } from './fields.ts';

const one = async (world: World) => ({ params: { id: await world.domain() } });

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);
function form(content: Uint8Array | string, field = 'image'): FormData {
  const data = new FormData();
  data.append(field, new Blob([new Uint8Array(Buffer.from(content))], { type: 'image/png' }), 'photo.png');
  return data;
}

async function stored(world: World): Promise<{ projectId: string; file: string }> {
  const answer = await fetch(`${world.stack.url}/uploads/image`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${world.project.secretKey}` },
    body: form(image),
  });
  // as: the test of `POST /uploads/image` checks the shape of this answer.
  const [projectId = '', file = ''] = ((await answer.json()) as { key: string }).key.split('/');
  return { projectId, file };
}

export const domainLines: readonly ContractLine[] = [
  {
    line: 'GET /domains/project/:projectId',
    key: 'sk',
    success: 200,
    answer: under('data.0', domainFields),
    valid: (world) => ({ params: { projectId: world.project.id } }),
  },
  {
    line: 'POST /domains',
    key: 'sk',
    success: 201,
    answer: domainFields,
    // The key determines the project, whatever the body contains.
    valid: () => ({ body: { domain: `${randomUUID()}.example`, projectId: randomUUID() } }),
    required: ['domain'],
    refusals: [
      ...malformedKeys,
      {
        when: 'the domain is invalid',
        status: 422,
        issue: 'invalid_string',
        change: withBody({ domain: 'not a domain' }),
      },
      {
        when: 'a project has the domain',
        status: 409,
        code: 'CONFLICT',
        change: (valid, world) => withBody({ domain: world.from.split('@')[1] })(valid),
      },
    ],
  },
  { line: 'GET /domains/:id/verify', key: 'sk', success: 200, answer: domainFields, valid: one },
  {
    line: 'DELETE /domains/:id',
    key: 'sk',
    success: 204,
    valid: one,
    refusals: [
      {
        when: 'a template sends from it',
        status: 409,
        code: 'CONFLICT',
        change: async (_, world) => {
          await world.template();
          const { data } = await world.call('GET', `/domains/project/${world.project.id}`);
          const used = data.find(({ domain }: { domain: string }) => world.from.endsWith(`@${domain}`));
          return { params: { id: used.id } };
        },
      },
    ],
  },
  {
    line: 'POST /uploads/image',
    key: 'sk',
    success: 201,
    answer: ['url', 'key', 'contentType', 'size'],
    valid: () => ({ form: form(image) }),
    refusals: [
      {
        when: 'the file is missing',
        status: 400,
        code: 'BAD_REQUEST',
        change: () => ({ form: new FormData() }),
      },
      {
        when: 'the file is not an image',
        status: 422,
        change: () => ({ form: form('<svg><script>1</script></svg>') }),
      },
      {
        when: 'the image is larger than 10 MB',
        status: 413,
        code: 'PAYLOAD_TOO_LARGE',
        change: () => ({ form: form(Buffer.concat([image, Buffer.alloc(10 * 1024 * 1024)])) }),
      },
    ],
  },
  {
    line: 'GET /uploads',
    key: 'sk',
    success: 200,
    answer: [
      ...under('data.0', ['url', 'key', 'contentType', 'size', 'createdAt']),
      ...under('used', ['files', 'bytes']),
      ...under('quota', ['files', 'bytes']),
      'cursor',
      'hasMore',
    ],
    valid: async (world) => {
      await stored(world);
      return {};
    },
    refusals: [
      { when: 'the cursor is invalid', status: 400, code: 'BAD_REQUEST', change: withQuery('cursor=none') },
    ],
  },
  {
    line: 'DELETE /uploads/:projectId/:file',
    key: 'sk',
    success: 204,
    names: ['projectId', 'file'],
    valid: async (world) => ({ params: await stored(world) }),
    refusals: [
      {
        when: 'the file does not exist',
        status: 404,
        code: 'NOT_FOUND',
        change: ({ params }) => ({ params: { ...params, file: 'nothing.png' } }),
      },
    ],
  },
  {
    line: 'GET /uploads/:projectId/:file',
    key: 'none',
    success: 200,
    type: 'image/png',
    names: ['projectId', 'file'],
    valid: async (world) => ({ params: await stored(world) }),
    refusals: [
      {
        when: 'the file does not exist',
        status: 404,
        code: 'NOT_FOUND',
        change: ({ params }) => ({ params: { ...params, file: 'nothing.png' } }),
      },
    ],
  },
];
