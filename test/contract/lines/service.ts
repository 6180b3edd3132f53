import { randomUUID } from 'node:crypto';
import type { LinkPurpose } from '../../../core/public-links.ts';
import { createTestSubscriber } from '../../setup/subscribers.ts';
import type { ContractLine, Refusal } from '../line.ts';
import type { World } from '../world.ts';

const page = 'text/html; charset=utf-8';

const link = (purpose: LinkPurpose) => async (world: World) => {
  const { stack, project, call } = world;
  const post = async (path: string, body: unknown) => ({ body: await call('POST', path, body) });
  const subscriber = await createTestSubscriber(stack, { projectId: project.id, post });
  return { params: { token: subscriber.token(purpose) } };
};

const forged = (when: string, body: (world: World) => string): Refusal => ({
  when,
  status: 403,
  code: 'FORBIDDEN',
  change: (_, world) => ({ body: body(world) }),
});

const pages = (purpose: LinkPurpose, methods: ('GET' | 'POST')[] = ['GET', 'POST']): ContractLine[] =>
  methods.map((method) => ({
    line: `${method} /${purpose}/:token`,
    key: 'link',
    success: 200,
    type: page,
    names: ['token'],
    valid: async (world) => ({
      ...(await link(purpose)(world)),
      ...(method === 'POST' && {
        body: 'snooze=2-weeks',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
    }),
    refusals: [
      {
        when: 'the token is not one of ours',
        status: 404,
        change: (valid) => ({ ...valid, params: { token: randomUUID() } }),
      },
    ],
  }));

export const serviceLines: readonly ContractLine[] = [
  {
    line: 'GET /config',
    key: 'none',
    success: 200,
    answer: [
      'version',
      'features.billing',
      'features.objectStorage',
      'features.signup',
      'features.smtp',
      'features.inbound',
      'features.oauth.google',
      'features.oauth.github',
      'urls.api',
      'urls.dashboard',
      'urls.temporalUi',
    ],
    valid: () => ({}),
  },
  ...pages('unsubscribe'),
  ...pages('subscribe'),
  ...pages('manage'),
  ...pages('view', ['GET']),
  { line: 'GET /health', key: 'none', success: 200, answer: ['status'], valid: () => ({}) },
  {
    line: 'GET /ready',
    key: 'none',
    success: 200,
    answer: ['status', 'dependencies.postgres', 'dependencies.temporal', 'dependencies.clickhouse'],
    valid: () => ({}),
  },
  {
    line: 'GET /metrics',
    key: 'none',
    success: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    valid: () => ({}),
  },
  { line: 'GET /openapi.json', key: 'none', success: 200, answer: ['openapi', 'paths'], valid: () => ({}) },
  { line: 'GET /docs', key: 'none', success: 200, type: page, valid: () => ({}) },
  {
    line: 'GET /docs/:file',
    key: 'none',
    success: 200,
    type: 'text/javascript; charset=utf-8',
    names: ['file'],
    valid: () => ({ params: { file: 'start.js' } }),
    refusals: [
      {
        when: 'the file does not exist',
        status: 404,
        code: 'NOT_FOUND',
        change: () => ({ params: { file: 'package.json' } }),
      },
    ],
  },
  {
    line: 'POST /webhooks/sns',
    key: 'none',
    success: 200,
    answer: ['outcome'],
    valid: (world) => ({ body: world.notification() }),
    refusals: [
      forged('the topic is another', (world) =>
        world.notification('arn:aws:sns:us-east-1:000000000000:other'),
      ),
      forged('something else was signed', (world) =>
        world.notification().replace('Subscription', 'Complaint'),
      ),
      forged('it is no notification', () => '{}'),
    ],
  },
];
