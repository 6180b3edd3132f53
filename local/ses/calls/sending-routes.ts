import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { Exchange, Route } from '../http/router.ts';
import { answerCall, answerError, readCallBody } from '../protocol/exchange.ts';
import { SesError } from '../protocol/ses-error.ts';
import type { Fate, Faults } from '../state/faults.ts';
import { sendBulkEmail, sendBulkEmailLimitBytes } from './send-bulk-email.ts';
import { sendEmail, sendEmailLimitBytes } from './send-email.ts';
import type { SendingContext } from './sender.ts';

/** A larger body and what is parsed from it take four times its length in memory. */
const largeBytes = 1024 * 1024;
const largeAtOnce = 2;

export function sendingRoutes(context: SendingContext, faults: Faults): Route[] {
  const large = new FairSemaphore(largeAtOnce);
  return [
    {
      method: 'POST',
      path: '/v2/email/outbound-emails',
      handle: (exchange) =>
        send(exchange, faults, (request, fate) => {
          const call = () => run(request, sendEmailLimitBytes, fate, (body) => sendEmail(body, context));
          // The others wait unread, which slows their senders down.
          return isLarge(request) ? large.run('', call) : call();
        }),
    },
    {
      method: 'POST',
      path: '/v2/email/outbound-bulk-emails',
      handle: (exchange) =>
        send(exchange, faults, (request, fate) =>
          run(request, sendBulkEmailLimitBytes, fate, (body) => sendBulkEmail(body, context)),
        ),
    },
  ];
}

function isLarge({ headers }: IncomingMessage): boolean {
  // Without a length it may be of any size.
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > largeBytes;
}

async function send(
  { request, response }: Exchange,
  faults: Faults,
  runCall: (request: IncomingMessage, fate: Fate) => Promise<object | SesError>,
): Promise<void> {
  const { fate, latencyMs } = faults.next();
  const outcome = await runCall(request, fate);
  if (latencyMs > 0) await sleep(latencyMs);
  if (outcome instanceof SesError) answerError(response, outcome);
  else if (fate === 'dropReply') request.socket.destroy();
  else answerCall(response, outcome);
}

async function run(
  request: IncomingMessage,
  limitBytes: number,
  fate: Fate,
  accept: (body: Buffer) => Promise<object>,
): Promise<object | SesError> {
  try {
    const body = await readCallBody(request, limitBytes);
    if (fate === 'throttle') throw new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.');
    if (fate === 'fail') throw new SesError('MessageRejected', 'Refused by a fault of the local SES.');
    return await accept(body);
  } catch (error) {
    if (error instanceof SesError) return error;
    throw error;
  }
}
