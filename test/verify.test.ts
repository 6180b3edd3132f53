import { beforeEach, describe, expect, it } from 'vitest';
import { startDnsServer } from '../providers/testing/dns-server.ts';
import { fileFixture } from './setup/fixtures.ts';
import { useTestProduct } from './setup/product.ts';
import { useOneSender } from './setup/sender.ts';

const dns = fileFixture(
  () => startDnsServer(),
  ({ close }) => close(),
);
const stack = useTestProduct(() => ({ DNS_SERVERS: dns.address }));
const sender = useOneSender(stack);
beforeEach(() => {
  dns.behavior = 'answering';
  dns.records = [
    'shop.example',
    'gmail.com',
    'gmaill.com',
    'mailinator.com',
    'aleeas.com',
    'xn--bcher-kva.example',
  ].flatMap((name) => [
    { type: 'NS' as const, name, value: 'ns1.host.example' },
    { type: 'MX' as const, name, value: `mail.${name}` },
  ]);
});

const verify = (body: unknown) => sender.post('/v1/verify', body);

describe('POST /v1/verify', () => {
  it('returns every field of the contract', async () => {
    const answer = await verify({ email: ' Ada@Shop.Example ' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: {
        email: 'ada@shop.example',
        valid: true,
        isDisposable: false,
        isAlias: false,
        isTypo: false,
        isPlusAddressed: false,
        isPersonalEmail: false,
        domainExists: true,
        hasWebsite: false,
        hasMxRecords: true,
        reasons: [],
      },
    });
  });

  it.each([
    ['ada+x@gmail.com', { valid: true, isPersonalEmail: true, isPlusAddressed: true }],
    ['ada@gmaill.com', { valid: false, isTypo: true, suggestedEmail: 'ada@gmail.com', hasMxRecords: true }],
    ['ada@mailinator.com', { valid: false, isDisposable: true, hasMxRecords: true }],
    ['ada@aleeas.com', { valid: true, isAlias: true }],
    ['ada@nowhere.example', { valid: false, domainExists: false, reasons: ['The domain does not exist'] }],
    ['ada@bücher.example', { valid: true, email: 'ada@xn--bcher-kva.example' }],
  ])('classifies %s', async (email, expected) => {
    const { status, body } = await verify({ email });
    expect(status).toBe(200);
    expect(body.data).toMatchObject(expected);
  });

  it.each([
    { email: 'ada' },
    { email: 'ada@localhost' },
    { email: '"a b"@x.io' },
    { email: 'a@b@x.io' },
    { email: 7 },
    {},
  ])('refuses %j with 422', async (body) => {
    const answer = await verify(body);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field: 'email' }] });
  });

  it('answers 503 while DNS is down, and correctly once it is back', async () => {
    const email = 'ada@late.example';
    dns.behavior = 'silent';
    const away = await verify({ email });
    expect(away.status).toBe(503);
    expect(away.body.error.code).toBe('SERVICE_UNAVAILABLE');
    dns.behavior = 'answering';
    dns.records.push({ type: 'MX', name: 'late.example', value: 'mail.late.example' });
    expect((await verify({ email })).body.data).toMatchObject({ valid: true });
  });
});
