import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetAccountCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import { describe, expect, it } from 'vitest';
import { emailTo, startTestSes } from './testing/test-ses.ts';

describe('identities', () => {
  it('are pending with three DKIM tokens when created, and verified at the first check', async () => {
    const { client } = await startTestSes();
    const created = await client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'Example.test' }));
    expect(created).toMatchObject({
      IdentityType: 'DOMAIN',
      VerifiedForSendingStatus: false,
      DkimAttributes: { Status: 'NOT_STARTED', SigningAttributesOrigin: 'AWS_SES' },
    });
    const tokens = created.DkimAttributes?.Tokens ?? [];
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(token).toMatch(/^[a-z0-9]{32}$/);
    await expect(client.send(new SendEmailCommand(emailTo('a@x.test')))).rejects.toMatchObject({
      name: 'MessageRejected',
    });
    const checked = await client.send(new GetEmailIdentityCommand({ EmailIdentity: 'example.test' }));
    expect(checked).toMatchObject({
      VerifiedForSendingStatus: true,
      VerificationStatus: 'SUCCESS',
      DkimAttributes: { Status: 'SUCCESS', Tokens: tokens },
    });
    expect(checked.VerificationInfo?.LastSuccessTimestamp?.getTime()).toBeGreaterThan(Date.now() - 10_000);
    await client.send(new SendEmailCommand(emailTo('a@x.test')));
  });

  it('keep the tags that they were created with', async () => {
    const { client } = await startTestSes();
    const Tags = [{ Key: 'owner', Value: 'ada' }];
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'example.test', Tags }));
    const checked = await client.send(new GetEmailIdentityCommand({ EmailIdentity: 'example.test' }));
    expect(checked.Tags).toEqual(Tags);
  });

  it.each([
    ['shop.invalid', 'PENDING'],
    ['pending.example.test', 'PENDING'],
    ['shop.failing.test', 'FAILED'],
    ['pendings.test', 'SUCCESS'],
  ])('named %s are %s after a check', async (domain, status) => {
    const { client } = await startTestSes();
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
    const checked = await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
    expect(checked.VerificationStatus).toBe(status);
    expect(checked.VerifiedForSendingStatus).toBe(status === 'SUCCESS');
  });

  it('keep a status set by the control API, and stop sending with it', async () => {
    const { client, verify, control } = await startTestSes();
    await verify('example.test');
    for (const status of ['pending', 'failed'] as const) {
      expect((await control('PUT', '/api/identities/example.test', { status })).status).toBe(200);
      const checked = await client.send(new GetEmailIdentityCommand({ EmailIdentity: 'example.test' }));
      expect(checked.VerificationStatus).toBe(status.toUpperCase());
      await expect(client.send(new SendEmailCommand(emailTo('a@x.test')))).rejects.toMatchObject({
        name: 'MessageRejected',
      });
    }
    await control('PUT', '/api/identities/example.test', { status: 'verified' });
    await client.send(new SendEmailCommand(emailTo('a@x.test')));
    expect((await control('PUT', '/api/identities/none.test', { status: 'verified' })).status).toBe(404);
    expect((await control('PUT', '/api/identities/example.test', { status: 'maybe' })).status).toBe(400);
  });

  it('are refused when they exist already, are malformed, or are gone', async () => {
    const { client, verify } = await startTestSes();
    await verify('example.test');
    const create = (name: string) => client.send(new CreateEmailIdentityCommand({ EmailIdentity: name }));
    await expect(create('EXAMPLE.test')).rejects.toMatchObject({ name: 'AlreadyExistsException' });
    await expect(create('not a domain')).rejects.toMatchObject({ name: 'BadRequestException' });
    await client.send(new DeleteEmailIdentityCommand({ EmailIdentity: 'example.test' }));
    for (const command of [
      new GetEmailIdentityCommand({ EmailIdentity: 'example.test' }),
      new DeleteEmailIdentityCommand({ EmailIdentity: 'example.test' }),
    ]) {
      await expect(client.send(command)).rejects.toMatchObject({ name: 'NotFoundException' });
    }
    await create('example.test');
  });

  it('take a MAIL FROM domain below their own, which a check verifies', async () => {
    const { client, verify } = await startTestSes();
    await verify('example.test');
    const put = (MailFromDomain: string) =>
      client.send(
        new PutEmailIdentityMailFromAttributesCommand({
          EmailIdentity: 'example.test',
          MailFromDomain,
          BehaviorOnMxFailure: 'REJECT_MESSAGE',
        }),
      );
    await expect(put('bounce.other.test')).rejects.toMatchObject({ name: 'BadRequestException' });
    await put('bounce.example.test');
    await expect(client.send(new SendEmailCommand(emailTo('a@x.test')))).rejects.toMatchObject({
      name: 'MailFromDomainNotVerifiedException',
    });
    const checked = await client.send(new GetEmailIdentityCommand({ EmailIdentity: 'example.test' }));
    expect(checked.MailFromAttributes).toEqual({
      MailFromDomain: 'bounce.example.test',
      MailFromDomainStatus: 'SUCCESS',
      BehaviorOnMxFailure: 'REJECT_MESSAGE',
    });
    await client.send(new SendEmailCommand(emailTo('a@x.test')));
  });
});

describe('account', () => {
  it('grants the send rate that was configured and counts the day', async () => {
    const { client, verify } = await startTestSes({ maxSendRate: 14 });
    await verify('example.test');
    await client.send(new SendEmailCommand(emailTo('a@x.test')));
    expect(await client.send(new GetAccountCommand({}))).toMatchObject({
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      SendQuota: { MaxSendRate: 14, SentLast24Hours: 1 },
    });
  });
});
