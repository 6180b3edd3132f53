import { requestLogDays } from '../../analytics/tables/request-log.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { requestListQuerySchema, requestPageSchema, requestSchema } from '../schemas/requests.ts';
import { loggedPerSecond } from '../services/request-buffer.ts';

export const listRequests = defineRoute('GET /requests', {
  summary: 'List the latest API requests, newest first',
  description:
    `Requests of the last ${requestLogDays} days made with a key of the project or by a session in it; they appear a few seconds after ` +
    'their answer. Paths, queries, bodies and keys are not kept, nor requests that were refused before their project was ' +
    'known, such as those with a wrong key or path. It is a log for ' +
    `diagnosis: at busy moments only some requests are kept, at most ${loggedPerSecond} successful and ${loggedPerSecond} failed ` +
    'requests per second and API process; what a killed process had not yet written is lost.',
  query: requestListQuerySchema,
  responses: ok('A page of requests.', requestPageSchema, {
    data: [
      {
        id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
        requestId: '6a1f0c1e-2d8b-4a57-9d0c-0d3c7f2b9e11',
        createdAt: '2026-02-01T09:00:00.000Z',
        method: 'POST',
        route: '/v1/send',
        status: 422,
        errorCode: 'VALIDATION_ERROR',
        credential: 'secretKey',
        durationMs: 3.41,
      },
    ],
    cursor: null,
    hasMore: false,
  }),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    const { requests, cursor } = await ctx.services.requestLog.list(project.id, query);
    const data = requests.map((request) => present(requestSchema, { ...request, createdAt: request.at }));
    ctx.body = { data, cursor, hasMore: cursor !== null };
  },
});
