import Router from '@koa/router';
import { z } from 'zod';
import { answerCall, readCall } from '../protocol/exchange.ts';
import type { Identities } from '../state/identities.ts';
import { type Identity, type IdentityStatus, identityTag } from '../state/state.ts';

const createSchema = z.object({ EmailIdentity: z.string().min(1), Tags: z.array(identityTag).default([]) });
const mailFromSchema = z.object({
  MailFromDomain: z.string().optional(),
  BehaviorOnMxFailure: z.enum(['USE_DEFAULT_VALUE', 'REJECT_MESSAGE']).default('USE_DEFAULT_VALUE'),
});
const statusOfProtocol = {
  pending: 'PENDING',
  verified: 'SUCCESS',
  failed: 'FAILED',
} as const satisfies Record<IdentityStatus, string>;

export function identityRoutes(identities: Identities): Router {
  return new Router()
    .post('/v2/email/identities', async (ctx) => {
      const call = await readCall(createSchema, ctx);
      const identity = await identities.create(call.EmailIdentity, call.Tags);
      answerCall(ctx, {
        IdentityType: typeOf(call.EmailIdentity),
        VerifiedForSendingStatus: false,
        DkimAttributes: dkimAttributes(identity),
      });
    })
    .get('/v2/email/identities/:name', async (ctx) => {
      const { name = '' } = ctx.params;
      answerCall(ctx, toIdentityAnswer(name, await identities.check(name)));
    })
    .delete('/v2/email/identities/:name', async (ctx) => {
      await identities.delete(ctx.params.name ?? '');
      answerCall(ctx, {});
    })
    .put('/v2/email/identities/:name/mail-from', async (ctx) => {
      const { MailFromDomain: domain = null, BehaviorOnMxFailure: behavior } = await readCall(
        mailFromSchema,
        ctx,
      );
      await identities.setMailFrom(ctx.params.name ?? '', domain, behavior);
      answerCall(ctx, {});
    });
}

function toIdentityAnswer(name: string, identity: Identity): object {
  const checkedAt = (identity.checkedAt ?? identity.createdAt) / 1_000;
  return {
    IdentityType: typeOf(name),
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: identity.status === 'verified',
    VerificationStatus: statusOfProtocol[identity.status],
    // This protocol has times in seconds since the epoch.
    VerificationInfo: {
      LastCheckedTimestamp: checkedAt,
      ...(identity.status === 'verified' && { LastSuccessTimestamp: checkedAt }),
      ...(identity.status === 'failed' && { ErrorType: 'HOST_NOT_FOUND' }),
    },
    DkimAttributes: dkimAttributes(identity),
    ...(identity.mailFrom !== null && {
      MailFromAttributes: {
        MailFromDomain: identity.mailFrom.domain,
        MailFromDomainStatus: identity.mailFrom.isVerified ? 'SUCCESS' : 'PENDING',
        BehaviorOnMxFailure: identity.mailFrom.behavior,
      },
    }),
    Policies: {},
    Tags: identity.tags,
  };
}

function dkimAttributes(identity: Identity): object {
  return {
    SigningEnabled: true,
    Status: identity.checkedAt === null ? 'NOT_STARTED' : statusOfProtocol[identity.status],
    Tokens: identity.tokens,
    SigningAttributesOrigin: 'AWS_SES',
    NextSigningKeyLength: 'RSA_2048_BIT',
    CurrentSigningKeyLength: 'RSA_2048_BIT',
  };
}

function typeOf(name: string): string {
  return name.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN';
}
