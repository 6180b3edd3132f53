import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { LeftOutReason } from '../services/request-buffer.ts';

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

export function createApiMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'posthaste_http_request_duration_seconds',
    help: 'Time from the request line to the answer, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const rateLimited = new Counter({
    name: 'posthaste_http_rate_limited_total',
    help: 'Requests refused with 429.',
    labelNames: ['route'],
    registers: [registry],
  });
  const unlogged = new Counter({
    name: 'posthaste_request_log_left_out_total',
    help: 'Requests left out of the request log: too many of the project or the process, or ClickHouse is unavailable.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['project', 'process', 'clickhouse'] satisfies LeftOutReason[]) {
    unlogged.inc({ reason }, 0);
  }

  return {
    registry,
    observeRequest: (method: string, route: string, status: number, seconds: number) => {
      requests.observe({ method, route, status }, seconds);
      if (status === 429) rateLimited.inc({ route });
    },
    countUnlogged: (reason: LeftOutReason, requests: number) => unlogged.inc({ reason }, requests),
  };
}
