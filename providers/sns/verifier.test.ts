import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createSigningKey,
  createSnsSigner,
  type SigningKey,
  type SnsMessage as UnsignedMessage,
} from '../../local/ses/events/sns-signer.ts';
import { type SeenRequest, startHttpServer, type TestHttpServer } from '../testing/http-server.ts';
import { type SnsMessage, snsMessageSchema } from './message.ts';
import { createSnsVerifier } from './verifier.ts';

const topic = 'arn:aws:sns:us-east-1:123456789012:posthaste';
const otherTopic = 'arn:aws:sns:us-east-1:123456789012:other';
let key: SigningKey;
let otherKey: SigningKey;
let server: TestHttpServer;
let verifier: ReturnType<typeof createSnsVerifier>;

beforeAll(async () => {
  [key, otherKey] = await Promise.all([createSigningKey(2048), createSigningKey(2048)]);
  server = await startHttpServer(answer);
});
afterAll(() => server.close());
beforeEach(() => {
  verifier = createSnsVerifier({ topicArns: [topic, otherTopic], localHost: server.host });
});
afterEach(() => {
  server.requests.length = 0;
});

function answer({ path }: SeenRequest, response: Parameters<Parameters<typeof startHttpServer>[0]>[1]): void {
  if (path === '/certificate.pem') response.end(key.certificatePem);
  else if (path === '/moved') response.writeHead(302, { location: `${server.url}/confirm` }).end();
  else if (path.startsWith('/confirm')) response.end('<ConfirmSubscriptionResponse/>');
  else response.writeHead(404).end();
}

const notification = () =>
  ({
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: topic,
    Subject: 'Amazon SES Email Event Notification',
    Message: '{"eventType":"Delivery"}',
    Timestamp: new Date().toISOString(),
    SigningCertURL: `${server.url}/certificate.pem`,
  }) satisfies UnsignedMessage;

