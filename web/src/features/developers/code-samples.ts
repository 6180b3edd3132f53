export const tasks = [
  { value: 'send', label: 'Send an email' },
  { value: 'track', label: 'Track an event' },
  { value: 'contact', label: 'Create a contact' },
] as const;
export type Task = (typeof tasks)[number]['value'];

export const languages = [
  { value: 'curl', label: 'curl' },
  { value: 'node', label: 'Node.js' },
  { value: 'python', label: 'Python' },
] as const;
export type Language = (typeof languages)[number]['value'];

export interface SampleValues {
  /** URL of the API, without a trailing slash. */
  address: string;
  secretKey: string;
  publicKey: string;
  /** A domain that the project can send from. */
  domain: string;
  /** Address of the signed-in user. */
  recipient: string;
}

interface Call {
  path: string;
  key: string;
  body: Record<string, unknown>;
}

function callOf(task: Task, { secretKey, publicKey, domain, recipient }: SampleValues): Call {
  switch (task) {
    case 'send':
      return {
        path: '/v1/send',
        key: secretKey,
        body: {
          to: recipient,
          from: `hello@${domain}`,
          subject: 'Welcome, {{ firstName }}',
          body: '<p>Good to have you here.</p>',
          data: { firstName: 'Ada' },
        },
      };
    case 'track':
      return {
        path: '/v1/track',
        key: publicKey,
        body: { email: recipient, event: 'signed_up', data: { plan: 'pro' } },
      };
    case 'contact':
      return {
        path: '/contacts',
        key: secretKey,
        body: { email: recipient, subscribed: true, data: { firstName: 'Ada' } },
      };
  }
}

const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const indented = (body: unknown, by: string) => JSON.stringify(body, null, 2).replaceAll('\n', `\n${by}`);

const writers: Record<Language, (address: string, call: Call) => string> = {
  curl: (address, { key, body }) =>
    [
      `curl ${address}`,
      `-H 'Authorization: Bearer ${key}'`,
      "-H 'Content-Type: application/json'",
      `-d ${inShell(JSON.stringify(body, null, 2))}`,
    ].join(' \\\n  '),
  node: (address, { key, body }) => `const response = await fetch('${address}', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(body, '  ')}),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`,
  python: (address, { key, body }) => `import requests

response = requests.post(
    "${address}",
    headers={"Authorization": "Bearer ${key}"},
    json=${indented(body, '    ').replaceAll(': true', ': True')},
)
response.raise_for_status()
print(response.json())`,
};

/** A call that can be pasted and run. */
export function writeSample(task: Task, language: Language, values: SampleValues): string {
  const call = callOf(task, values);
  return writers[language](values.address + call.path, call);
}
