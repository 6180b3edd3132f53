import { describe, expect, it } from 'vitest';
import { isCertificateAddress, isProviderAddress } from './provider-address.ts';

const pem = '/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem';

describe('addresses of the provider', () => {
  it.each([
    `https://sns.us-east-1.amazonaws.com${pem}`,
    `https://sns.us-gov-west-1.amazonaws.com${pem}`,
    `https://sns.cn-north-1.amazonaws.com.cn${pem}`,
    `https://SNS.US-EAST-1.AMAZONAWS.COM${pem}`,
    `https://sns.us-east-1.amazonaws.com:443${pem}`,
    `http://127.0.0.1:8025${pem}`,
  ])('takes a certificate at %s', (address) => {
    expect(isCertificateAddress(address, '127.0.0.1:8025')).toBe(true);
  });

  it.each([
    `http://sns.us-east-1.amazonaws.com${pem}`,
    `https://sns.us-east-1.amazonaws.com.evil.example${pem}`,
    `https://sns.us-east-1.amazonaws.com.cn.evil.example${pem}`,
    `https://evil.example/sns.us-east-1.amazonaws.com${pem}`,
    `https://evil.example?sns.us-east-1.amazonaws.com${pem}`,
    `https://evil.example#sns.us-east-1.amazonaws.com${pem}`,
    `https://evilsns.us-east-1.amazonaws.com${pem}`,
    `https://x.sns.us-east-1.amazonaws.com${pem}`,
    `https://sns.amazonaws.com${pem}`,
    `https://sns.a.b.amazonaws.com${pem}`,
    `https://sns.us-east-1.amazonaws.com.${pem}`,
    `https://sns-us-east-1.amazonaws.com${pem}`,
    `https://s3.us-east-1.amazonaws.com/bucket${pem}`,
    `https://bucket.s3.amazonaws.com${pem}`,
    `https://sns.us-east-1.amazonaws.com@evil.example${pem}`,
    `https://evil.example%2f@sns.us-east-1.amazonaws.com${pem}`,
    `https://user:pass@sns.us-east-1.amazonaws.com${pem}`,
    `https://user@sns.us-east-1.amazonaws.com${pem}`,
    `https://:pass@sns.us-east-1.amazonaws.com${pem}`,
    `https://sns.us-east-1.amazonaws.com:8443${pem}`,
    `https://sns。us-east-1。amazonaws。com.evil.example${pem}`,
    `ftp://sns.us-east-1.amazonaws.com${pem}`,
    `file:///etc/ssl${pem}`,
    'data:text/plain,x.pem',
    `http://169.254.169.254${pem}`,
    `http://127.0.0.1:8026${pem}`,
    `http://localhost:8025${pem}`,
    `http://127.0.0.1${pem}`,
    `https://127.0.0.1:8025${pem}`,
    `http://user@127.0.0.1:8025${pem}`,
    `http://127.0.0.1:8025@evil.example${pem}`,
    `http://127.0.0.1.evil.example:8025${pem}`,
  ])('refuses %s', (address) => {
    expect(isProviderAddress(address, '127.0.0.1:8025')).toBe(false);
    expect(isCertificateAddress(address, '127.0.0.1:8025')).toBe(false);
  });

  it.each([
    'https://sns.us-east-1.amazonaws.com/',
    'https://sns.us-east-1.amazonaws.com/certificate.txt',
    'https://sns.us-east-1.amazonaws.com/certificate.pem/',
    'https://sns.us-east-1.amazonaws.com/?Action=Publish&x=.pem',
    'https://sns.us-east-1.amazonaws.com/x.pem?Action=Publish',
    'https://sns.us-east-1.amazonaws.com/#x.pem',
    'https://sns.us-east-1.amazonaws.com/x.pem#1',
    'http://127.0.0.1:8025/inbox?x.pem',
  ])('fetches no certificate from %s', (address) => {
    expect(isCertificateAddress(address, '127.0.0.1:8025')).toBe(false);
  });

  it('trusts no plain address when there is no local SES', () => {
    expect(isProviderAddress('http://undefined/x.pem', undefined)).toBe(false);
    expect(isProviderAddress('http://127.0.0.1:8025/x.pem', undefined)).toBe(false);
  });
});