const confirmation = (Type: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation') =>
  ({
    Type,
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    Token: 'b7f4c1',
    TopicArn: topic,
    Message:
      'You have chosen to subscribe to the topic.\nTo confirm the subscription, visit the SubscribeURL.',
    SubscribeURL: `${server.url}/confirm?Action=ConfirmSubscription&Token=b7f4c1`,
    Timestamp: new Date().toISOString(),
    SigningCertURL: `${server.url}/certificate.pem`,
  }) satisfies UnsignedMessage;

/** Signs a message and parses it as received: JSON and the schema. */
async function receive(message: UnsignedMessage, version: '1' | '2' = '2', by = key): Promise<SnsMessage> {
  const signer = await createSnsSigner({ version, key: by });
  return snsMessageSchema.parse(JSON.parse(JSON.stringify(await signer.sign(message))));
}

describe('verifying messages of Amazon SNS', () => {
  describe.each(['1', '2'] as const)('with signature version %s', (version) => {
    it('accepts genuine messages of each type', async () => {
      const { Subject: _, ...withoutSubject } = notification();
      const genuine = [
        notification(),
        withoutSubject,
        { ...notification(), TopicArn: otherTopic },
        confirmation('SubscriptionConfirmation'),
        confirmation('UnsubscribeConfirmation'),
      ];
      for (const message of genuine) {
        expect(await verifier.verify(await receive(message, version))).toBeUndefined();
      }
      expect(server.requests.map((request) => request.path)).toEqual(['/certificate.pem']);
    });

    it.each<[string, (message: SnsMessage) => object]>([
      ['text', () => ({ Message: '{"eventType":"Bounce"}' })],
      ['text, by a blank', (message) => ({ Message: `${message.Message} ` })],
      ['id', () => ({ MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf325' })],
      ['subject', () => ({ Subject: 'Another' })],
      ['subject, taken away', () => ({ Subject: undefined })],
      ['time', () => ({ Timestamp: new Date(Date.now() + 1).toISOString() })],
      ['topic', () => ({ TopicArn: otherTopic })],
    ])('refuses a notification with a changed %s', async (_what, change) => {
      const message = await receive(notification(), version);
      const changed = snsMessageSchema.parse({ ...message, ...change(message) });
      expect(await verifier.verify(changed)).toBe('signature');
    });

    it.each([
      ['token', { Token: 'b7f4c2' }],
      [
        'address',
        { SubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=b7f4c1' },
      ],
      ['type', { Type: 'UnsubscribeConfirmation' }],
      ['type of a notification', { Type: 'Notification' }],
    ])('refuses a confirmation with a changed %s', async (_what, change) => {
      const message = await receive(confirmation('SubscriptionConfirmation'), version);
      expect(await verifier.verify(snsMessageSchema.parse({ ...message, ...change }))).toBe('signature');
    });

    it('refuses a signature by another key', async () => {
      expect(await verifier.verify(await receive(notification(), version, otherKey))).toBe('signature');
    });

    it('refuses the signature of another version', async () => {
      const message = await receive(notification(), version);
      const relabelled = { ...message, SignatureVersion: version === '1' ? ('2' as const) : ('1' as const) };
      expect(await verifier.verify(relabelled)).toBe('signature');
    });
  });

  it('refuses malformed signatures', async () => {
    const message = await receive(notification());
    for (const Signature of ['AAAA', Buffer.alloc(256).toString('base64'), message.Signature.slice(0, 340)]) {
      expect(await verifier.verify({ ...message, Signature })).toBe('signature');
    }
  });

  it('accepts whatever text a notification holds', async () => {
    const signer = await createSnsSigner({ key: await createSigningKey(1024) });
    const smallServer = await startHttpServer((_request, response) => response.end(signer.certificatePem));
    const verifyingIt = createSnsVerifier({ topicArns: [topic], localHost: smallServer.host });
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.json());
    await fc.assert(
      fc.asyncProperty(text, fc.option(text, { nil: undefined }), async (Message, Subject) => {
        const signed = await signer.sign({
          ...notification(),
          Message,
          Subject,
          SigningCertURL: `${smallServer.url}/a.pem`,
        });
        const message = snsMessageSchema.parse(JSON.parse(JSON.stringify(signed)));
        expect(await verifyingIt.verify(message)).toBeUndefined();
        expect(await verifyingIt.verify({ ...message, Message: `${Message}\n` })).toBe('signature');
      }),
      { numRuns: 60 },
    );
    await smallServer.close();
  });

  it('fetches nothing for a topic that is not ours', async () => {
    const stranger = { ...notification(), TopicArn: 'arn:aws:sns:us-east-1:999999999999:evil' };
    expect(await verifier.verify(await receive(stranger))).toBe('topic');
    expect(
      await createSnsVerifier({ topicArns: [], localHost: server.host }).verify(
        await receive(notification()),
      ),
    ).toBe('topic');
    expect(server.requests).toEqual([]);
  });

  it('fetches no certificate from elsewhere', async () => {
    const elsewhere = await startHttpServer((_request, response) => response.end(key.certificatePem));
    const message = await receive(notification());
    const addresses = [
      `${elsewhere.url}/certificate.pem`,
      `http://${server.host}@${elsewhere.host}/certificate.pem`,
      `http://user:pass@${server.host}/certificate.pem`,
      `${server.url}/certificate.pem?x=1`,
      `${server.url}/certificate`,
      'https://sns.us-east-1.amazonaws.com.evil.example/certificate.pem',
    ];
    for (const SigningCertURL of addresses) {
      expect(await verifier.verify({ ...message, SigningCertURL })).toBe('certificate-address');
    }
    expect([...server.requests, ...elsewhere.requests]).toEqual([]);
    await elsewhere.close();
  });

  it("says so when the certificate can't be fetched, and accepts the message once it can", async () => {
    const port = Number(server.host.split(':')[1]);
    const message = await receive(notification());
    await server.close();
    expect(await verifier.verify(message)).toBe('certificate');
    server = await startHttpServer(answer, port);
    await expect.poll(() => verifier.verify(message), { timeout: 90_000 }).toBeUndefined();
  });

  it('refuses a replay of an old message, but not a late delivery', async () => {
    const day = 24 * 60 * 60 * 1000;
    const at = (age: number) => ({ ...notification(), Timestamp: new Date(Date.now() - age).toISOString() });
    expect(await verifier.verify(await receive(at(13 * day)))).toBeUndefined();
    expect(await verifier.verify(await receive(at(15 * day)))).toBe('expired');
  });
});

describe('confirming a subscription', () => {
  const request = async (SubscribeURL: string) => {
    const message = await receive({ ...confirmation('SubscriptionConfirmation'), SubscribeURL });
    if (message.Type !== 'SubscriptionConfirmation') throw new Error('Unexpected type');
    return message;
  };

  it('visits the address once', async () => {
    await verifier.confirm(await request(`${server.url}/confirm?Token=b7f4c1`));
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /confirm?Token=b7f4c1',
    ]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
    'https://sns.us-east-1.amazonaws.com.evil.example/?Action=ConfirmSubscription',
    'https://user:pass@sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
    'https://sns.us-east-1.amazonaws.com:8443/?Action=ConfirmSubscription',
    'https://evil.example/sns.us-east-1.amazonaws.com',
    'file:///etc/passwd',
  ])('never visits %s, even when it is signed', async (address) => {
    const message = await request(address);
    expect(await verifier.verify(message)).toBe('subscribe-address');
    await expect(verifier.confirm(message)).rejects.toThrow("not the provider's");
  });

  it('follows no redirect', async () => {
    await expect(verifier.confirm(await request(`${server.url}/moved`))).rejects.toThrow();
    expect(server.requests.map(({ path }) => path)).toEqual(['/moved']);
  });

  it('fails when the provider does not accept it', async () => {
    await expect(verifier.confirm(await request(`${server.url}/unknown`))).rejects.toThrow('404');
  });
});
