import { z } from 'zod';
import { requestCredentials } from '../../analytics/tables/request-log.ts';
import { requestIdPattern } from '../../core/request-id.ts';
import { periodQuerySchema } from './activity.ts';
import { cursorPageSchema, limitSchema } from './pagination.ts';

const statusSchema = z
  .string()
  .regex(/^([2-5]xx|[1-5]\d\d)$/, 'Expected a status such as 404, or 2xx, 3xx, 4xx or 5xx')
  .meta({ description: 'A status, or `2xx`, `3xx`, `4xx` or `5xx`.', example: '4xx' })
  .transform((text) => {
    const first = Number(text.replace('xx', '00'));
    return { from: first, to: text.endsWith('xx') ? first + 99 : first };
  });

export const requestListQuerySchema = periodQuerySchema.extend({
  limit: limitSchema(50).describe('At most 100.'),
  cursor: z.string().optional(),
  status: statusSchema.optional(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  route: z
    .string()
    .max(255)
    .startsWith('/', 'Expected a route such as /contacts/:id')
    .optional()
    .meta({ description: 'The pattern of the path, as in this reference.', example: '/contacts/:id' }),
  requestId: z
    .string()
    .regex(requestIdPattern, 'Expected a request id: 1 to 128 letters, digits, _, . and -')
    .optional()
    .meta({ description: 'As in the header `X-Request-Id` and in every error.' }),
  credential: z
    .union([z.string(), z.array(z.string())])
    .transform((kinds) => [kinds].flat().flatMap((part) => part.split(',')))
    .pipe(z.array(z.enum(requestCredentials)))
    .optional()
    .meta({ description: 'Kinds of credential, separated by commas.', example: 'publicKey,secretKey' }),
});

export type RequestListQuery = z.output<typeof requestListQuerySchema>;

export const requestSchema = z
  .object({
    id: z.uuid().describe('Id of the log entry.'),
    requestId: z.string().describe('May be chosen by the client, and repeated.'),
    createdAt: z.iso.datetime().describe('When the request arrived.'),
    method: z.string(),
    route: z.string().describe('The pattern of the path, such as `/contacts/:id`.'),
    status: z.int().describe('499: the client disconnected before the answer.'),
    errorCode: z.string().nullable().describe('`error.code` of the answer.'),
    credential: z.enum(requestCredentials).describe('`session` is the dashboard.'),
    durationMs: z.number().describe('Until the answer began.'),
  })
  .meta({ id: 'LoggedRequest' });

export const requestPageSchema = cursorPageSchema(requestSchema);
