import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import type { Shutdown } from '../../runtime/shutdown.ts';

export interface ProbeOptions {
  host: string;
  port: number;
  registry: Registry;
  isReady: () => boolean;
}

export async function startProbes(options: ProbeOptions, shutdown: Shutdown): Promise<void> {
  if (options.port === 0) return;
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: string, type = 'application/json') =>
      response.writeHead(status, { 'Content-Type': type }).end(body);
    switch (request.url) {
      case '/health':
        return answer(200, '{"status":"ok"}');
      case '/ready':
        return options.isReady()
          ? answer(200, '{"status":"ready"}')
          : answer(503, '{"status":"unavailable"}');
      case '/metrics':
        return options.registry.metrics().then(
          (text) => answer(200, text, options.registry.contentType),
          () => answer(503, '{"status":"unavailable"}'),
        );
      default:
        return answer(404, '{"status":"not found"}');
    }
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  shutdown.add('probes', async () => {
    server.close();
    server.closeAllConnections();
  });
}
