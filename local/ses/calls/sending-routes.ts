import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { readBody } from '../http/read-input.ts';
import { answerCall } from '../protocol/exchange.ts';
import { SesError } from '../protocol/ses-error.ts';
import type { Faults } from '../state/faults.ts';
import { sendBulkEmail, sendBulkEmailLimitBytes } from './send-bulk-email.ts';
import { sendEmail, sendEmailLimitBytes } from './send-email.ts';
import type { SendingContext } from './sender.ts';

/** A larger body takes four times its length in memory, including the parsed data. */
const largeBytes = 1024 * 1024;
const largeAtOnce = 2;

const calls = new Map([
  ['POST /v2/email/outbound-emails', { limitBytes: sendEmailLimitBytes, accept: sendEmail }],
  ['POST /v2/email/outbound-bulk-emails', { limitBytes: sendBulkEmailLimitBytes, accept: sendBulkEmail }],
]);

/** Avoids a router, which costs these calls more than the rest of Koa. */
export function sendingRoutes(context: SendingContext, faults: Faults): Middleware {
  const large = new FairSemaphore(largeAtOnce);
  return async (ctx, next) => {
    const call = calls.get(`${ctx.method} ${ctx.path}`);
    if (call === undefined) return next();
    const { fate, latencyMs } = faults.next();
    const answer = async () => {
      const body = await readBody(ctx.req, call.limitBytes);
      if (fate === 'throttle')
        throw new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.');
      if (fate === 'fail') throw new SesError('MessageRejected', 'Refused by a fault of the local SES.');
      answerCall(ctx, await call.accept(body, context));
    };
    try {
      // Waiting requests stay unread, which slows their senders down.
      await (isLarge(ctx.req) ? large.run('', answer) : answer());
    } finally {
      if (latencyMs > 0) await sleep(latencyMs);
    }
    if (fate === 'dropReply') ctx.req.socket.destroy();
  };
}

function isLarge({ headers }: IncomingMessage): boolean {
  // Without a length, the body may have any size.
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > largeBytes;
}
