import type { BenchProject } from './bench-stack.ts';

const products = ['shoes', 'hats', 'lamps', 'books', 'chairs', 'knives', 'plants', 'bikes'];
/** Every fifth request is about one of these recurring contacts. */
const regulars = 2_000;

function addressOf(n: number): string {
  return n % 5 === 0 ? `regular-${(n * 7919) % regulars}@example.com` : `contact-${n}@example.com`;
}

/** Bodies of `POST /v1/track`, each a new event; four out of five create a contact. */
export function createTrackBodies(): () => string {
  let n = 0;
  return () => {
    n += 1;
    return (
      `{"email":"${addressOf(n)}","event":"product viewed","data":{"plan":"${n % 3 === 0 ? 'pro' : 'free'}",` +
      `"visits":${n % 100},"product":{"value":"${products[n % products.length]}","persistent":false},` +
      `"price":{"value":${n % 500},"persistent":false}}}`
    );
  };
}

/** HTML of a common transactional email, about 1.2 kB. */
const emailBody = [
  '<html><body><table width=100%><tr><td><h1>Hello {{ firstName ?? &quot;friend&quot; }}</h1>',
  '<p>Your code is <b>{{ code }}</b>. It is valid for ten minutes.</p>',
  ...Array.from(
    { length: 8 },
    (_, n) =>
      `<p>Paragraph ${n + 1} says what such emails say, with a <a href='https://example.com/${n}'>link</a>.</p>`,
  ),
  '</td></tr></table></body></html>',
].join('');

/** Bodies of `POST /v1/send`, each a new email; four out of five create a contact. */
export function createSendBodies({ domain }: BenchProject): () => string {
  const [subject, body] = ['Your code, {{ firstName }}', emailBody.replaceAll('&quot;', '"')].map((text) =>
    JSON.stringify(text),
  );
  let n = 0;
  return () => {
    n += 1;
    return (
      `{"to":{"email":"${addressOf(n)}","name":"Contact ${n}"},"from":{"email":"hello@${domain}","name":"Bench"},` +
      `"subject":${subject},"body":${body},"data":{"firstName":"Contact ${n}","code":{"value":"${n}","persistent":false}}}`
    );
  };
}
