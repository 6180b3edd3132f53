import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What the API counts, and the registry that everything else of the process adds its own to. */
export interface ApiMetrics {
  registry: Registry;
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  countRateLimited(route: string): void;
}

/** Default metrics of the process, a request histogram by route and status, and refusals by the rate limit. */
export function createApiMetrics(): ApiMetrics {
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
  // Finding the series of three labels costs more than counting; routes, methods and statuses are few.
  const series = new Map<string, { observe(seconds: number): void }>();

  return {
    registry,
    observeRequest: (method, route, status, seconds) => {
      const key = `${method} ${route} ${status}`;
      let child = series.get(key);
      if (child === undefined) {
        child = requests.labels(method, route, String(status));
        series.set(key, child);
      }
      child.observe(seconds);
    },
    countRateLimited: (route) => rateLimited.inc({ route }),
  };
}
