import { describe, expect, it } from 'vitest';
import { type SnsMessage, signedText, snsMessageSchema } from './message.ts';

// The shapes of the Amazon SNS developer guide, "Parsing Amazon SNS message formats".
const notification = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Subject: 'My First Message',
  Message: 'Hello world!',
  Timestamp: '2012-05-02T00:54:06.655Z',
  SignatureVersion: '1',
  Signature: 'EXAMPLEw6JRN',
  SigningCertURL:
    'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
  UnsubscribeURL:
    'https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:us-west-2:123456789012:MyTopic:c9135db0',
};
const confirmation = {
  Type: 'SubscriptionConfirmation',
  MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
  Token: '2336412f37',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Message:
    'You have chosen to subscribe to the topic.\nTo confirm the subscription, visit the SubscribeURL included in this message.',
  SubscribeURL:
    'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:us-west-2:123456789012:MyTopic&Token=2336412f37',
  Timestamp: '2012-04-26T20:45:04.751Z',
  SignatureVersion: '1',
  Signature:
    'EXAMPLEpH+DcEwjAPg8O9mY8dReBSwksfg2S7WKQcikcNKWLQjwu6A4VbeS0QHVCkhRS7fUQvi2egU3N858fiTDN6bkkOxYDVrY0Ad8L10Hs3zH81mtnPk5uvvolIC1CXGu43obcgFxeL3khZl8IKvO61GWB6jI9b5+gLPoBc1Q=',
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7.pem',
};

const parse = (value: unknown): SnsMessage => snsMessageSchema.parse(value);

describe('messages of Amazon SNS', () => {
  it('reads the three types', () => {
    expect(parse(notification)).toMatchObject({ Type: 'Notification', Subject: 'My First Message' });
    expect(parse(confirmation)).toMatchObject({ Type: 'SubscriptionConfirmation', Token: '2336412f37' });
    expect(parse({ ...confirmation, Type: 'UnsubscribeConfirmation' }).Type).toBe('UnsubscribeConfirmation');
  });

  it('takes message ids of any UUID version', () => {
    for (const MessageId of [
      'dc1e94d9-56c5-5e96-808d-cc7f68faa162',
      'da41e39f-ea4d-435a-b922-c6aae3915ebe',
    ]) {
      expect(parse({ ...notification, MessageId }).MessageId).toBe(MessageId);
    }
  });

  it.each([
    ['no object', 'text'],
    ['null', null],
    ['an array', [notification]],
    ['no type', { ...notification, Type: undefined }],
    ['an unknown type', { ...notification, Type: 'Surprise' }],
    ['a message id that is not a UUID', { ...notification, MessageId: "1'; drop table emails" }],
    ['no topic', { ...notification, TopicArn: '' }],
    ['a message that is not a string', { ...notification, Message: { eventType: 'Bounce' } }],
    ['a subject that is not a string', { ...notification, Subject: ['x'] }],
    ['an invalid time', { ...notification, Timestamp: 'yesterday' }],
    ['a time without a zone', { ...notification, Timestamp: '2012-05-02T00:54:06' }],
    ['an unknown signature version', { ...notification, SignatureVersion: '3' }],
    ['a signature version that is a number', { ...notification, SignatureVersion: 1 }],
    ['no signature', { ...notification, Signature: undefined }],
    ['an empty signature', { ...notification, Signature: '' }],
    ['a signature that is not base64', { ...notification, Signature: '%%%' }],
    ['a huge signature', { ...notification, Signature: 'A'.repeat(4000) }],
    ['a certificate address that is not a URL', { ...notification, SigningCertURL: '/cert.pem' }],
    ['no certificate address', { ...notification, SigningCertURL: undefined }],
    ['no token', { ...confirmation, Token: undefined }],
    ['no address to confirm', { ...confirmation, SubscribeURL: undefined }],
  ])('refuses %s', (_what, value) => {
    expect(snsMessageSchema.safeParse(value).success).toBe(false);
  });
});

describe('the signed text', () => {
  it('of a notification', () => {
    expect(signedText(parse(notification))).toBe(
      'Message\nHello world!\nMessageId\n22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324\nSubject\nMy First Message\n' +
        'Timestamp\n2012-05-02T00:54:06.655Z\nTopicArn\narn:aws:sns:us-west-2:123456789012:MyTopic\n' +
        'Type\nNotification\n',
    );
  });

  it.each([
    ['is missing', undefined],
    ['is null', null],
  ])('leaves the subject out when it %s', (_what, Subject) => {
    expect(signedText(parse({ ...notification, Subject }))).toBe(
      'Message\nHello world!\nMessageId\n22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324\n' +
        'Timestamp\n2012-05-02T00:54:06.655Z\nTopicArn\narn:aws:sns:us-west-2:123456789012:MyTopic\n' +
        'Type\nNotification\n',
    );
  });

  it.each(['SubscriptionConfirmation', 'UnsubscribeConfirmation'])('of a %s', (Type) => {
    expect(signedText(parse({ ...confirmation, Message: 'a\nb', Type }))).toBe(
      'Message\na\nb\nMessageId\n165545c9-2a5c-472c-8df2-7ff2be2b3b1b\n' +
        `SubscribeURL\n${confirmation.SubscribeURL}\nTimestamp\n2012-04-26T20:45:04.751Z\nToken\n2336412f37\n` +
        `TopicArn\narn:aws:sns:us-west-2:123456789012:MyTopic\nType\n${Type}\n`,
    );
  });
});
