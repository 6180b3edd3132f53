import { z } from 'zod';
import type { Route } from '../http/router.ts';
import { answerCall, readCall } from '../protocol/exchange.ts';
import type { Identities } from '../state/identities.ts';
import { type Identity, type IdentityStatus, identityTag } from '../state/state.ts';

const createSchema = z.object({
  EmailIdentity: z.string().min(1),
  Tags: z.array(identityTag).default([]),
});
const mailFromSchema = z.object({
  MailFromDomain: z.string().optional(),
  BehaviorOnMxFailure: z.enum(['USE_DEFAULT_VALUE', 'REJECT_MESSAGE']).default('USE_DEFAULT_VALUE'),
});
const statusOfProtocol = {
  pending: 'PENDING',
  verified: 'SUCCESS',
  failed: 'FAILED',
} as const satisfies Record<IdentityStatus, string>;

export function identityRoutes(identities: Identities): Route[] {
  return [
    {
      method: 'POST',
      path: '/v2/email/identities',
      handle: async ({ request, response }) => {
        const call = await readCall(createSchema, request);
        const identity = await identities.create(call.EmailIdentity, call.Tags);
        answerCall(response, {
          IdentityType: typeOf(call.EmailIdentity),
          VerifiedForSendingStatus: false,
          DkimAttributes: dkimAttributes(identity),
        });
      },
    },
    {
      method: 'GET',
      path: '/v2/email/identities/:name',
      handle: async ({ response, params }) => {
        const name = params.name ?? '';
        answerCall(response, toIdentityAnswer(name, await identities.check(name)));
      },
    },
    {
      method: 'DELETE',
      path: '/v2/email/identities/:name',
      handle: async ({ response, params }) => {
        await identities.delete(params.name ?? '');
        answerCall(response, {});
      },
    },
    {
      method: 'PUT',
      path: '/v2/email/identities/:name/mail-from',
      handle: async ({ request, response, params }) => {
        const call = await readCall(mailFromSchema, request);
        await identities.setMailFrom(
          params.name ?? '',
          call.MailFromDomain ?? null,
          call.BehaviorOnMxFailure,
        );
        answerCall(response, {});
      },
    },
  ];
}

function toIdentityAnswer(name: string, identity: Identity): object {
  const checkedAt = (identity.checkedAt ?? identity.createdAt) / 1_000;
  return {
    IdentityType: typeOf(name),
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: identity.status === 'verified',
    VerificationStatus: statusOfProtocol[identity.status],
    // Times are seconds since the epoch in this protocol.
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
