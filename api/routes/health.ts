import type { Registry } from 'prom-client';
import { z } from 'zod';
import { createReadiness, type ReadinessChecks } from '../edge/readiness.ts';
import { createDefineRoute, type Route } from '../edge/route.ts';

const readinessSchema = z
  .object({
    status: z.enum(['ready', 'degraded', 'unavailable']),
    dependencies: z.record(
      z.string(),
      z.object({ status: z.enum(['up', 'down']), latencyMs: z.number().int().min(0) }),
    ),
  })
  .meta({ id: 'Readiness' });

export interface HealthOptions {
  readiness: ReadinessChecks;
  registry: Registry;
}

/** What a supervisor, a load balancer and Prometheus ask. */
export function healthRoutes<S>({ readiness, registry }: HealthOptions): Route<S>[] {
  const defineRoute = createDefineRoute<S>();
  const look = createReadiness(readiness);

  const health = defineRoute({
    method: 'GET',
    path: '/health',
    auth: 'none',
    tags: ['Operations'],
    summary: 'Whether the process runs',
    responses: { 200: { description: 'It does', schema: z.object({ status: z.literal('ok') }) } },
    handler: async () => ({ status: 200, body: { status: 'ok' as const } }),
  });

  const ready = defineRoute({
    method: 'GET',
    path: '/ready',
    auth: 'none',
    tags: ['Operations'],
    summary: 'Whether requests can be served',
    description:
      'Ready needs Postgres. Without ClickHouse or Temporal the API is degraded: it accepts, and what they missed is caught up.',
    responses: {
      200: { description: 'Ready, or degraded', schema: readinessSchema },
      503: { description: 'Postgres is away', schema: readinessSchema },
    },
    handler: async () => {
      const body = await look();
      return body.status === 'unavailable' ? { status: 503, body } : { status: 200, body };
    },
  });

  const metrics = defineRoute({
    method: 'GET',
    path: '/metrics',
    auth: 'none',
    tags: ['Operations'],
    summary: 'Metrics for Prometheus',
    responses: { 200: { description: 'Text exposition format', contentType: registry.contentType } },
    handler: async () => ({ status: 200, body: await registry.metrics() }),
  });

  return [health, ready, metrics];
}
