import { afterAll, describe, expect, it } from 'vitest';
import { EmailParser } from './email-parser.ts';

const parser = new EmailParser();
afterAll(() => parser.stop());
const bytes = (text: string) => Buffer.from(text);
const genuine = bytes('From: Ada <ada@example.com>\r\nSubject: Hi\r\n\r\nHello\r\n');

describe('the thread that parses emails', () => {
  it('returns the content of an email', async () => {
    expect(await parser.parse(genuine)).toMatchObject({
      content: { text: 'Hello', html: null, attachments: [] },
    });
  });

  it('continues after a malformed email, one that takes too long, and several in a row', async () => {
    const impatient = new EmailParser(1);
    expect(await impatient.parse(bytes(`\r\n${'x\r\n'.repeat(900_000)}`))).toBeUndefined();
    await impatient.stop();

    let nested = '';
    for (let level = 0; level < 10_000; level += 1) {
      nested += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
    }
    const answers = await Promise.all([
      parser.parse(bytes(nested)),
      parser.parse(bytes(`${'X-A: b\r\n'.repeat(200_000)}\r\nHello`)),
      parser.parse(bytes(`\r\n${'x\r\n'.repeat(1_100_000)}`)),
      parser.parse(genuine),
    ]);
    expect(answers.map((answer) => answer?.content?.text)).toEqual([
      undefined,
      undefined,
      undefined,
      'Hello',
    ]);
  });
});
