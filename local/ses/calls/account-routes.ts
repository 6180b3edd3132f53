import Router from '@koa/router';
import type { MailStore } from '../mail/mail-store.ts';
import { answerCall } from '../protocol/exchange.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** `GetAccount` of an account out of the sandbox. @param maxSendRate reported emails per second */
export function accountRoutes(store: MailStore, maxSendRate: number): Router {
  return new Router().get('/v2/email/account', (ctx) =>
    answerCall(ctx, {
      DedicatedIpAutoWarmupEnabled: false,
      EnforcementStatus: 'HEALTHY',
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      SendQuota: {
        // A day's worth at this rate.
        Max24HourSend: maxSendRate * (dayMs / 1_000),
        MaxSendRate: maxSendRate,
        SentLast24Hours: store.countSince(Date.now() - dayMs),
      },
      SuppressionAttributes: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    }),
  );
}
