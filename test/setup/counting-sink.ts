import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../../local/testing/listen.ts';

/** `reset` closes the connection without an answer. */
export type SinkAnswer = { status: number; afterMs: number } | 'reset';

export interface CountingSink {
  url: string;
  /** By `webhook-id`. */
  calls: ReadonlyMap<string, SinkCall>;
  close(): void;
}

export interface SinkCall {
  /** Statuses that were answered. */
  answered: number[];
  unanswered: number;
  arrivedAt: Date[];
}

/** @param answer gets the number of earlier calls with the same id */
export async function startCountingSink(
  answer: (body: string, before: number) => SinkAnswer,
): Promise<CountingSink> {
  const calls = new Map<string, SinkCall>();
  const server = createServer(async (request, response) => {
    const id = String(request.headers['webhook-id']);
    let body = '';
    for await (const chunk of request) body += chunk;
    const call = calls.get(id) ?? { answered: [], unanswered: 0, arrivedAt: [] };
    calls.set(id, call);
    call.arrivedAt.push(new Date());
    const given = answer(body, call.answered.length + call.unanswered);
    if (given === 'reset') {
      call.unanswered += 1;
      request.socket.destroy();
      return;
    }
    // Counted before the answer is sent: even if the caller is gone by then, the call counts as answered.
    call.answered.push(given.status);
    await delay(given.afterMs);
    response.writeHead(given.status).end('{}');
  });
  server.on('clientError', () => undefined);
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
