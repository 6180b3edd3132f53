import { verify, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigningKey, createSnsSigner, type SnsMessage, stringToSign } from './sns-signer.ts';

const notification: SnsMessage = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Subject: 'My First Message',
  Message: 'Hello world!\nSecond line',
  Timestamp: '2012-05-02T00:54:06.655Z',
};

const verifies = (certificate: string, algorithm: string, text: string, signature: string): boolean =>
  verify(
    algorithm,
    Buffer.from(text),
    new X509Certificate(certificate).publicKey,
    Buffer.from(signature, 'base64'),
  );

describe('SNS signer', () => {
  it('builds the text of a notification in the order that SNS documents', () => {
    expect(stringToSign(notification)).toBe(
      'Message\nHello world!\nSecond line\nMessageId\n22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324\n' +
        'Subject\nMy First Message\nTimestamp\n2012-05-02T00:54:06.655Z\n' +
        'TopicArn\narn:aws:sns:us-west-2:123456789012:MyTopic\nType\nNotification\n',
    );
  });

  it('leaves the subject out when there is none', () => {
    const { Subject: _subject, ...bare } = notification;
    expect(stringToSign(bare)).not.toContain('Subject');
  });

  it('builds the text of a confirmation with its token and address', () => {
    const text = stringToSign({
      Type: 'SubscriptionConfirmation',
      MessageId: 'm',
      TopicArn: 't',
      Message: 'x',
      Timestamp: 's',
      Token: 'k',
      SubscribeURL: 'u',
    });
    expect(text).toBe(
      'Message\nx\nMessageId\nm\nSubscribeURL\nu\nTimestamp\ns\nToken\nk\nTopicArn\nt\nType\nSubscriptionConfirmation\n',
    );
  });

  it.each([
    ['1', 'sha1'],
    ['2', 'sha256'],
  ] as const)('signs version %s with %s', async (version, algorithm) => {
    const signer = await createSnsSigner({ version });
    const signed = signer.sign(notification);
    expect(signed.SignatureVersion).toBe(version);
    expect(verifies(signer.certificatePem, algorithm, stringToSign(signed), signed.Signature)).toBe(true);
  });

  it('makes a signature that no other signer could have made', async () => {
    const [signer, other] = await Promise.all([createSnsSigner(), createSnsSigner()]);
    const { Signature: signature } = signer.sign(notification);
    expect(verifies(other.certificatePem, 'sha256', stringToSign(notification), signature)).toBe(false);
    expect(other.certificateId).not.toBe(signer.certificateId);
  });

  it('makes a signature that breaks with any change of a signed field', async () => {
    const signer = await createSnsSigner({ key: await createSigningKey(1024) });
    const signed = signer.sign(notification);
    fc.assert(
      fc.property(
        fc.constantFrom('Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn'),
        fc.string(),
        (field, value) => {
          fc.pre(signed[field as 'Message'] !== value);
          const changed = stringToSign({ ...signed, [field]: value });
          expect(verifies(signer.certificatePem, 'sha256', changed, signed.Signature)).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('keeps certificate and id for a given key', async () => {
    const key = await createSigningKey();
    const [one, two] = await Promise.all([createSnsSigner({ key }), createSnsSigner({ key })]);
    expect(one.certificateId).toBe(two.certificateId);
    expect(new X509Certificate(one.certificatePem).publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });
});
