import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { readBody } from '../http/read-input.ts';
import { answerCall } from '../protocol/exchange.ts';
import { SesError } from '../protocol/ses-error.ts';
import type { Fate, Faults } from '../state/faults.ts';
import { sendBulkEmail, sendBulkEmailLimitBytes } from './send-bulk-email.ts';
import { sendEmail, sendEmailLimitBytes } from './send-email.ts';
import type { SendingContext } from './sender.ts';

/** A larger body takes four times its length in memory, including the parsed data. */
const largeBytes = 1024 * 1024;
const largeAtOnce = 2;

/** Avoids a router, which costs these calls more than the rest of Koa. */
export function sendingRoutes(context: SendingContext, faults: Faults): Middleware {
  const large = new FairSemaphore(largeAtOnce);
  return (ctx, next) => {
    switch (`${ctx.method} ${ctx.path}`) {
      case 'POST /v2/email/outbound-emails':
        return send(ctx, faults, ({ req }, fate) => {
          const call = () => run(req, sendEmailLimitBytes, fate, (body) => sendEmail(body, context));
          // Waiting requests stay unread, which slows their senders down.
          return isLarge(req) ? large.run('', call) : call();
        });
      case 'POST /v2/email/outbound-bulk-emails':
        return send(ctx, faults, ({ req }, fate) =>
          run(req, sendBulkEmailLimitBytes, fate, (body) => sendBulkEmail(body, context)),
        );
      default:
        return next();
    }
  };
}

function isLarge({ headers }: IncomingMessage): boolean {
  // Without a length, the body may have any size.
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > largeBytes;
}

async function send(
  ctx: Context,
  faults: Faults,
  runCall: (ctx: Context, fate: Fate) => Promise<object>,
): Promise<void> {
  const { fate, latencyMs } = faults.next();
  try {
    answerCall(ctx, await runCall(ctx, fate));
  } finally {
    if (latencyMs > 0) await sleep(latencyMs);
  }
  if (fate === 'dropReply') ctx.req.socket.destroy();
}

async function run(
  request: IncomingMessage,
  limitBytes: number,
  fate: Fate,
  accept: (body: Buffer) => Promise<object>,
): Promise<object> {
  const body = await readBody(request, limitBytes);
  if (fate === 'throttle') throw new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.');
  if (fate === 'fail') throw new SesError('MessageRejected', 'Refused by a fault of the local SES.');
  return accept(body);
}
