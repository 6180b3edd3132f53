import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults } from '../faults.ts';
import type { Exchange, Route } from '../http/router.ts';
import { answerCall, answerError, readCallBody } from '../protocol/exchange.ts';
import { SesError } from '../protocol/ses-error.ts';
import { sendBulkEmail, sendBulkEmailLimitBytes } from './send-bulk-email.ts';
import { sendEmail, sendEmailLimitBytes } from './send-email.ts';
import type { SendingContext } from './sender.ts';

/** The two sending calls, under the faults that are set. */
export function sendingRoutes(context: SendingContext, faults: Faults): Route[] {
  return [
    {
      method: 'POST',
      path: '/v2/email/outbound-emails',
      handle: (exchange) => send(exchange, faults, sendEmailLimitBytes, (body) => sendEmail(body, context)),
    },
    {
      method: 'POST',
      path: '/v2/email/outbound-bulk-emails',
      handle: (exchange) =>
        send(exchange, faults, sendBulkEmailLimitBytes, (body) => sendBulkEmail(body, context)),
    },
  ];
}

async function send(
  { request, response }: Exchange,
  faults: Faults,
  limitBytes: number,
  accept: (body: Buffer) => Promise<object>,
): Promise<void> {
  const { fate, latencyMs } = faults.next();
  const outcome = await run(request, limitBytes, async (body) => {
    if (fate === 'throttle') throw new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.');
    if (fate === 'fail') throw new SesError('MessageRejected', 'Refused by a fault of the local SES.');
    return accept(body);
  });
  if (latencyMs > 0) await sleep(latencyMs);
  if (outcome instanceof SesError) answerError(response, outcome);
  else if (fate === 'dropReply') request.socket.destroy();
  else answerCall(response, outcome);
}

async function run(
  request: IncomingMessage,
  limitBytes: number,
  accept: (body: Buffer) => Promise<object>,
): Promise<object | SesError> {
  try {
    return await accept(await readCallBody(request, limitBytes));
  } catch (error) {
    if (error instanceof SesError) return error;
    throw error;
  }
}
