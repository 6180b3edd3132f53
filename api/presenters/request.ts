import type { z } from 'zod';
import type { LoggedRequest } from '../../analytics/tables/request-log.ts';
import type { requestSchema } from '../schemas/requests.ts';

export function presentRequest({ at, ...request }: LoggedRequest): z.output<typeof requestSchema> {
  return { ...request, createdAt: at.toISOString() };
}
