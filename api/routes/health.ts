import type { Registry } from 'prom-client';
import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';
import type { Route } from '../edge/route.ts';
import { createReadiness, type ReadinessChecks } from '../services/readiness.ts';

const readinessSchema = z
  .object({
    status: z.enum(['ready', 'degraded', 'unavailable']),
    dependencies: z.record(
      z.string(),
      z.object({ status: z.enum(['up', 'down']), latencyMs: z.int().min(0) }),
    ),
  })
  .meta({ id: 'Readiness' });

export interface HealthOptions {
  readiness: ReadinessChecks;
  registry: Registry;
}

export function healthRoutes({ readiness: checks, registry }: HealthOptions): Route[] {
  const look = createReadiness(checks);

  const health = defineRoute('GET /health', {
    auth: 'none',
    tags: ['Operations'],
    summary: 'Whether the process is running',
    responses: ok('The process is running', z.object({ status: z.literal('ok') })),
    handler(ctx) {
      ctx.body = { status: 'ok' };
    },
  });

  const ready = defineRoute('GET /ready', {
    auth: 'none',
    tags: ['Operations'],
    summary: 'Whether requests can be served',
    description:
      'Requires Postgres. Without ClickHouse or Temporal the API is degraded: it still accepts requests, ' +
      'and both catch up later.',
    responses: {
      200: { description: 'Ready, or degraded', schema: readinessSchema },
      503: { description: 'Postgres is unreachable', schema: readinessSchema },
    },
    async handler(ctx) {
      const readiness = await look();
      ctx.status = readiness.status === 'unavailable' ? 503 : 200;
      ctx.body = readiness;
    },
  });

  const metrics = defineRoute('GET /metrics', {
    auth: 'none',
    tags: ['Operations'],
    summary: 'Metrics for Prometheus',
    responses: { 200: { description: 'Text exposition format', contentType: registry.contentType } },
    async handler(ctx) {
      ctx.type = registry.contentType;
      ctx.body = await registry.metrics();
    },
  });

  return [health, ready, metrics];
}
