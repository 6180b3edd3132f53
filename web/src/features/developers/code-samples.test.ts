import { expect, it } from 'vitest';
import { languages, tasks, writeSample } from './code-samples.ts';

const values = {
  address: 'https://mail.example.com/prefix',
  secretKey: 'sk_secret',
  publicKey: 'pk_public',
  domain: 'example.com',
  recipient: "o'neil@example.com",
};

it.each(tasks)('$label: every language contains the URL and the key', ({ value: task }) => {
  for (const { value: language } of languages) {
    const sample = writeSample(task, language, values);
    expect(sample).toContain('https://mail.example.com/prefix/');
    expect(sample).toContain(`Bearer ${task === 'track' ? 'pk_public' : 'sk_secret'}`);
  }
});

it('quotes the body for the shell', () => {
  expect(writeSample('track', 'curl', values)).toContain(String.raw`"email": "o'\''neil@example.com"`);
});

it('writes a valid JSON body', () => {
  const sample = writeSample('send', 'node', values);
  const body = sample.slice(sample.indexOf('stringify(') + 'stringify('.length, sample.indexOf('),\n});'));
  expect(JSON.parse(body)).toMatchObject({ to: "o'neil@example.com", from: 'hello@example.com' });
});

it('writes True in Python', () => {
  expect(writeSample('contact', 'python', values)).toContain('"subscribed": True');
});
